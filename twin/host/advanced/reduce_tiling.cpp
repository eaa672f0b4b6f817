// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "device/library/tmp.h"
#include "device/reduce/pattern_scratch.h"
#include "device/sort/topk.h"
#include "device/transpose/confusion_tiling.h"
#include "host/advanced/fields.h"

namespace AscendC {
namespace {

using twin::host::Matrix;
using twin::host::Up;

twin::sort::TopkShape TopkShapeOf(int32_t inner, int32_t outter, int32_t k, uint32_t typeSize,
                                  bool initIndex, TopKMode mode, bool largest) {
    return {inner, outter, k, typeSize, initIndex, mode == TopKMode::TOPK_NSMALL, largest};
}

uint32_t ByteMaskScratch(const ge::Shape& src0, const ge::Shape& src1, const ge::Shape& mask,
                         uint32_t maskTypeSize, bool isReuseMask, bool least) {
    const Matrix src(src0.GetShapeSize() > 1 ? src0 : src1);
    const uint32_t columns = Matrix(mask).k;
    const bool packs = !isReuseMask && columns != src.k && columns > 1;
    return twin::compare::ByteChoiceScratch(src.m * src.k, maskTypeSize, packs, least);
}

void SayPatternScratch(const ge::Shape& srcShape, ge::DataType dataType, ReducePattern pattern,
                       bool reuse, twin::reduce::PatternOp op, uint32_t* most, uint32_t* least) {
    using twin::reduce::PatternOp;
    const Matrix shape(srcShape);
    const uint32_t typeSize = dataType == ge::DT_FLOAT16 ? 2 : dataType == ge::DT_UINT8 ? 1 : 4;
    if (op == PatternOp::Or && typeSize != 1) {
        op = PatternOp::Max;  // ReduceAny and ReduceAll of floats are the extremes
    }
    const uint32_t sizes[] = {shape.m, shape.k};
    const bool lastAxis = pattern == ReducePattern::AR;
    if (srcShape.GetDimNum() != 2 || shape.m == 0) {
        return;
    }
    uint32_t bytes = twin::reduce::PatternScratch(twin::reduce::AxisShape(sizes, typeSize),
                                                  typeSize, lastAxis, op, reuse);
    const bool single = lastAxis && !reuse && shape.m == 1;
    if (single && twin::reduce::LowerPower(shape.k) == shape.k) {
        // The toolkit's functions do not halve the width of a single row.
        bytes += op == PatternOp::Sum ? bytes : 0;
        bytes += op == PatternOp::Product && shape.k > 8 ? shape.k / 2 * typeSize : 0;
    }
    *most = *least = bytes;
}

bool Fits(const ge::Shape& shape, uint32_t typeSize, TransposeType type) {
    const size_t dims = type == TransposeType::TRANSPOSE_ND2ND_ONLY ? 2 : 4;
    return shape.GetDimNum() >= dims && (typeSize == 2 || typeSize == 4);
}

}  // namespace

void GetSumMaxMinTmpSize(uint32_t n, uint32_t typeSize, bool, uint32_t& maxSize,
                         uint32_t& minSize) {
    if (n > 0 && typeSize > 0) {
        maxSize = minSize = twin::reduce::SumScratch(n, typeSize);
    }
}

void GetMeanMaxMinTmpSize(uint32_t n, uint32_t srcTypeSize, uint32_t accTypeSize, bool,
                          uint32_t& maxSize, uint32_t& minSize) {
    if (n > 0 && srcTypeSize > 0) {
        maxSize = minSize = twin::reduce::MeanScratch(n, srcTypeSize, accTypeSize);
    }
}

void GetMeanTmpBufferFactorSize(uint32_t, uint32_t& maxLiveNodeCount, uint32_t& extraBuffer) {
    maxLiveNodeCount = 1;
    extraBuffer = 0;
}

#define TWIN_PATTERN_SCRATCH(API, OP)                                                              \
    void Get##API##MaxMinTmpSize(const ge::Shape& srcShape, ge::DataType dataType,                 \
                                 ReducePattern pattern, bool, bool isReuseSource,                  \
                                 uint32_t& maxValue, uint32_t& minValue) {                         \
        SayPatternScratch(srcShape, dataType, pattern, isReuseSource, twin::reduce::PatternOp::OP, \
                          &maxValue, &minValue);                                                   \
    }
TWIN_PATTERN_SCRATCH(ReduceSum, Sum)
TWIN_PATTERN_SCRATCH(ReduceMean, Sum)
TWIN_PATTERN_SCRATCH(ReduceMax, Max)
TWIN_PATTERN_SCRATCH(ReduceMin, Max)
TWIN_PATTERN_SCRATCH(ReduceProd, Product)
TWIN_PATTERN_SCRATCH(ReduceAny, Or)
TWIN_PATTERN_SCRATCH(ReduceAll, Or)
#undef TWIN_PATTERN_SCRATCH

// Rounds the number of elements up to a multiple of 32. The result of the toolkit's function, which
// does not round, can be too small for the device function.
void GetReduceXorSumMaxMinTmpSize(const ge::Shape& srcShape, uint32_t typeSize, bool isReuseSource,
                                  uint32_t& maxValue, uint32_t& minValue) {
    const auto elements = static_cast<uint32_t>(srcShape.GetShapeSize());
    if (elements > 0) {
        maxValue = minValue =
            twin::reduce::XorSumScratch(Up(elements, 32), typeSize, isReuseSource);
    }
}

uint32_t GetSelectWithBytesMaskMinTmpSize(const ge::Shape& src0Shape, const ge::Shape& src1Shape,
                                          uint32_t, const ge::Shape& maskShape,
                                          uint32_t maskTypeSize, bool isReuseMask) {
    return ByteMaskScratch(src0Shape, src1Shape, maskShape, maskTypeSize, isReuseMask, true);
}

uint32_t GetSelectWithBytesMaskMaxTmpSize(const ge::Shape& src0Shape, const ge::Shape& src1Shape,
                                          uint32_t, const ge::Shape& maskShape,
                                          uint32_t maskTypeSize, bool isReuseMask) {
    return ByteMaskScratch(src0Shape, src1Shape, maskShape, maskTypeSize, isReuseMask, false);
}

void GetSelectWithBytesMaskMaxMinTmpSize(const ge::Shape& src0Shape, const ge::Shape& src1Shape,
                                         uint32_t, const ge::Shape& maskShape,
                                         uint32_t maskTypeSize, bool isReuseMask,
                                         uint32_t& maxValue, uint32_t& minValue) {
    maxValue = ByteMaskScratch(src0Shape, src1Shape, maskShape, maskTypeSize, isReuseMask, false);
    minValue = ByteMaskScratch(src0Shape, src1Shape, maskShape, maskTypeSize, isReuseMask, true);
}

bool GetTopKMaxMinTmpSize(const platform_ascendc::PlatformAscendC&, int32_t inner, int32_t outter,
                          bool, bool isInitIndex, TopKMode mode, bool isLargest,
                          uint32_t dataTypeSize, uint32_t& maxValue, uint32_t& minValue) {
    maxValue = minValue = twin::sort::TopkScratch(
        TopkShapeOf(inner, outter, 1, dataTypeSize, isInitIndex, mode, isLargest));
    return true;
}

bool TopKTilingFunc(const platform_ascendc::PlatformAscendC&, int32_t inner, int32_t outter,
                    int32_t k, uint32_t dataTypeSize, bool isInitIndex, TopKMode mode,
                    bool isLargest, TWIN_TILING_OUT(TopkTiling) tiling) {
    tiling = twin::sort::MakeTopkTiling(
        TopkShapeOf(inner, outter, k, dataTypeSize, isInitIndex, mode, isLargest));
    return true;
}

void GetConfusionTransposeMaxMinTmpSize(const ge::Shape& srcShape, uint32_t typeSize,
                                        uint32_t transposeTypeIn, uint32_t& maxValue,
                                        uint32_t& minValue) {
    const auto type = static_cast<TransposeType>(transposeTypeIn);
    if (Fits(srcShape, typeSize, type)) {
        const int64_t rows = srcShape.GetDim(2);
        maxValue = twin::transpose::ConfusionScratch(type, rows, typeSize, false);
        minValue = twin::transpose::ConfusionScratch(type, rows, typeSize, true);
    }
}

void GetConfusionTransposeTilingInfo(const ge::Shape& srcShape, uint32_t stackBufferSize,
                                     uint32_t typeSize, uint32_t transposeTypeIn,
                                     TWIN_TILING_OUT(ConfusionTransposeTiling) tiling) {
    const auto type = static_cast<TransposeType>(transposeTypeIn);
    if (Fits(srcShape, typeSize, type)) {
        tiling = twin::transpose::MakeConfusionTiling(type, srcShape.GetDims().data(), typeSize,
                                                      stackBufferSize);
    }
}

void GetConfusionTransposeOnlyTilingInfo(const ge::Shape& srcShape, uint32_t stackBufferSize,
                                         uint32_t typeSize,
                                         TWIN_TILING_OUT(ConfusionTransposeTiling) tiling) {
    GetConfusionTransposeTilingInfo(srcShape, stackBufferSize, typeSize,
                                    static_cast<uint32_t>(TransposeType::TRANSPOSE_ND2ND_ONLY),
                                    std::move(tiling));
}

}  // namespace AscendC
