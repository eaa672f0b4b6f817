// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_CUBE_MMAD_H
#define TWIN_DEVICE_CUBE_MMAD_H

#include "core/uses.h"
#include "device/cube/params.h"
#include "device/tensor/local_tensor.h"

namespace twin::cube {

/// `bias` is null for the form without one.
TWIN_API void Multiply(const Operand& dst, const Operand& a, const Operand& b, const Operand* bias,
                       const AscendC::MmadParams& params, Dtype dtype, Location where);

template <typename C, typename A, typename B>
constexpr bool kMmadTypes =
    std::is_same<A, B>::value &&
    ((std::is_same<C, float>::value && kOneOf<A, half, bfloat16_t, float>) ||
     (std::is_same<C, int32_t>::value && kOneOf<A, int8_t, AscendC::int4b_t>));

}  // namespace twin::cube

namespace AscendC {

#define TWIN_REFUSE_MMAD(C, A, B)                                                                  \
    static_assert(twin::cube::kMmadTypes<C, A, B>,                                                 \
                  "Mmad: on A2/A3 half, bfloat16_t and float give float, int8_t and int4b_t give " \
                  "int32_t; both operands have one type")

/// C = A x B, or C + A x B, on pipe M. A is in L0A, B in L0B, C in L0C; rows from m and columns
/// from n of the last fractals have no meaning. With m = 1 A is read as a plain row.
template <typename DstT, typename Src0T, typename Src1T>
inline void Mmad(const LocalTensor<DstT>& dst, const LocalTensor<Src0T>& fm,
                 const LocalTensor<Src1T>& filter, const MmadParams& mmadParams, TWIN_HERE) {
    TWIN_REFUSE_MMAD(DstT, Src0T, Src1T);
    TWIN_USES_CUBE;
    twin::cube::Multiply(twin::Of(dst), twin::Of(fm), twin::Of(filter), nullptr, mmadParams,
                         twin::kDtypeOf<Src0T>, here);
}

/// C starts from n values of `bias` in every row (bias table), or from a matrix in L0C.
template <typename DstT, typename Src0T, typename Src1T, typename BiasT>
inline void Mmad(const LocalTensor<DstT>& dst, const LocalTensor<Src0T>& fm,
                 const LocalTensor<Src1T>& filter, const LocalTensor<BiasT>& bias,
                 const MmadParams& mmadParams, TWIN_HERE) {
    TWIN_REFUSE_MMAD(DstT, Src0T, Src1T);
    static_assert(std::is_same<BiasT, DstT>::value && !std::is_same<Src0T, int4b_t>::value,
                  "Mmad with bias: the bias has C's type, and int4b_t takes none");
    TWIN_USES_CUBE;
    const twin::Operand from = twin::Of(bias);
    twin::cube::Multiply(twin::Of(dst), twin::Of(fm), twin::Of(filter), &from, mmadParams,
                         twin::kDtypeOf<Src0T>, here);
}

}  // namespace AscendC

#endif  // TWIN_DEVICE_CUBE_MMAD_H
