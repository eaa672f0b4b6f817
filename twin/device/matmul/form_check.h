// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_MATMUL_FORM_CHECK_H
#define TWIN_DEVICE_MATMUL_FORM_CHECK_H

#include "device/matmul/types.h"

namespace twin::matmul {

/// What does not exist on A2 and A3, or is not modelled, does not compile.
template <class A_TYPE, class B_TYPE, class C_TYPE>
constexpr bool CheckForm() {
    static_assert(
        IsTypeTriple<typename A_TYPE::T, typename B_TYPE::T, typename C_TYPE::T>(),
        "Matmul: A2 and A3 have no such product: A and B have one type; half and bfloat16_t give "
        "float, half, bfloat16_t, int8_t; float gives float, half, bfloat16_t; int8_t gives "
        "int32_t, half, int8_t; int4b_t gives int32_t, half, int8_t");
    static_assert(A_TYPE::format == CubeFormat::ND || A_TYPE::format == CubeFormat::NZ ||
                      A_TYPE::format == CubeFormat::VECTOR,
                  "Matmul: A is ND, NZ or VECTOR; SCALAR and the others are not modelled");
    static_assert(B_TYPE::format == CubeFormat::ND || B_TYPE::format == CubeFormat::NZ,
                  "Matmul: B is ND or NZ; the other formats are not modelled");
    static_assert(C_TYPE::format == CubeFormat::ND || C_TYPE::format == CubeFormat::NZ ||
                      C_TYPE::format == CubeFormat::ND_ALIGN,
                  "Matmul: C is ND, NZ or ND_ALIGN");
    return true;
}

template <const auto& CONFIG>
constexpr bool CheckConfig() {
    constexpr MatmulConfig kCfg = CONFIG;
    static_assert(!kCfg.isPartialOutput, "MatmulConfig: isPartialOutput is not modelled");
    static_assert(!kCfg.enableRelu, "MatmulConfig: enableRelu is not modelled");
    static_assert(!kCfg.intraBlockPartSum, "MatmulConfig: intraBlockPartSum is not modelled");
    static_assert(!kCfg.enableMixDualMaster, "MatmulConfig: enableMixDualMaster is not modelled");
    return true;
}

}  // namespace twin::matmul

#endif  // TWIN_DEVICE_MATMUL_FORM_CHECK_H
