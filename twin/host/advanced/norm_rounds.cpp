// SPDX-License-Identifier: Apache-2.0
// Tilings of normalizations that process as many whole rows at once as the scratch has room for.
#include <algorithm>
#include <utility>

#include "host/advanced/fields.h"

namespace AscendC {
namespace {

using twin::host::Dim, twin::host::kBlock, twin::host::kFloats, twin::host::kFloatSize,
    twin::host::Up;

uint32_t Pieces(uint32_t typeSize, bool reuse) { return reuse && typeSize == kFloatSize ? 2 : 3; }

/// Returns how many floats each of `pieces` scratch buffers has. If the elements are half, the
/// scratch begins with the means and variances of `stats` rows.
uint32_t PieceRoom(uint32_t bytes, uint32_t stats, uint32_t typeSize, uint32_t pieces) {
    const uint32_t room = bytes / kFloatSize;
    const uint32_t before = typeSize == kFloatSize ? 0 : 2 * stats;
    return room > before ? (room - before) / pieces : 0;
}

/// Sets the tiling fields that LayerNorm, DeepNorm and GroupNorm share, for `rows` rows of `row`
/// elements.
template <typename Tiling>
void SetRounds(Tiling* t, uint32_t rows, uint32_t row, uint32_t once, uint32_t typeSize,
               uint32_t pieces, uint32_t bytes) {
    const uint32_t stats = Up(rows, kFloats);
    const uint32_t all = rows * row;
    t->inputXSize = all;
    t->meanVarSize = rows;
    t->numberOfTmpBuf = pieces;
    t->meanTmpTensorSize = stats;
    t->varianceTmpTensorPos = stats;
    t->varianceTmpTensorSize = stats;
    t->tmpBufSize = bytes / kFloatSize;
    t->oneTmpSize = once;
    t->firstTmpStartPos = typeSize == kFloatSize ? 0 : 2 * stats;
    t->secondTmpStartPos = t->firstTmpStartPos + once;
    t->thirdTmpStartPos = t->secondTmpStartPos + once;
    t->loopRound = all / once;
    t->inputRoundSize = once;
    t->inputTailSize = all % once;
    t->inputTailPos = all - t->inputTailSize;
    t->meanVarRoundSize = once / row;
    t->meanVarTailSize = t->inputTailSize / row;
    t->meanVarTailPos = rows - t->meanVarTailSize;
    t->bshCurLength = once;
    t->bsCurLength = once / row;
}

template <typename Tiling>
void SetShape(Tiling* t, const ge::Shape& shape, uint32_t valid) {
    t->bLength = Dim(shape, 0);
    t->sLength = Dim(shape, 1);
    t->hLength = Dim(shape, 2);
    t->originalHLength = valid;
    t->lastDimValueBack = 1.0F / static_cast<float>(valid);
}

void RoundsScratch(const ge::Shape& shape, uint32_t typeSize, bool reuse, uint32_t& most,
                   uint32_t& least) {
    const uint32_t rows = Dim(shape, 0) * Dim(shape, 1);
    const uint32_t stats = 2 * Up(rows * kFloatSize, kBlock);
    const uint32_t pieces = Pieces(typeSize, reuse);
    most = pieces * Up(rows * Dim(shape, 2) * kFloatSize, kBlock) + stats;
    least = pieces * Up(Dim(shape, 2) * kFloatSize, kBlock) + stats;
}

bool IsBasicShape(const ge::Shape& shape) {
    const uint32_t h = Dim(shape, 2);
    return h > 0 && h % 64 == 0 && Dim(shape, 0) * Dim(shape, 1) % 8 == 0;
}

bool FitsDeepNorm(const ge::Shape& shape, const ge::Shape& origin, uint32_t typeSize, bool basic) {
    const uint32_t h = Dim(shape, 2);
    const uint32_t valid = Dim(origin, 2);
    return Dim(shape, 0) == Dim(origin, 0) && Dim(shape, 1) == Dim(origin, 1) &&
           h * typeSize % kBlock == 0 && valid > 0 && valid <= h && (!basic || valid == h) &&
           h <= 2040;
}

/// Returns the largest number of groups of `size` floats that one reduction can process.
uint32_t SmallGroups(uint32_t size) {
    uint32_t mask = std::min(size, 64U);
    while (size % mask != 0) {
        mask -= 8;
    }
    return 255 / (size / mask) / 8 * 8;
}

bool IsSmall(uint32_t plane, uint32_t size) {
    uint32_t repeats = 8;
    while (size / kFloats % repeats != 0) {
        --repeats;
    }
    return plane <= 64 && size <= 64 * repeats;
}

}  // namespace

void GetLayerNormMaxMinTmpSize(const ge::Shape& srcShape, uint32_t typeSize, bool isReuseSource,
                               uint32_t& maxValue, uint32_t& minValue) {
    RoundsScratch(srcShape, typeSize, isReuseSource, maxValue, minValue);
}

void GetLayerNormNDTilingInfo(const ge::Shape& srcShape, uint32_t stackBufferSize,
                              uint32_t typeSize, bool isReuseSource,
                              TWIN_TILING_OUT(LayerNormTiling) tiling) {
    const uint32_t rows = Dim(srcShape, 0) * Dim(srcShape, 1);
    const uint32_t h = Dim(srcShape, 2);
    const uint32_t pieces = Pieces(typeSize, isReuseSource);
    const uint32_t room = PieceRoom(stackBufferSize, Up(rows, kFloats), typeSize, pieces);
    if (rows == 0 || h == 0 || room < h) {
        return;
    }
    ::LayerNormTiling plain;
    SetShape(&plain, srcShape, Dim(srcShape, 3));
    SetRounds(&plain, rows, h, std::min(room / h, rows) * h, typeSize, pieces, stackBufferSize);
    tiling = plain;
}

void GetLayerNormNDTillingInfo(const ge::Shape& srcShape, uint32_t stackBufferSize,
                               uint32_t typeSize, bool isReuseSource,
                               TWIN_TILING_OUT(LayerNormTiling) tilling) {
    GetLayerNormNDTilingInfo(srcShape, stackBufferSize, typeSize, isReuseSource,
                             std::move(tilling));
}

void GetLayerNormMaxMinTmpSize(const ge::Shape& srcShape, uint32_t typeSize, bool isReuseSource,
                               bool isComputeRstd, bool isOnlyOutput, uint32_t& maxValue,
                               uint32_t& minValue) {
    const uint32_t rows = Dim(srcShape, 0);
    const uint32_t row = Up(Dim(srcShape, 1) * typeSize, kBlock) / typeSize * kFloatSize;
    const uint32_t stats = Up(rows * kFloatSize, kBlock);
    uint32_t most = 0;
    uint32_t least = 0;
    GetNormalizeMaxMinTmpSize(srcShape, typeSize, typeSize, isReuseSource, isComputeRstd,
                              isOnlyOutput, most, least);
    maxValue = std::max(2 * Up(rows * row, kBlock), most) + stats;
    minValue = std::max(2 * Up(row, kBlock), least) + stats;
}

void GetLayerNormNDTilingInfo(const ge::Shape& srcShape, uint32_t stackBufferSize,
                              uint32_t typeSize, bool, bool,
                              TWIN_TILING_OUT(LayerNormSeparateTiling) tiling) {
    const uint32_t rows = Dim(srcShape, 0);
    const uint32_t valid = Dim(srcShape, 1);
    const uint32_t row = Up(valid * typeSize, kBlock) / typeSize;
    const uint32_t stats = Up(rows, kFloats);
    const uint32_t room = PieceRoom(stackBufferSize, stats / 2, 2, 2);
    if (rows == 0 || row == 0 || room < row) {
        return;
    }
    const uint32_t once = std::min(room / row, rows) * row;
    const uint32_t tail = rows * row % once;
    ::LayerNormSeparateTiling plain;
    plain.aLength = rows;
    plain.rLength = valid;
    plain.inputXSize = rows * row;
    plain.meanVarSize = rows;
    plain.numberOfTmpBuf = 2;
    plain.varianceTmpTensorSize = stats;
    plain.tmpBufSize = stackBufferSize / kFloatSize;
    plain.oneTmpSize = once;
    plain.firstTmpStartPos = stats;
    plain.secondTmpStartPos = stats + once;
    plain.loopRound = rows * row / once;
    plain.inputRoundSize = once;
    plain.inputTailSize = tail;
    plain.inputTailPos = rows * row - tail;
    plain.meanVarRoundSize = once / row;
    plain.meanVarTailSize = tail / row;
    plain.meanVarTailPos = rows - tail / row;
    plain.arCurLength = once;
    plain.aCurLength = once / row;
    plain.rValueBack = 1.0F / static_cast<float>(valid);
    tiling = plain;
}

bool GetDeepNormMaxMinTmpSize(const ge::Shape& srcShape, uint32_t typeSize, bool isReuseSource,
                              bool isBasicBlock, uint32_t& maxValue, uint32_t& minValue) {
    if (isBasicBlock && !IsBasicShape(srcShape)) {
        return false;
    }
    RoundsScratch(srcShape, typeSize, isReuseSource, maxValue, minValue);
    return true;
}

bool GetDeepNormTilingInfo(const ge::Shape& srcShape, const ge::Shape& originSrcShape,
                           uint32_t stackBufferSize, uint32_t typeSize, bool isReuseSource,
                           bool isBasicBlock, TWIN_TILING_OUT(DeepNormTiling) tiling) {
    uint32_t most = 0;
    uint32_t least = 0;
    if (!GetDeepNormMaxMinTmpSize(srcShape, typeSize, isReuseSource, isBasicBlock, most, least) ||
        stackBufferSize < least ||
        !FitsDeepNorm(srcShape, originSrcShape, typeSize, isBasicBlock)) {
        return false;
    }
    const uint32_t rows = Dim(srcShape, 0) * Dim(srcShape, 1);
    const uint32_t h = Dim(srcShape, 2);
    const uint32_t pieces = Pieces(typeSize, isReuseSource);
    const uint32_t room = PieceRoom(stackBufferSize, Up(rows, kFloats), typeSize, pieces);
    // NOLINTNEXTLINE(clang-analyzer-core.DivideZero): FitsDeepNorm has refused h = 0
    uint32_t once = std::min(room / h, rows);
    if (isBasicBlock && once >= 8) {
        once = once / 8 * 8;
    }
    if (once == 0) {
        return false;
    }
    ::DeepNormTiling plain;
    SetShape(&plain, srcShape, Dim(originSrcShape, 2));
    SetRounds(&plain, rows, h, once * h, typeSize, pieces, stackBufferSize);
    tiling = plain;
    return true;
}

void GetGroupNormMaxMinTmpSize(const ge::Shape& srcShape, uint32_t typeSize, bool isReuseSource,
                               uint32_t groupNum, uint32_t& maxValue, uint32_t& minValue) {
    const uint32_t n = Dim(srcShape, 0);
    const uint32_t c = Dim(srcShape, 1);
    const uint32_t plane = Up(Dim(srcShape, 2) * Dim(srcShape, 3) * typeSize, kBlock) / typeSize;
    const uint32_t stats = 2 * Up(n * groupNum * kFloatSize, kBlock);
    const uint32_t pieces = Pieces(typeSize, isReuseSource);
    maxValue = pieces * n * c * plane * kFloatSize + stats;
    minValue = pieces * (c / groupNum) * plane * kFloatSize + stats;
}

void GetGroupNormNDTilingInfo(const ge::Shape& srcShape, uint32_t stackBufferSize,
                              uint32_t typeSize, bool isReuseSource, uint32_t groupNum,
                              TWIN_TILING_OUT(GroupNormTiling) tiling) {
    ::GroupNormTiling plain;
    plain.n = Dim(srcShape, 0);
    plain.c = Dim(srcShape, 1);
    plain.hw = Dim(srcShape, 2) * Dim(srcShape, 3);
    plain.g = groupNum;
    plain.d = plain.c / groupNum;
    plain.hwAlignSize = Up(plain.hw * typeSize, kBlock) / typeSize;
    plain.dhwAlignSize = plain.d * plain.hwAlignSize;
    const uint32_t rows = plain.n * groupNum;
    const uint32_t row = plain.dhwAlignSize;
    if (rows == 0 || row == 0) {
        return;
    }
    const uint32_t pieces = Pieces(typeSize, isReuseSource);
    const uint32_t bytes = stackBufferSize / kBlock * kBlock;
    uint32_t once = PieceRoom(bytes, Up(rows, kFloats), typeSize, pieces) / row;
    plain.smallShape = IsSmall(plain.hwAlignSize, row);
    if (plain.smallShape) {
        once = std::min(once, SmallGroups(row));
    }
    if (once == 0 || (typeSize == 2 && once * row < plain.c)) {
        return;
    }
    SetRounds(&plain, rows, row, std::min(once, rows) * row, typeSize, pieces, bytes);
    plain.factor = 1.0F / static_cast<float>(plain.d * plain.hw);
    tiling = plain;
}

}  // namespace AscendC
