// SPDX-License-Identifier: Apache-2.0
// The tiling that Pad and UnPad of the chip's library need: how rows, columns and scratch are cut.
#include "tiling/pad/pad_tiling.h"

#include "core/tmp_size.h"

namespace {

constexpr uint32_t kBlock = 32;      // bytes of a block
constexpr uint32_t kGroup = 16;      // rows that are transposed at once
constexpr uint32_t kRepeats = 255;   // repeats of an instruction
constexpr uint32_t kSpreads = 254;   // repeats of Brcb, so that its sources stay aligned
constexpr uint32_t kSpreadSize = 8;  // elements of one repeat of Brcb

/// Splits the scratch into two halves of whole groups: the blocks of each half, and the elements of
/// the first.
struct Scratch {
    Scratch(uint32_t bytes, uint32_t typeSize) {
        blocks = bytes / (kGroup * kBlock) / 2;
        elements = blocks * (kGroup * kBlock / typeSize);
    }
    uint32_t blocks;
    uint32_t elements;
};

void CutRows(uint32_t height, uint32_t width, uint32_t typeSize, optiling::PadTiling& tiling) {
    const uint32_t perBlock = kBlock / typeSize;
    tiling.set_widthWithoutLastBlock(width - perBlock);
    tiling.set_blocksPerRow(width / perBlock);
    tiling.set_heightTiling(kRepeats);
    tiling.set_heightFractal(height / kRepeats);
    tiling.set_heightFractalTail(height % kRepeats);
    tiling.set_mainLoopOffset(kRepeats * width);
    tiling.set_tailBlockOffset(height / kRepeats * kRepeats * width + width - perBlock);
}

void CutScratch(uint32_t height, uint32_t width, uint32_t typeSize, const Scratch& scratch,
                optiling::PadTiling& tiling) {
    const uint32_t perBlock = kBlock / typeSize;
    const uint32_t piece = kGroup * scratch.blocks;
    const uint32_t tail = width % piece;
    const uint32_t rest = height * width % piece;
    tiling.set_tmpBuffer1BlockNum(scratch.blocks);
    tiling.set_tmpBuffer1RowNum(piece);
    tiling.set_tmpBuffer2Offset(scratch.elements);
    tiling.set_widthTiling(piece);
    tiling.set_widthFractal(width / piece);
    tiling.set_widthFractalTail(tail);
    tiling.set_widthFractalTailAlingned((tail + perBlock - 1) / perBlock * perBlock);
    tiling.set_brcbTiling(piece);
    tiling.set_brcbFractal(height * width / piece);
    tiling.set_brcbFractalTail(rest);
    tiling.set_maxRepeatTimes(kSpreads);
    tiling.set_brcbTilingRepeatTimes(piece / kSpreadSize / kSpreads);
    tiling.set_brcbTilingRepeatTimesTail(piece / kSpreadSize % kSpreads);
    tiling.set_brcbFractalTailRepeatTimes(rest / kSpreadSize / kSpreads);
    tiling.set_brcbFractalTailRepeatTimesTail(rest / kSpreadSize % kSpreads);
}

bool Matrix(const ge::Shape& shape) { return shape.GetDimNum() == 2 && shape.GetShapeSize() > 0; }

}  // namespace

namespace AscendC {

void GetPadMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, uint32_t& maxValue,
                         uint32_t& minValue) {
    (void)typeSize;  // the unit is a block of 32 B, for any type
    if (Matrix(srcShape)) {
        const twin::advanced::TmpSize size = twin::advanced::PadTmp(
            static_cast<uint64_t>(srcShape.GetDim(0)), static_cast<uint64_t>(srcShape.GetDim(1)));
        maxValue = static_cast<uint32_t>(size.max);
        minValue = static_cast<uint32_t>(size.min);
    }
}

void PadTilingFunc(const ge::Shape srcShape, const ge::Shape oriSrcShape,
                   const uint32_t stackBufferSize, const uint32_t typeSize,
                   optiling::PadTiling& tiling) {
    if (!Matrix(srcShape) || !Matrix(oriSrcShape) || typeSize == 0) {
        return;
    }
    const auto height = static_cast<uint32_t>(srcShape.GetDim(0));
    const auto width = static_cast<uint32_t>(srcShape.GetDim(1));
    tiling.set_srcHeight(height);
    tiling.set_srcWidth(width);
    tiling.set_srcOriWidth(static_cast<uint32_t>(oriSrcShape.GetDim(1)));
    CutRows(height, width, typeSize, tiling);
    const Scratch scratch(stackBufferSize, typeSize);
    if (scratch.blocks != 0) {
        CutScratch(height, width, typeSize, scratch, tiling);
    }
}

void GetUnPadMaxMinTmpSize(const platform_ascendc::PlatformAscendC&, const ge::Shape&,
                           const uint32_t, uint32_t& maxValue, uint32_t& minValue) {
    maxValue = minValue = 0;
}

void UnPadTilingFunc(const ge::Shape srcShape, const uint32_t stackBufferSize,
                     const uint32_t typeSize, optiling::UnPadTiling& tiling) {
    if (!Matrix(srcShape) || typeSize == 0) {
        return;
    }
    const auto width = static_cast<uint32_t>(srcShape.GetDim(1));
    tiling.set_srcHeight(static_cast<uint32_t>(srcShape.GetDim(0)));
    tiling.set_srcWidth(width);
    const Scratch scratch(stackBufferSize, typeSize);
    if (scratch.blocks == 0) {
        return;
    }
    const uint32_t piece = kGroup * scratch.blocks;
    tiling.set_tmpBuffer1BlockNum(scratch.blocks);
    tiling.set_tmpBuffer1RowNum(piece);
    tiling.set_tmpBuffer2Offset(scratch.elements);
    tiling.set_widthTiling(piece);
    tiling.set_widthFractal((width + piece - 1) / piece);
    tiling.set_widthFractalTail(width % piece == 0 ? piece : width % piece);
}

}  // namespace AscendC
