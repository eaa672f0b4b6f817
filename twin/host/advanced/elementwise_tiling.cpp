// SPDX-License-Identifier: Apache-2.0
// Scratch of elementwise functions, by the rules that the device checks.
#include "core/tmp_size.h"
#include "tiling/tiling_api.h"

namespace {

using twin::ElementaryOp;
using twin::advanced::TmpSize;

uint64_t Elements(const ge::Shape& shape) {
    const int64_t size = shape.GetShapeSize();
    return size > 0 ? static_cast<uint64_t>(size) : 0;
}

/// For shapes without elements the results stay unchanged, as in the toolkit.
void Say(const TmpSize& size, uint64_t elements, uint32_t& maxValue, uint32_t& minValue) {
    if (elements != 0) {
        maxValue = static_cast<uint32_t>(size.max);
        minValue = static_cast<uint32_t>(size.min);
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

/// A shape {1} stands for a number.
bool IsTensor(const ge::Shape& shape) { return shape.GetDimNum() != 1 || shape.GetDim(0) != 1; }

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

/// Float gets one repeat of scratch, which its steps do not use.
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

}  // namespace AscendC
