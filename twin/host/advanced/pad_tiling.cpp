// SPDX-License-Identifier: Apache-2.0
// Tilings of the library's Pad and UnPad: how they divide rows, columns and scratch.
#include "core/tmp_size.h"
#include "tiling/library_tilings.h"

namespace {

constexpr uint32_t kBlock = 32;      // bytes of a block
constexpr uint32_t kGroup = 16;      // rows that are transposed at once
constexpr uint32_t kRepeats = 255;   // largest number of repeats of an instruction
constexpr uint32_t kSpreads = 254;   // most repeats of a Brcb; 255 would misalign the next source
constexpr uint32_t kSpreadSize = 8;  // number of elements that one repeat of Brcb reads

/// Splits the scratch into two equal parts. Each part has `blocks` groups of 16 blocks. A part has
/// room for `elements` elements.
struct Scratch {
    Scratch(uint32_t bytes, uint32_t typeSize) {
        blocks = bytes / (kGroup * kBlock) / 2;
        elements = blocks * (kGroup * kBlock / typeSize);
    }
    uint32_t blocks;
    uint32_t elements;
};

void CutRows(uint32_t height, uint32_t width, uint32_t typeSize, ::PadTiling& plain) {
    const uint32_t perBlock = kBlock / typeSize;
    plain.widthWithoutLastBlock = width - perBlock;
    plain.blocksPerRow = width / perBlock;
    plain.heightTiling = kRepeats;
    plain.heightFractal = height / kRepeats;
    plain.heightFractalTail = height % kRepeats;
    plain.mainLoopOffset = kRepeats * width;
    plain.tailBlockOffset = height / kRepeats * kRepeats * width + width - perBlock;
}

void CutScratch(uint32_t height, uint32_t width, uint32_t typeSize, const Scratch& scratch,
                ::PadTiling& plain) {
    const uint32_t perBlock = kBlock / typeSize;
    const uint32_t piece = kGroup * scratch.blocks;
    const uint32_t tail = width % piece;
    const uint32_t rest = height * width % piece;
    plain.tmpBuffer1BlockNum = scratch.blocks;
    plain.tmpBuffer1RowNum = piece;
    plain.tmpBuffer2Offset = scratch.elements;
    plain.widthTiling = piece;
    plain.widthFractal = width / piece;
    plain.widthFractalTail = tail;
    plain.widthFractalTailAlingned = (tail + perBlock - 1) / perBlock * perBlock;
    plain.brcbTiling = piece;
    plain.brcbFractal = height * width / piece;
    plain.brcbFractalTail = rest;
    plain.maxRepeatTimes = kSpreads;
    plain.brcbTilingRepeatTimes = piece / kSpreadSize / kSpreads;
    plain.brcbTilingRepeatTimesTail = piece / kSpreadSize % kSpreads;
    plain.brcbFractalTailRepeatTimes = rest / kSpreadSize / kSpreads;
    plain.brcbFractalTailRepeatTimesTail = rest / kSpreadSize % kSpreads;
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
                   TWIN_TILING_OUT(PadTiling) tiling) {
    if (!Matrix(srcShape) || !Matrix(oriSrcShape) || typeSize == 0) {
        return;
    }
    const auto height = static_cast<uint32_t>(srcShape.GetDim(0));
    const auto width = static_cast<uint32_t>(srcShape.GetDim(1));
    ::PadTiling plain;
    plain.srcHeight = height;
    plain.srcWidth = width;
    plain.srcOriWidth = static_cast<uint32_t>(oriSrcShape.GetDim(1));
    CutRows(height, width, typeSize, plain);
    const Scratch scratch(stackBufferSize, typeSize);
    if (scratch.blocks != 0) {
        CutScratch(height, width, typeSize, scratch, plain);
    }
    tiling = plain;
}

void GetUnPadMaxMinTmpSize(const platform_ascendc::PlatformAscendC&, const ge::Shape&,
                           const uint32_t, uint32_t& maxValue, uint32_t& minValue) {
    maxValue = minValue = 0;
}

void UnPadTilingFunc(const ge::Shape srcShape, const uint32_t stackBufferSize,
                     const uint32_t typeSize, TWIN_TILING_OUT(UnPadTiling) tiling) {
    if (!Matrix(srcShape) || typeSize == 0) {
        return;
    }
    const auto width = static_cast<uint32_t>(srcShape.GetDim(1));
    ::UnPadTiling plain;
    plain.srcHeight = static_cast<uint32_t>(srcShape.GetDim(0));
    plain.srcWidth = width;
    const Scratch scratch(stackBufferSize, typeSize);
    if (scratch.blocks != 0) {
        const uint32_t piece = kGroup * scratch.blocks;
        plain.tmpBuffer1BlockNum = scratch.blocks;
        plain.tmpBuffer1RowNum = piece;
        plain.tmpBuffer2Offset = scratch.elements;
        plain.widthTiling = piece;
        plain.widthFractal = (width + piece - 1) / piece;
        plain.widthFractalTail = width % piece == 0 ? piece : width % piece;
    }
    tiling = plain;
}

}  // namespace AscendC
