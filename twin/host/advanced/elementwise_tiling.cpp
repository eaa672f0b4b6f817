// SPDX-License-Identifier: Apache-2.0
// Scratch sizes of elementwise functions, quantisation, broadcasts, sums and dropout. The device
// functions check the same sizes.
#include "core/tmp_size.h"
#include "tiling/tiling_api.h"

namespace {

using twin::ElementaryOp;
using twin::advanced::TmpSize;

uint64_t Elements(const ge::Shape& shape) {
    const int64_t size = shape.GetShapeSize();
    return size > 0 ? static_cast<uint64_t>(size) : 0;
}

void Say(const TmpSize& size, uint32_t& maxValue, uint32_t& minValue) {
    maxValue = static_cast<uint32_t>(size.max);
    minValue = static_cast<uint32_t>(size.min);
}

/// Stores the scratch size in `maxValue` and `minValue`, or nothing if there are no elements.
void Say(const TmpSize& size, uint64_t elements, uint32_t& maxValue, uint32_t& minValue) {
    if (elements != 0) {
        Say(size, maxValue, minValue);
    }
}

void SayElementary(ElementaryOp op, const ge::Shape& shape, uint32_t typeSize, bool reuse,
                   uint32_t& maxValue, uint32_t& minValue) {
    const uint64_t elements = Elements(shape);
    Say(twin::advanced::ElementaryTmp(op, typeSize, elements, reuse), elements, maxValue, minValue);
}

void SayFactor(uint32_t factor, uint32_t& count, uint32_t& extra) {
    count = factor;
    extra = 0;
}

/// Returns false for the shape {1}, which means a scalar.
bool IsTensor(const ge::Shape& shape) { return shape.GetDimNum() != 1 || shape.GetDim(0) != 1; }

/// Rows and columns of a shape; a shape of one dimension is one row.
struct Rows {
    explicit Rows(const ge::Shape& shape)
        : rows(shape.GetDimNum() > 1 ? static_cast<uint64_t>(shape.GetDim(0)) : 1),
          columns(static_cast<uint64_t>(shape.GetDim(shape.GetDimNum() > 1 ? 1 : 0))) {}
    uint64_t rows;
    uint64_t columns;
};

bool Known(const ge::Shape& shape) {
    return shape.GetShapeSize() > 0 && shape.GetDimNum() >= 1 && shape.GetDimNum() <= 2;
}

TmpSize AntiQuant(const ge::Shape& src, const ge::Shape& scale, bool transposed, ge::DataType to) {
    if (to == ge::DT_FLOAT16 || src.GetShapeSize() <= 0) {
        return TmpSize{};
    }
    const auto scales = static_cast<uint64_t>(scale.GetShapeSize() > 0 ? scale.GetShapeSize() : 1);
    return twin::advanced::AntiQuantTmp(Rows(src).rows, static_cast<uint64_t>(src.GetShapeSize()),
                                        scales, transposed);
}

}  // namespace

namespace AscendC {

#define TWIN_TMP_SIZE(NAME, OP)                                                                 \
    void Get##NAME##MaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize,           \
                                  const bool isReuseSource, uint32_t& maxValue,                 \
                                  uint32_t& minValue) {                                         \
        SayElementary(ElementaryOp::OP, srcShape, typeSize, isReuseSource, maxValue, minValue); \
    }
#define TWIN_TMP_FACTOR(NAME, OP)                                                               \
    void Get##NAME##TmpBufferFactorSize(const uint32_t typeSize, uint32_t& maxLiveNodeCnt,      \
                                        uint32_t& extraBuf) {                                   \
        SayFactor(twin::advanced::ElementaryFactor(ElementaryOp::OP, typeSize), maxLiveNodeCnt, \
                  extraBuf);                                                                    \
    }
#define TWIN_TMP(NAME) TWIN_TMP_SIZE(NAME, NAME) TWIN_TMP_FACTOR(NAME, NAME)

TWIN_ELEMENTARY_SCRATCH(TWIN_TMP)
TWIN_TMP_SIZE(GeGLU, GeGlu)
TWIN_TMP_FACTOR(GeGLU, GeGlu)
TWIN_TMP_SIZE(Sigmoid, Sigmoid)
TWIN_TMP_FACTOR(Exp, ExpTaylor)
TWIN_TMP_FACTOR(SwiGLU, SwiGlu)

/// For float, both sizes are one repeat (256 B), although ReGlu of floats needs no scratch.
void GetReGluMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize,
                           const bool isReuseSource, uint32_t& maxValue, uint32_t& minValue) {
    if (typeSize == sizeof(float)) {
        maxValue = minValue = 256;
    } else {
        SayElementary(ElementaryOp::ReGlu, srcShape, typeSize, isReuseSource, maxValue, minValue);
    }
}

bool GetExpMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize,
                         const bool isReuseSource, uint32_t& maxValue, uint32_t& minValue) {
    SayElementary(ElementaryOp::ExpTaylor, srcShape, typeSize, isReuseSource, maxValue, minValue);
    return true;
}

void GetSwiGLUMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, uint32_t& maxValue,
                            uint32_t& minValue, const bool isReuseSource) {
    SayElementary(ElementaryOp::SwiGlu, srcShape, typeSize, isReuseSource, maxValue, minValue);
}

void GetSiluTmpSize(const ge::Shape&, const uint32_t, const bool, uint32_t& max, uint32_t& min) {
    max = min = 0;
}
void GetSwishTmpSize(const ge::Shape&, const uint32_t, const bool, uint32_t& max, uint32_t& min) {
    max = min = 0;
}

uint32_t GetGeluMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize) {
    return static_cast<uint32_t>(
        twin::advanced::ElementaryTmp(ElementaryOp::Gelu, typeSize, Elements(srcShape), false).min);
}
uint32_t GetGeluMaxTmpSize(const ge::Shape& srcShape, const uint32_t typeSize) {
    return static_cast<uint32_t>(
        twin::advanced::ElementaryTmp(ElementaryOp::Gelu, typeSize, Elements(srcShape), false).max);
}
void GetGeluMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, uint32_t& maxValue,
                          uint32_t& minValue) {
    maxValue = GetGeluMaxTmpSize(srcShape, typeSize);
    minValue = GetGeluMinTmpSize(srcShape, typeSize);
}

void GetClampMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, const bool,
                           uint32_t& maxValue, uint32_t& minValue) {
    const uint64_t elements = Elements(srcShape);
    Say(twin::advanced::ClampTmp(typeSize, elements), elements, maxValue, minValue);
}
void GetClampTmpBufferFactorSize(const uint32_t, uint32_t& maxLiveNodeCnt, uint32_t& extraBuf) {
    SayFactor(1, maxLiveNodeCnt, extraBuf);
}

void GetXorMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, const bool,
                         uint32_t& maxValue, uint32_t& minValue) {
    const uint64_t elements = Elements(srcShape);
    Say(twin::advanced::XorTmp(typeSize, elements), elements, maxValue, minValue);
}
void GetXorTmpBufferFactorSize(const uint32_t, uint32_t& maxLiveNodeCnt, uint32_t& extraBuf) {
    SayFactor(1, maxLiveNodeCnt, extraBuf);
}

void GetRoundMaxMinTmpSize(const platform_ascendc::PlatformAscendC&, const ge::Shape& srcShape,
                           const uint32_t typeSize, const bool isReuseSource, uint32_t& maxValue,
                           uint32_t& minValue) {
    SayElementary(ElementaryOp::Round, srcShape, typeSize, isReuseSource, maxValue, minValue);
}
void GetRoundTmpBufferFactorSize(const platform_ascendc::PlatformAscendC&, const uint32_t typeSize,
                                 uint32_t& maxLiveNodeCnt, uint32_t& extraBuf) {
    SayFactor(twin::advanced::ElementaryFactor(ElementaryOp::Round, typeSize), maxLiveNodeCnt,
              extraBuf);
}

void GetPowerMaxMinTmpSize(const ge::Shape& srcShape1, const ge::Shape& srcShape2,
                           const bool typeIsInt, const uint32_t typeSize, const bool,
                           uint32_t& maxValue, uint32_t& minValue) {
    const bool both = IsTensor(srcShape1) && IsTensor(srcShape2);
    const uint64_t elements = Elements(IsTensor(srcShape1) ? srcShape1 : srcShape2);
    Say(twin::advanced::PowerTmp(both, typeIsInt, typeSize, elements), elements, maxValue,
        minValue);
}
void GetPowerTmpBufferFactorSize(const bool baseIsTensor, const bool expIsTensor,
                                 const bool typeIsInt, const uint32_t typeSize,
                                 uint32_t& maxLiveNodeCount, uint32_t& extraBuffer) {
    maxLiveNodeCount =
        twin::advanced::PowerFactor(baseIsTensor && expIsTensor, typeIsInt, typeSize);
    extraBuffer = typeIsInt ? 0 : 256;
}

void GetAscendDequantMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize,
                                   uint32_t& maxValue, uint32_t& minValue) {
    if (Known(srcShape) && typeSize == sizeof(int32_t)) {
        const Rows shape(srcShape);
        Say(twin::advanced::DequantTmp(shape.rows, shape.columns), maxValue, minValue);
    }
}

void GetAscendQuantMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t, uint32_t& maxValue,
                                 uint32_t& minValue) {
    if (srcShape.GetShapeSize() > 0) {
        Say(twin::advanced::QuantTmp(static_cast<uint64_t>(srcShape.GetShapeSize())), maxValue,
            minValue);
    }
}

uint32_t GetAscendAntiQuantMaxTmpSize(const ge::Shape& srcShape, const ge::Shape& scaleShape,
                                      bool isTranspose, ge::DataType, ge::DataType outputDataType) {
    return static_cast<uint32_t>(AntiQuant(srcShape, scaleShape, isTranspose, outputDataType).max);
}
uint32_t GetAscendAntiQuantMinTmpSize(const ge::Shape& srcShape, const ge::Shape& scaleShape,
                                      bool isTranspose, ge::DataType, ge::DataType outputDataType) {
    return static_cast<uint32_t>(AntiQuant(srcShape, scaleShape, isTranspose, outputDataType).min);
}
void GetAscendAntiQuantMaxMinTmpSize(const ge::Shape& srcShape, const ge::Shape& scaleShape,
                                     bool isTranspose, ge::DataType, ge::DataType outputDataType,
                                     uint32_t& maxValue, uint32_t& minValue) {
    Say(AntiQuant(srcShape, scaleShape, isTranspose, outputDataType), maxValue, minValue);
}

void GetBroadCastMaxMinTmpSize(const platform_ascendc::PlatformAscendC&, const ge::Shape& srcShape,
                               const ge::Shape& dstShape, uint32_t typeSize, const bool,
                               uint32_t& maxValue, uint32_t& minValue) {
    if (Known(srcShape) && Known(dstShape) && srcShape.GetDimNum() == dstShape.GetDimNum()) {
        const Rows to(dstShape);
        Say(twin::advanced::BroadcastTmp(typeSize, static_cast<uint64_t>(srcShape.GetShapeSize()),
                                         to.rows, to.columns),
            maxValue, minValue);
    }
}

void GetCumSumMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize,
                            const bool isLastAxis, const bool, uint32_t& maxValue,
                            uint32_t& minValue) {
    if (Known(srcShape) && srcShape.GetDimNum() == 2) {
        const Rows shape(srcShape);
        Say(twin::advanced::CumSumTmp(typeSize, shape.rows, shape.columns, isLastAxis), maxValue,
            minValue);
    }
}

uint32_t GetDropOutMinTmpSize(const ge::Shape& srcShape, const uint32_t, const bool) {
    return static_cast<uint32_t>(twin::advanced::DropOutTmp(Elements(srcShape)).min);
}
uint32_t GetDropOutMaxTmpSize(const ge::Shape& srcShape, const uint32_t, const bool) {
    return static_cast<uint32_t>(twin::advanced::DropOutTmp(Elements(srcShape)).max);
}
void GetDropOutMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t, const bool,
                             uint32_t& maxValue, uint32_t& minValue) {
    Say(twin::advanced::DropOutTmp(Elements(srcShape)), maxValue, minValue);
}

void GetArithProgressionMaxMinTmpSize(uint32_t& maxValue, uint32_t& minValue) {
    maxValue = minValue = 0;
}

}  // namespace AscendC
