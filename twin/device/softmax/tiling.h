// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/softmax/task.h"
#include "kernel_tiling/advanced_tilings.h"

// Computes how the library splits a softmax so that it fits into a temporary buffer of `room`
// floats. This serves host tiling functions and kernels that compute the tiling themselves.
namespace twin::softmax {

constexpr uint32_t kTileRows = 8;
constexpr uint32_t kTileColumns = 64;
constexpr uint32_t kRepeatLimit = kTileColumns * 256;  ///< fewer elements than this fit 255 repeats

constexpr uint32_t Least(uint32_t a, uint32_t b) { return a < b ? a : b; }

constexpr bool IsBasic(uint32_t m, uint32_t k) {
    return m % kTileRows == 0 && k % kTileColumns == 0;
}

/// For basic blocks: reduces `rows` until m % rows == 0 and one instruction can process the rows.
constexpr uint32_t BasicRows(uint32_t rows, uint32_t m, uint32_t k) {
    if (rows <= kTileRows || !IsBasic(m, k)) {
        return rows;
    }
    rows = rows / kTileRows * kTileRows;
    while (m % rows != 0) {
        rows -= kTileRows;
    }
    while (rows * k >= kRepeatLimit) {
        rows /= 2;
    }
    return rows;
}

/// Returns min(rows, m). If `rows` is less than m, first rounds it down to a multiple of `unit`.
constexpr uint32_t WholeGroups(uint32_t rows, uint32_t m, uint32_t unit) {
    return Least(rows < m && rows > unit ? rows / unit * unit : rows, m);
}

/// Returns the tiling for `rows` rows at once; `block` is the number of sums or maxima in 32 B.
constexpr SoftMaxTiling MakeTiling(uint32_t m, uint32_t k, uint32_t block, uint32_t rows) {
    SoftMaxTiling t;
    t.srcM = m;
    t.srcK = k;
    t.srcSize = m * k;
    t.outMaxM = m;
    t.outMaxK = block;
    t.outMaxSize = m * block;
    t.splitM = rows;
    t.splitK = k;
    t.splitSize = rows * k;
    t.reduceM = rows;
    t.reduceK = block;
    t.reduceSize = rows * block;
    t.rangeM = rows == 0 ? 0 : m / rows;
    t.tailM = rows == 0 ? 0 : m % rows;
    t.tailSplitSize = t.tailM * k;
    t.tailReduceSize = t.tailM * block;
    return t;
}

/// Returns how many floats of scratch memory SoftmaxFlashV2 needs per row, except for basic blocks.
constexpr uint32_t FlashV2Row(uint32_t k, uint32_t block, bool half) {
    return half ? 2 * block + k + kTileColumns : block + kTileColumns;
}

constexpr SoftMaxTiling FlashV2Tiling(uint32_t m, uint32_t k, uint32_t typeSize, uint32_t statSize,
                                      uint32_t room, bool basic, bool nz, bool packed) {
    const uint32_t block = 32 / statSize;
    const bool half = typeSize == 2;
    uint32_t rows = room / FlashV2Row(k, block, half);
    if (nz) {
        rows = room / (3 * 16 + k);
    } else if (basic && IsBasic(m, k)) {
        const uint32_t row = half ? block + k + kTileColumns : block + kTileColumns;
        rows = BasicRows(Least(room / row, m), m, k);
    }
    return MakeTiling(m, k, block, WholeGroups(rows, m, packed && half ? 16 : kTileRows));
}

}  // namespace twin::softmax

namespace AscendC {

/// Returns the tiling of SoftmaxFlashV2 for a buffer of localWorkSpaceSize floats. Attention
/// kernels call this inner function instead of the public one.
constexpr SoftMaxTiling SoftMaxFlashV2TilingFuncImpl(
    const uint32_t srcM, const uint32_t srcK, const uint32_t dataTypeSize1,
    const uint32_t dataTypeSize2, const uint32_t localWorkSpaceSize,
    const bool /*isUpdate*/ = false, const bool isBasicBlock = false,
    const bool isDataFormatNZ = false, const bool isFlashOutputBrc = false) {
    return ::twin::softmax::FlashV2Tiling(srcM, srcK, dataTypeSize1, dataTypeSize2,
                                          localWorkSpaceSize, isBasicBlock, isDataFormatNZ,
                                          isFlashOutputBrc);
}
/// Returns the tiling of SoftmaxFlashV2 for a buffer of localWorkSpaceSize bytes.
constexpr SoftMaxTiling SoftMaxFlashV2TilingFunc(
    const SoftMaxShapeInfo& shapeInfo, const uint32_t dataTypeSize1, const uint32_t dataTypeSize2,
    const uint32_t localWorkSpaceSize, const bool /*isUpdate*/ = false,
    const bool isBasicBlock = false, const bool isDataFormatNZ = false,
    const bool isFlashOutputBrc = false) {
    return ::twin::softmax::FlashV2Tiling(shapeInfo.srcM, shapeInfo.srcK, dataTypeSize1,
                                          dataTypeSize2, localWorkSpaceSize / 4, isBasicBlock,
                                          isDataFormatNZ, isFlashOutputBrc);
}

}  // namespace AscendC
