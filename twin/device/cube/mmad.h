// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/uses.h"
#include "device/cube/params.h"
#include "device/tensor/local_tensor.h"
#include "device/vec/mask.h"

namespace twin::cube {

/// Executes a Mmad; `bias` is nullptr if the call has no bias.
TWIN_API void Multiply(const Operand& dst, const Operand& a, const Operand& b, const Operand* bias,
                       const AscendC::MmadParams& params, Dtype dtype, Location where);

template <typename C, typename A, typename B>
constexpr bool kMmadTypes =
    std::is_same<A, B>::value &&
    ((std::is_same<C, float>::value && kOneOf<A, half, bfloat16_t, float>) ||
     (std::is_same<C, int32_t>::value && kOneOf<A, int8_t, AscendC::int4b_t>));

TWIN_API void LoadSparse(const Operand& dst, const Operand& src, const Operand& index,
                         const AscendC::LoadData2DParams& params, Location where);
TWIN_API void MultiplySparse(const Operand& dst, const Operand& a, const Operand& b,
                             const AscendC::MmadParams& params, Location where);

}  // namespace twin::cube

namespace AscendC {

#define TWIN_REFUSE_MMAD(C, A, B)                                                                  \
    static_assert(twin::cube::kMmadTypes<C, A, B>,                                                 \
                  "Mmad: on A2/A3 half, bfloat16_t and float give float, int8_t and int4b_t give " \
                  "int32_t; both operands have one type")

/// Computes C = A x B or C += A x B on pipe M, with A in L0A, B in L0B and C in L0C. In the last
/// fractals, rows from m on and columns from n on are undefined. If m is 1, A is a plain row.
template <typename DstT, typename Src0T, typename Src1T>
inline void Mmad(const LocalTensor<DstT>& dst, const LocalTensor<Src0T>& fm,
                 const LocalTensor<Src1T>& filter, const MmadParams& mmadParams, TWIN_HERE) {
    TWIN_REFUSE_MMAD(DstT, Src0T, Src1T);
    TWIN_USES_CUBE;
    twin::cube::Multiply(dst, fm, filter, nullptr, mmadParams, twin::kDtypeOf<Src0T>, here);
}

/// Computes A x B + bias. The bias is a row of n values in the bias table, or a matrix in L0C.
template <typename DstT, typename Src0T, typename Src1T, typename BiasT>
inline void Mmad(const LocalTensor<DstT>& dst, const LocalTensor<Src0T>& fm,
                 const LocalTensor<Src1T>& filter, const LocalTensor<BiasT>& bias,
                 const MmadParams& mmadParams, TWIN_HERE) {
    TWIN_REFUSE_MMAD(DstT, Src0T, Src1T);
    static_assert(std::is_same<BiasT, DstT>::value && !std::is_same<Src0T, int4b_t>::value,
                  "Mmad with bias: the bias has C's type, and int4b_t takes none");
    TWIN_USES_CUBE;
    const twin::Operand from = bias;
    twin::cube::Multiply(dst, fm, filter, &from, mmadParams, twin::kDtypeOf<Src0T>, here);
}

/// The name of Mmad inside the toolkit's headers, which kernels of public operators call.
template <typename DstT, typename Src0T, typename Src1T>
inline void MmadImpl(const LocalTensor<DstT>& dst, const LocalTensor<Src0T>& fm,
                     const LocalTensor<Src1T>& filter, const MmadParams& mmadParams, TWIN_HERE) {
    Mmad(dst, fm, filter, mmadParams, here);
}

enum class HF32Mode { ENABLE, DISABLE };
enum class HF32TransMode { NEAREST_ZERO, NEAREST_EVEN };

/// Sets whether Mmad rounds float operands to HF32, which has 11 mantissa bits. The overloads with
/// an enumeration are newer.
inline void SetHF32Mode(bool hf32Mode, TWIN_HERE) {
    twin::vec::SetCtrlBit(twin::kCtrlHf32, hf32Mode, here);
}
inline void SetHF32Mode(HF32Mode mode, TWIN_HERE) { SetHF32Mode(mode == HF32Mode::ENABLE, here); }
/// Sets whether the rounding to HF32 moves ties toward zero (true) or to even (false).
inline void SetHF32TransMode(bool hf32TransMode, TWIN_HERE) {
    twin::vec::SetCtrlBit(twin::kCtrlHf32ToZero, hf32TransMode, here);
}
inline void SetHF32TransMode(HF32TransMode mode, TWIN_HERE) {
    SetHF32TransMode(mode == HF32TransMode::NEAREST_ZERO, here);
}
/// Sets whether Mmad computes its fractals along n first. The order never changes results.
inline void SetMMLayoutTransform(bool mmLayoutMode, TWIN_HERE) {
    twin::vec::SetCtrlBit(twin::kCtrlAlongN, mmLayoutMode, here);
}
/// The newer names of SetMMLayoutTransform(true) and SetMMLayoutTransform(false).
inline void SetMMRowMajor(TWIN_HERE) { SetMMLayoutTransform(true, here); }
inline void SetMMColumnMajor(TWIN_HERE) { SetMMLayoutTransform(false, here); }

/// Loads fractals of a sparse matrix L1 -> L0B on pipe MTE1. The matrix keeps two of every four
/// numbers along k. For each fractal, the call also loads 128 B of index, with four fields of two
/// bits per byte, into a separate buffer.
template <typename T = int8_t, typename U = uint8_t>
inline void LoadDataWithSparse(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                               const LocalTensor<U>& idx, const LoadData2dParams& loadDataParam,
                               TWIN_HERE) {
    static_assert(std::is_same<T, int8_t>::value && std::is_same<U, uint8_t>::value,
                  "LoadDataWithSparse takes int8_t with an index of uint8_t");
    TWIN_USES_CUBE;
    twin::cube::LoadSparse(dst, src, idx, loadDataParam, here);
}

/// Computes a product with a right matrix that LoadDataWithSparse has loaded. k counts the rows of
/// the full right matrix, before two of every four were dropped.
template <typename T = int32_t, typename U = int8_t>
inline void MmadWithSparse(const LocalTensor<T>& dst, const LocalTensor<U>& fm,
                           const LocalTensor<U>& filter, const MmadParams& mmadParams, TWIN_HERE) {
    static_assert(std::is_same<T, int32_t>::value && std::is_same<U, int8_t>::value,
                  "MmadWithSparse: int8_t operands give int32_t");
    TWIN_USES_CUBE;
    twin::cube::MultiplySparse(dst, fm, filter, mmadParams, here);
}

}  // namespace AscendC
