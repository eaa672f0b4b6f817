// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include "device/matmul/types.h"

namespace twin::matmul {

/// The addresses that Matmul passes to the kernel's callbacks.
struct UserData {
    uint64_t tilingPtr = 0;
    uint64_t dataPtr = 0;
};

/// True if the callback is set. This tests the type, because GCC with -fsanitize=undefined does not
/// accept the comparison of a function's address as a constant.
template <auto CALLBACK>
inline constexpr bool kNamed = !std::is_same_v<std::integral_constant<decltype(CALLBACK), CALLBACK>,
                                               std::integral_constant<decltype(CALLBACK), nullptr>>;

/// The copy functions of the kernel. A cube core that executes a request of a vector core calls the
/// functions that were compiled for cube cores, not those that were compiled for vector cores.
template <class MM_CB>
struct Callbacks {
    std::remove_const_t<decltype(MM_CB::CopyA1Ptr)> copyA1 = MM_CB::CopyA1Ptr;
    std::remove_const_t<decltype(MM_CB::CopyB1Ptr)> copyB1 = MM_CB::CopyB1Ptr;
    std::remove_const_t<decltype(MM_CB::DataCopyOutPtr)> copyOut = MM_CB::DataCopyOutPtr;
};

/// Refuses, at compile time, types and formats that A2 and A3 lack or that are not modelled.
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
    static_assert(
        !kInL1<A_TYPE> || A_TYPE::format != CubeFormat::VECTOR,
        "Matmul: an operand in L1 (TSCM) has NZ format, as the loads into L0 take it; its "
        "type may also say ND");
    static_assert(C_TYPE::format == CubeFormat::ND || C_TYPE::format == CubeFormat::NZ ||
                      C_TYPE::format == CubeFormat::ND_ALIGN,
                  "Matmul: C is ND, NZ or ND_ALIGN");
    return true;
}

/// Refuses sparse products that A2 and A3 lack.
template <class A_TYPE, class B_TYPE, const auto& CONFIG>
constexpr bool CheckSparse() {
    constexpr MatmulConfig kCfg = CONFIG;
    static_assert(!kIsSparse<B_TYPE> || (kCfg.doMultiDataLoad && B_TYPE::isTrans &&
                                         std::is_same_v<typename B_TYPE::T, int8_t> &&
                                         B_TYPE::pos == AscendC::TPosition::GM),
                  "SparseMatmulType: B is a transposed int8_t matrix in GM, and the configuration "
                  "MDL");
    return true;
}

/// Refuses types that Matmul does not support in calls from vector cores, and unmodelled types and
/// configurations.
template <class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE, const auto& CONFIG>
constexpr bool CheckServed() {
    constexpr MatmulConfig kCfg = CONFIG;
    static_assert(!kCfg.enableMixDualMaster,
                  "MatmulConfig: enableMixDualMaster is modelled for ASCENDC_CUBE_ONLY only, where "
                  "it has no effect");
    static_assert(
        !kInL0C<C_TYPE>,
        "Matmul of vector cores: C in CO1 is for ASCENDC_CUBE_ONLY, because a vector core "
        "has no L0C");
    static_assert(!kInL1<C_TYPE> && !kInL1<BIAS_TYPE>,
                  "Matmul of vector cores: C and the bias in L1 (TSCM) are not modelled; the chip "
                  "documents C in GM or VECIN, the bias in GM or VECOUT");
    static_assert(!(A_TYPE::ibShare && kInL1<A_TYPE>) && !(B_TYPE::ibShare && kInL1<B_TYPE>),
                  "Matmul: an operand with IBSHARE is in GM, not in L1 (TSCM)");
    return true;
}

template <const auto& CONFIG>
constexpr bool CheckConfig() {
    constexpr MatmulConfig kCfg = CONFIG;
    static_assert(!kCfg.isPartialOutput || kCfg.doMultiDataLoad,
                  "MatmulConfig: isPartialOutput is for MDL only");
    static_assert(!kCfg.enableRelu, "MatmulConfig: enableRelu is not modelled");
    static_assert(!kCfg.intraBlockPartSum, "MatmulConfig: intraBlockPartSum is not modelled");
    return true;
}

}  // namespace twin::matmul
