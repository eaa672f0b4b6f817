// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "host/advanced/fields.h"

namespace AscendC {
namespace {

using twin::host::Dim, twin::host::kBlock, twin::host::kFloats, twin::host::kFloatSize,
    twin::host::Up;

uint32_t BitsOf(float value) {
    uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof(bits));
    return bits;
}

bool FitsRmsNorm(const ge::Shape& shape, const ge::Shape& origin, uint32_t typeSize, bool basic) {
    const uint32_t rows = Dim(shape, 0) * Dim(shape, 1);
    const uint32_t h = Dim(shape, 2);
    const uint32_t valid = Dim(origin, 2);
    if (shape.GetDimNum() != 3 || origin.GetDimNum() != 3 || Dim(shape, 0) != Dim(origin, 0) ||
        Dim(shape, 1) != Dim(origin, 1) || h < valid || valid == 0 || h * typeSize % kBlock != 0) {
        return false;
    }
    return !basic || (h % 64 == 0 && rows % 8 == 0 && h < 2048);
}

uint32_t GradPieces(uint32_t typeSize, bool reuse) {
    if (typeSize == 2) {
        return 9;
    }
    return reuse ? 4 : 6;
}

/// Sets the positions of LayerNormGrad's scratch buffers; each buffer has `once` floats.
void PlaceGrad(::LayerNormGradTiling* t, uint32_t once, uint32_t typeSize, bool reuse) {
    const bool inOperands = reuse && typeSize == kFloatSize;
    t->pdVarTensorPos = once;
    t->pdMeanTensorPos = 2 * once;
    t->x1TensorPos = inOperands ? 0 : 3 * once;
    t->x2TensorPos = inOperands ? 0 : 4 * once;
    t->x3TensorPos = inOperands ? 3 * once : 5 * once;
    if (typeSize == 2) {
        t->tmpTensorPos = 6 * once;
        t->tmpTensor1Pos = 7 * once;
        t->tmpTensor2Pos = 8 * once;
    }
    t->tmpTensorBSHSize = t->pdVarTensorSize = t->pdMeanTensorSize = once;
    t->x1TensorSize = t->x2TensorSize = t->x3TensorSize = once;
    t->tmpTensorSize = t->tmpTensor1Size = t->tmpTensor2Size = once;
}

}  // namespace

bool GetRmsNormMaxMinTmpSize(const ge::Shape& srcShape, uint32_t typeSize, uint32_t& maxValue,
                             uint32_t& minValue, bool isBasicBlock) {
    const uint32_t rows = Dim(srcShape, 0) * Dim(srcShape, 1);
    const uint32_t h = Dim(srcShape, 2);
    if (isBasicBlock && (h % 64 != 0 || rows % 8 != 0 || h >= 2048)) {
        return false;
    }
    const uint32_t copies = typeSize == 2 ? 2 : 1;
    maxValue = (rows * h * copies + Up(rows, kBlock / typeSize)) * kFloatSize;
    minValue = (h * copies + kFloats) * kFloatSize;
    return true;
}

bool GetRmsNormTilingInfo(const ge::Shape& srcShape, const ge::Shape& originSrcShape,
                          uint32_t stackBufferByteSize, uint32_t typeSize,
                          TWIN_TILING_OUT(RmsNormTiling) tiling, bool isBasicBlock) {
    const uint32_t rows = Dim(srcShape, 0) * Dim(srcShape, 1);
    const uint32_t h = Dim(srcShape, 2);
    const uint32_t copies = typeSize == 2 ? 2 : 1;
    const uint32_t room = stackBufferByteSize / kFloatSize;
    if (!FitsRmsNorm(srcShape, originSrcShape, typeSize, isBasicBlock) || rows == 0 ||
        room < h * copies + kFloats) {
        return false;
    }
    uint32_t once = 1;
    while (once < rows && room >= (once + 1) * h * copies + Up(once + 1, kFloats)) {
        ++once;
    }
    if (isBasicBlock) {
        once = once < 8 ? once : once / 8 * 8;
    } else {
        once = std::min(once, 255U);
    }
    ::RmsNormTiling plain;
    plain.bLength = Dim(srcShape, 0);
    plain.sLength = Dim(srcShape, 1);
    plain.hLength = h;
    plain.originalHLength = Dim(originSrcShape, 2);
    plain.reciprocalOfHLength = 1.0F / static_cast<float>(plain.originalHLength);
    plain.mainBshLength = once * h;
    plain.mainBsLength = once;
    plain.mainBsLengthAlign = Up(once, kFloats);
    plain.loopRound = rows / once;
    plain.tailBsLength = rows % once;
    plain.tailBshLength = plain.tailBsLength * h;
    plain.inputTailPos = rows * h - plain.tailBshLength;
    tiling = plain;
    return true;
}

bool GetBatchNormMaxMinTmpSize(const ge::Shape& srcShape, const ge::Shape& originSrcShape,
                               uint32_t typeSize, bool, uint32_t& maxValue, uint32_t& minValue,
                               bool isBasicBlock) {
    const uint32_t columns = Dim(srcShape, 1) * Dim(srcShape, 2);
    const uint32_t b = Dim(originSrcShape, 0);
    if (isBasicBlock && (columns % 64 != 0 || b % 8 != 0)) {
        return false;
    }
    const uint32_t stats = 2 * Up(columns * kFloatSize, kBlock);
    const uint32_t piece = isBasicBlock ? 64 * kFloatSize : typeSize == 2 ? 64 : kBlock;
    maxValue = 3 * Up(b * columns * kFloatSize, kBlock) + stats;
    minValue = 3 * b * piece + stats;
    return true;
}

bool GetBatchNormNDTilingInfo(const ge::Shape& srcShape, const ge::Shape& originSrcShape,
                              uint32_t stackBufferByteSize, uint32_t typeSize, bool isReuseSource,
                              TWIN_TILING_OUT(BatchNormTiling) tiling, bool isBasicBlock) {
    const uint32_t columns = Dim(srcShape, 1) * Dim(srcShape, 2);
    const uint32_t b = Dim(originSrcShape, 0);
    uint32_t most = 0;
    uint32_t least = 0;
    if (srcShape.GetDimNum() != 3 || originSrcShape.GetDimNum() != 3 || b == 0 ||
        columns * typeSize % kBlock != 0 ||
        !GetBatchNormMaxMinTmpSize(srcShape, originSrcShape, typeSize, isReuseSource, most, least,
                                   isBasicBlock) ||
        stackBufferByteSize < least) {
        return false;
    }
    const uint32_t before = typeSize == kFloatSize ? 0 : 2 * Up(columns, kFloats);
    const uint32_t room = (stackBufferByteSize / kFloatSize - before) / 3;
    const uint32_t unit = kBlock / typeSize;
    uint32_t once = std::min(room / (b * unit) * unit, columns);
    once = isBasicBlock ? once / 64 * 64 : once;
    if (once == 0) {
        return false;
    }
    ::BatchNormTiling plain;
    plain.originalBLength = b;
    plain.meanVarSize = columns;
    plain.varianceTmpTensorPos = Up(columns, kFloats);
    plain.tmpBufSize = stackBufferByteSize / kFloatSize;
    plain.oneTmpSize = once * b;
    plain.firstTmpStartPos = before;
    plain.secondTmpStartPos = before + once * b;
    plain.thirdTmpStartPos = before + 2 * once * b;
    plain.loopRound = columns / once;
    plain.meanVarTailSize = columns % once;
    plain.inputTailSize = plain.meanVarTailSize * b;
    plain.inputTailPos = columns - plain.meanVarTailSize;
    plain.meanVarTailPos = columns - plain.meanVarTailSize;
    plain.bshCurLength = once * b;
    plain.shCurLength = once;
    plain.firstDimValueBack = 1.0F / static_cast<float>(b);
    plain.castHalfRepStride = 4;
    plain.shCurLengthBlockNum = once / kFloats;
    plain.castHalfOutRepStride = columns / 16;
    tiling = plain;
    return true;
}

void GetLayerNormGradMaxMinTmpSize(const ge::Shape& srcShape, uint32_t typeSize, bool isReuseSource,
                                   uint32_t& maxValue, uint32_t& minValue) {
    const uint32_t h = Dim(srcShape, 2);
    const uint32_t all = Dim(srcShape, 0) * Dim(srcShape, 1) * h;
    const uint32_t piece = GradPieces(typeSize, isReuseSource) * typeSize;
    maxValue = std::max(all, h * h) * piece;
    minValue = std::min(all, h * h) * piece;
}

void GetLayerNormGradNDTilingInfo(const ge::Shape srcShape, uint32_t stackBufferSize,
                                  uint32_t typeSize, bool isReuseSource,
                                  TWIN_TILING_OUT(LayerNormGradTiling) tiling) {
    const uint32_t h = Dim(srcShape, 2);
    const uint32_t pieces = GradPieces(typeSize, isReuseSource);
    const uint32_t rows = h == 0 ? 0 : stackBufferSize / kFloatSize / pieces / h;
    const uint32_t once = rows == 0 ? 0 : Up(rows, kBlock / typeSize) * h;
    if (once == 0) {
        return;
    }
    ::LayerNormGradTiling plain;
    PlaceGrad(&plain, once, typeSize, isReuseSource);
    plain.stackBufferSize = stackBufferSize;
    plain.bLength = Dim(srcShape, 0);
    plain.sLength = Dim(srcShape, 1);
    plain.hLength = h;
    plain.originalHLength = Dim(srcShape, 3);
    plain.oneCalSize = once;
    plain.nohCalSize = once / h;
    plain.loopNum = plain.bLength * plain.sLength * h / once;
    plain.tailSize = plain.bLength * plain.sLength * h % once;
    plain.nohTailSize = plain.tailSize / h;
    plain.lastDimValueBack = BitsOf(1.0F / static_cast<float>(plain.originalHLength));
    plain.lastDimValueBackMulTwo = BitsOf(2.0F / static_cast<float>(plain.originalHLength));
    tiling = plain;
}

void GetLayerNormGradBetaMaxMinTmpSize(const ge::Shape& srcShape, uint32_t typeSize, bool,
                                       uint32_t& maxValue, uint32_t& minValue) {
    const uint32_t row = Dim(srcShape, 2) * kFloatSize * (typeSize == 2 ? 4 : 2);
    maxValue = Dim(srcShape, 0) * Dim(srcShape, 1) * row;
    minValue = row;
}

void GetLayerNormGradBetaNDTilingInfo(const ge::Shape srcShape, uint32_t stackBufferSize,
                                      uint32_t typeSize, bool,
                                      TWIN_TILING_OUT(LayerNormGradBetaTiling) tiling) {
    const uint32_t rows = Dim(srcShape, 0) * Dim(srcShape, 1);
    const uint32_t h = Dim(srcShape, 2);
    const uint32_t room = stackBufferSize / kFloatSize;
    const bool half = typeSize == 2;
    if (rows == 0 || h == 0 || room < 2 * h) {
        return;
    }
    const uint32_t once = std::min((half ? (room - 2 * h) / 2 : room) / h, rows) * h;
    if (once == 0) {
        return;
    }
    ::LayerNormGradBetaTiling plain;
    plain.stackBufferSize = room;
    plain.bLength = Dim(srcShape, 0);
    plain.sLength = Dim(srcShape, 1);
    plain.hLength = h;
    plain.originalHLength = Dim(srcShape, 3);
    plain.bshLength = rows * h;
    plain.bsLength = rows;
    plain.oneCalSize = once;
    plain.numberOfTmpBuf = half ? 2 : 1;
    plain.loopRound = rows * h / once;
    plain.inputTailSize = rows * h % once;
    plain.inputTailPos = rows * h - plain.inputTailSize;
    plain.bsTailSize = plain.inputTailSize / h;
    plain.bshCurLength = once;
    plain.bsCurLength = once / h;
    if (half) {
        plain.betaTempTensorPos = h;
        plain.inputDyTmpTensorPos = 2 * h;
        plain.resForGammaTmpTensorPos = 2 * h + once;
    }
    tiling = plain;
}

void GetNormalizeMaxMinTmpSize(const ge::Shape& srcShape, uint32_t typeSizeU, uint32_t typeSizeT,
                               bool, bool, bool, uint32_t& maxValue, uint32_t& minValue) {
    const uint32_t rows = Dim(srcShape, 0);
    const uint32_t pitch = Up(Dim(srcShape, 1), typeSizeT == 0 ? 1 : kBlock / typeSizeT);
    const uint32_t row = Up(pitch * kFloatSize, kBlock);
    const uint32_t rowsLeast = (typeSizeU == kFloatSize ? 2 : 4) * row;
    maxValue = 2 * row + 2 * Up(Up(rows, 8) * pitch * kFloatSize, kBlock);
    minValue = std::max(Up(rows * kFloatSize, kBlock), rowsLeast);
}

void GetWelfordUpdateMaxMinTmpSize(const ge::Shape& srcShape, uint32_t typeSizeT, uint32_t,
                                   bool isReuseSource, bool, uint32_t& maxValue,
                                   uint32_t& minValue) {
    const uint32_t buffers = typeSizeT == 2 ? 3 : isReuseSource ? 1 : 2;
    minValue = buffers * 256;
    maxValue = Up(Dim(srcShape, 0) * Dim(srcShape, 1), 64) / 64 * minValue;
}

void GetWelfordFinalizeMaxMinTmpSize(const ge::Shape& srcShape, uint32_t, bool, uint32_t& maxValue,
                                     uint32_t& minValue) {
    const uint32_t elements = Dim(srcShape, 0);
    if (elements == 0 || elements % kFloats != 0) {
        return;
    }
    minValue = 4 * 64 * kFloatSize;
    maxValue = std::max(minValue, (2 * 64 + 2 * elements) * kFloatSize);
}

}  // namespace AscendC
