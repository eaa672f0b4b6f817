// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

#include "core/uses.h"
#include "device/cube/params.h"
#include "device/tensor/global_tensor.h"
#include "device/tensor/local_tensor.h"

namespace twin::cube {

TWIN_API void LoadFractals(const Operand& dst, const Operand& src,
                           const AscendC::LoadData2DParams& params, Dtype dtype, Location where);
TWIN_API void LoadFractalsFromGm(const Operand& dst, const GmOperand& src,
                                 const AscendC::LoadData2DParams& params, Dtype dtype,
                                 Location where);

template <typename T>
constexpr bool kLoadData2dType = kOneOf<T, uint8_t, int8_t, uint16_t, int16_t, half, bfloat16_t,
                                        uint32_t, int32_t, float, AscendC::int4b_t>;

TWIN_API void LoadTransposed(const Operand& dst, const Operand& src,
                             const AscendC::LoadData2dTransposeParams& params, Dtype dtype,
                             Location where);

TWIN_API void CopyNd2Nz(const Operand& dst, const GmOperand& src,
                        const AscendC::Nd2NzParams& params, uint32_t elementBytes, Location where);

/// Writes the 32-bit `pattern` to `repeats` runs of `blocks` blocks, with gaps of `gap` blocks.
TWIN_API void FillBlocks(const Operand& dst, uint32_t repeats, uint32_t blocks, uint32_t gap,
                         uint32_t pattern, Dtype dtype, Location where);

}  // namespace twin::cube

namespace AscendC {

/// Loads whole fractals of 512 B, L1 -> L0A or L0B, on pipe MTE1. With ifTranspose, it transposes
/// each fractal of 16 x 16 elements of 16 bits.
template <typename T>
inline void LoadData(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                     const LoadData2DParams& loadDataParams, TWIN_HERE) {
    static_assert(twin::cube::kLoadData2dType<T>,
                  "LoadData with LoadData2DParams: no such element type on A2/A3");
    TWIN_USES_CUBE;
    twin::cube::LoadFractals(dst, src, loadDataParams, twin::kDtypeOf<T>, here);
}

/// Loads a matrix that is already in fractal order, GM -> L1, L0A or L0B, on pipe MTE2. With
/// addrMode 1, which only L1 allows, it reads the fractals in descending order.
template <typename T>
inline void LoadData(const LocalTensor<T>& dst, const GlobalTensor<T>& src,
                     const LoadData2DParams& loadDataParams, TWIN_HERE) {
    static_assert(twin::cube::kLoadData2dType<T> && !std::is_same<T, int4b_t>::value,
                  "LoadData from GM with LoadData2DParams: no such element type on A2/A3");
    TWIN_USES_CUBE;
    twin::cube::LoadFractalsFromGm(dst, src, loadDataParams, twin::kDtypeOf<T>, here);
}

/// Loads L1 -> L0A or L0B on pipe MTE1 and transposes square blocks: one fractal of 16-bit
/// elements, two of 8- or 32-bit elements, or four of 4-bit elements (into L0B only).
template <typename T>
inline void LoadDataWithTranspose(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                                  const LoadData2dTransposeParams& loadDataParams, TWIN_HERE) {
    static_assert(
        twin::kOneOf<T, half, bfloat16_t, float, int32_t, uint32_t, uint8_t, int8_t, int4b_t>,
        "LoadDataWithTranspose takes half, bfloat16_t, float, int32_t, uint32_t, uint8_t, "
        "int8_t and, into L0B, int4b_t");
    TWIN_USES_CUBE;
    twin::cube::LoadTransposed(dst, src, loadDataParams, twin::kDtypeOf<T>, here);
}

/// Copies GM -> L1 on pipe MTE2, from row-major to fractal order. A stripe has 32 B of each row.
/// Zeros fill an incomplete last stripe, but no rows are added. int4b_t is copied as bytes, so
/// kernels halve dValue and srcDValue.
template <typename T>
inline void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src,
                     const Nd2NzParams& intriParams, TWIN_HERE) {
    static_assert(sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4,
                  "DataCopy with Nd2NzParams takes types of 4, 8, 16 or 32 bits");
    TWIN_USES_CUBE;
    twin::cube::CopyNd2Nz(dst, src, intriParams, sizeof(T), here);
}

/// Fills L1 (blocks of 32 B, pipe MTE2), L0A or L0B (blocks of 512 B, pipe MTE1) with one value.
template <typename T, typename U = T>
inline void InitConstValue(const LocalTensor<T>& dst,
                           const InitConstValueParams<U>& initConstValueParams, TWIN_HERE) {
    static_assert(
        std::is_same<T, U>::value &&
            twin::kOneOf<T, half, int16_t, uint16_t, bfloat16_t, int32_t, uint32_t, float>,
        "InitConstValue takes half, bfloat16_t, int16_t, uint16_t, int32_t, uint32_t and "
        "float, the value in the tensor's type");
    TWIN_USES_CUBE;
    uint32_t pattern = 0;
    std::memcpy(&pattern, &initConstValueParams.initValue, sizeof(T));
    pattern |= sizeof(T) == 2 ? pattern << 16 : 0;
    twin::cube::FillBlocks(dst, initConstValueParams.repeatTimes, initConstValueParams.blockNum,
                           initConstValueParams.dstGap, pattern, twin::kDtypeOf<T>, here);
}

/// The newer name of InitConstValue.
template <typename T, typename U = T>
inline void Fill(const LocalTensor<T>& dst, const InitConstValueParams<U>& initConstValueParams,
                 TWIN_HERE) {
    InitConstValue<T, U>(dst, initConstValueParams, here);
}

}  // namespace AscendC
