// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "device/softmax/tiling.h"
#include "host/advanced/fields.h"

namespace AscendC {
namespace {

using twin::host::kFloatSize;
using twin::host::Matrix;
using namespace twin::softmax;

bool KnownMatrix(const Matrix& shape, uint32_t typeSize) {
    return shape.k > 0 && (typeSize == 2 || typeSize == 4);
}

/// Returns how many scratch floats one row needs: one block, the row's length and one repeat.
uint32_t PlainRow(const Matrix& shape, uint32_t typeSize) {
    return 32 / typeSize + shape.k + kTileColumns;
}

uint32_t FlashRow(const Matrix& shape, uint32_t typeSize, bool update) {
    return update ? 4 * (32 / typeSize) + 2 * shape.k : PlainRow(shape, typeSize);
}

uint32_t GradRow(const Matrix& shape, uint32_t typeSize, bool front) {
    const uint32_t block = 32 / typeSize;
    if (typeSize == 2) {
        return 2 * block + 3 * shape.k + kTileColumns;
    }
    return (front ? block : 2 * block) + shape.k + kTileColumns;
}

uint32_t FlashV2RowOf(uint32_t k, uint32_t typeSize, uint32_t statSize, bool basic) {
    const uint32_t block = 32 / statSize;
    if (!basic) {
        return FlashV2Row(k, block, typeSize == 2);
    }
    return block + kTileColumns * (k == 1024 ? 2 : 1) + (typeSize == 2 ? k : 0);
}

/// Returns how many scratch floats SoftmaxFlashV3 needs for a row.
uint32_t FlashV3Row(uint32_t k) { return 5 * (32 / kFloatSize) + 2 * k + kTileColumns; }

::SoftMaxTiling Cut(const Matrix& shape, uint32_t typeSize, uint32_t bytes, uint32_t row) {
    const uint32_t fit = std::min(bytes / kFloatSize / row, shape.m);
    const uint32_t rows = BasicRows(WholeGroups(fit, shape.m, kTileRows), shape.m, shape.k);
    return MakeTiling(shape.m, shape.k, 32 / typeSize, rows);
}

/// Converts the result of `row` from floats to bytes. Returns 0 for an invalid matrix.
template <typename Row, typename... Options>
uint32_t RowBytes(const ge::Shape& srcShape, uint32_t typeSize, Row row, Options... options) {
    const Matrix shape(srcShape);
    return KnownMatrix(shape, typeSize) ? row(shape, typeSize, options...) * kFloatSize : 0;
}

/// Fills the tiling for `bytes` bytes of scratch. `row` returns one row's scratch size in floats.
template <typename Tiling, typename Row, typename... Options>
void FillTiling(Tiling& tiling, const ge::Shape& srcShape, uint32_t typeSize, uint32_t bytes,
                Row row, Options... options) {
    const Matrix shape(srcShape);
    if (KnownMatrix(shape, typeSize)) {
        tiling = Cut(shape, typeSize, bytes, row(shape, typeSize, options...));
    }
}

}  // namespace

uint32_t GetSoftMaxMaxTmpSize(const ge::Shape& srcShape, uint32_t dataTypeSize,
                              bool isReuseSource) {
    return Matrix(srcShape).m * GetSoftMaxMinTmpSize(srcShape, dataTypeSize, isReuseSource);
}

uint32_t GetSoftMaxMinTmpSize(const ge::Shape& srcShape, uint32_t dataTypeSize, bool) {
    return RowBytes(srcShape, dataTypeSize, PlainRow);
}

void SoftMaxTilingFunc(const ge::Shape& srcShape, uint32_t dataTypeSize,
                       uint32_t localWorkSpaceSize, TWIN_TILING_OUT(SoftMaxTiling) softmaxTiling) {
    FillTiling(softmaxTiling, srcShape, dataTypeSize, localWorkSpaceSize, PlainRow);
}

uint32_t GetSoftMaxFlashMaxTmpSize(const ge::Shape& srcShape, uint32_t dataTypeSize, bool isUpdate,
                                   bool isReuseSource) {
    return Matrix(srcShape).m *
           GetSoftMaxFlashMinTmpSize(srcShape, dataTypeSize, isUpdate, isReuseSource);
}

uint32_t GetSoftMaxFlashMinTmpSize(const ge::Shape& srcShape, uint32_t dataTypeSize, bool isUpdate,
                                   bool) {
    return RowBytes(srcShape, dataTypeSize, FlashRow, isUpdate);
}

void SoftMaxFlashTilingFunc(const ge::Shape& srcShape, uint32_t dataTypeSize,
                            uint32_t localWorkSpaceSize,
                            TWIN_TILING_OUT(SoftMaxTiling) softmaxFlashTiling, bool isUpdate) {
    FillTiling(softmaxFlashTiling, srcShape, dataTypeSize, localWorkSpaceSize, FlashRow, isUpdate);
}

uint32_t GetSoftMaxGradMaxTmpSize(const ge::Shape& srcShape, uint32_t dataTypeSize, bool isFront,
                                  bool isReuseSource) {
    return Matrix(srcShape).m *
           GetSoftMaxGradMinTmpSize(srcShape, dataTypeSize, isFront, isReuseSource);
}

uint32_t GetSoftMaxGradMinTmpSize(const ge::Shape& srcShape, uint32_t dataTypeSize, bool isFront,
                                  bool) {
    return RowBytes(srcShape, dataTypeSize, GradRow, isFront);
}

void SoftMaxGradTilingFunc(const ge::Shape& srcShape, uint32_t dataTypeSize,
                           uint32_t localWorkSpaceSize,
                           TWIN_TILING_OUT(SoftMaxTiling) softmaxGradTiling, bool isFront) {
    FillTiling(softmaxGradTiling, srcShape, dataTypeSize, localWorkSpaceSize, GradRow, isFront);
}

bool IsBasicBlockInSoftMax(optiling::SoftMaxTiling& tiling, uint32_t dataTypeSize) {
    const uint32_t k = tiling.get_srcK();
    return dataTypeSize != 0 && tiling.get_tailM() == 0 && k >= 256 / dataTypeSize && k < 2048 &&
           k % kTileColumns == 0;
}

uint32_t GetSoftMaxFlashV2MinTmpSize(const ge::Shape& srcShape, uint32_t dataTypeSize1,
                                     uint32_t dataTypeSize2, bool, bool isBasicBlock,
                                     bool isFlashOutputBrc) {
    const Matrix shape(srcShape);
    if (!KnownMatrix(shape, dataTypeSize1) || !KnownMatrix(shape, dataTypeSize2)) {
        return 0;
    }
    const bool basic = isBasicBlock && shape.k % kTileColumns == 0;
    const uint32_t packed = std::min(32 / dataTypeSize1, shape.m);
    const uint32_t rows = isFlashOutputBrc ? packed : basic ? kTileRows : 1;
    return FlashV2RowOf(shape.k, dataTypeSize1, dataTypeSize2, basic) * rows * kFloatSize;
}

uint32_t GetSoftMaxFlashV2MaxTmpSize(const ge::Shape& srcShape, uint32_t dataTypeSize1,
                                     uint32_t dataTypeSize2, bool, bool isBasicBlock, bool) {
    const Matrix shape(srcShape);
    if (!KnownMatrix(shape, dataTypeSize1) || !KnownMatrix(shape, dataTypeSize2)) {
        return 0;
    }
    const bool basic = isBasicBlock && IsBasic(shape.m, shape.k);
    uint32_t rows = shape.m;
    while (basic && rows * shape.k >= kRepeatLimit) {
        rows /= 2;
    }
    return FlashV2RowOf(shape.k, dataTypeSize1, dataTypeSize2, basic) * rows * kFloatSize;
}

void SoftMaxFlashV2TilingFunc(const ge::Shape& srcShape, uint32_t dataTypeSize1,
                              uint32_t dataTypeSize2, uint32_t localWorkSpaceSize,
                              TWIN_TILING_OUT(SoftMaxTiling) softmaxFlashTiling, bool,
                              bool isBasicBlock, bool isFlashOutputBrc) {
    const Matrix shape(srcShape);
    if (!KnownMatrix(shape, dataTypeSize1) || !KnownMatrix(shape, dataTypeSize2)) {
        return;
    }
    const bool basic = isBasicBlock && IsBasic(shape.m, shape.k);
    const uint32_t row = FlashV2RowOf(shape.k, dataTypeSize1, dataTypeSize2, basic);
    uint32_t rows = std::min(localWorkSpaceSize / kFloatSize / row, shape.m);
    if (basic) {
        rows = BasicRows(rows, shape.m, shape.k);
    }
    const uint32_t unit = isFlashOutputBrc && dataTypeSize1 == 2 ? 16 : kTileRows;
    softmaxFlashTiling =
        MakeTiling(shape.m, shape.k, 32 / dataTypeSize2, WholeGroups(rows, shape.m, unit));
}

void GetSoftMaxFlashV3MaxMinTmpSize(const ge::Shape& srcShape, uint32_t dataTypeSize1,
                                    uint32_t dataTypeSize2, uint32_t& maxValue, uint32_t& minValue,
                                    bool, bool) {
    const Matrix shape(srcShape);
    if (shape.k > 0 && dataTypeSize1 == 2 && dataTypeSize2 == kFloatSize) {
        minValue = FlashV3Row(shape.k) * kFloatSize;
        maxValue = shape.m * minValue;
    }
}

void SoftMaxFlashV3TilingFunc(const ge::Shape& srcShape, uint32_t dataTypeSize1,
                              uint32_t dataTypeSize2, uint32_t localWorkSpaceSize,
                              TWIN_TILING_OUT(SoftMaxTiling) softmaxFlashV3Tiling, bool, bool) {
    const Matrix shape(srcShape);
    if (shape.k > 0 && dataTypeSize1 == 2 && dataTypeSize2 == kFloatSize) {
        const uint32_t fit = localWorkSpaceSize / kFloatSize / FlashV3Row(shape.k);
        softmaxFlashV3Tiling = MakeTiling(shape.m, shape.k, 32 / kFloatSize,
                                          WholeGroups(std::min(fit, shape.m), shape.m, kTileRows));
    }
}

uint32_t GetLogSoftMaxMaxTmpSize(const ge::Shape srcShape, uint32_t dataTypeSize,
                                 bool isReuseSource) {
    return GetSoftMaxMaxTmpSize(srcShape, dataTypeSize, isReuseSource);
}

uint32_t GetLogSoftMaxMinTmpSize(const ge::Shape srcShape, uint32_t dataTypeSize,
                                 bool isReuseSource) {
    return GetSoftMaxMinTmpSize(srcShape, dataTypeSize, isReuseSource);
}

void LogSoftMaxTilingFunc(const ge::Shape srcShape, uint32_t dataTypeSize,
                          uint32_t localWorkSpaceSize,
                          TWIN_TILING_OUT(LogSoftMaxTiling) softmaxTiling) {
    const Matrix shape(srcShape);
    if (KnownMatrix(shape, dataTypeSize)) {
        const ::SoftMaxTiling cut =
            Cut(shape, dataTypeSize, localWorkSpaceSize, PlainRow(shape, dataTypeSize));
        ::LogSoftMaxTiling same;
        static_assert(sizeof(same) == sizeof(cut), "one list of fields makes both");
        std::memcpy(static_cast<void*>(&same), &cut, sizeof(same));
        softmaxTiling = same;
    }
}

}  // namespace AscendC
