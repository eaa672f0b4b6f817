// SPDX-License-Identifier: Apache-2.0
#pragma once

// Functions that return scratch sizes in bytes for the advanced API: the maximum is the largest
// useful size, the minimum is sufficient. twin/headers.toml lists the toolkit's names of this file.
#include <cstdint>

#include "device/reduce/reduce_pattern.h"
#include "device/sort/sort_config.h"
#include "device/transpose/trans_data_config.h"
#include "graph/tensor.h"
#include "tiling/platform/platform_ascendc.h"

namespace AscendC {

// Elementwise functions: the source has `srcShape` and elements of `typeSize` bytes. With a
// FactorSize function, the scratch is maxLiveNodeCnt times the source's size, plus extraBuf.
#define TWIN_SCRATCH(API)                                                                          \
    void Get##API##MaxMinTmpSize(const ge::Shape& srcShape, uint32_t typeSize, bool isReuseSource, \
                                 uint32_t& maxValue, uint32_t& minValue);
#define TWIN_SCRATCH_FACTOR(API)                                                    \
    void Get##API##TmpBufferFactorSize(uint32_t typeSize, uint32_t& maxLiveNodeCnt, \
                                       uint32_t& extraBuf);
#define TWIN_SCRATCH_BOTH(API) TWIN_SCRATCH(API) TWIN_SCRATCH_FACTOR(API)

// clang-format off
/// Elementwise functions whose scratch sizes core/elementary_op.h defines.
#define TWIN_ELEMENTARY_SCRATCH(CALL) \
    CALL(Acos) CALL(Acosh) CALL(Asin) CALL(Asinh) CALL(Atan) CALL(Atanh) CALL(Axpy) CALL(Ceil) \
    CALL(Cos) CALL(Cosh) CALL(Digamma) CALL(Erf) CALL(Erfc) CALL(Floor) CALL(Fmod) CALL(Frac) \
    CALL(Lgamma) CALL(Log) CALL(Log10) CALL(Log2) CALL(Sign) CALL(Sin) CALL(Sinh) CALL(Tan) \
    CALL(Tanh) CALL(Trunc)
TWIN_ELEMENTARY_SCRATCH(TWIN_SCRATCH_BOTH)
TWIN_SCRATCH_BOTH(Clamp) TWIN_SCRATCH_BOTH(GeGLU) TWIN_SCRATCH_BOTH(Xor)
TWIN_SCRATCH(ReGlu) TWIN_SCRATCH(Sigmoid) TWIN_SCRATCH(DropOut)
TWIN_SCRATCH_FACTOR(Exp) TWIN_SCRATCH_FACTOR(SwiGLU)
// clang-format on
#undef TWIN_SCRATCH_BOTH
#undef TWIN_SCRATCH_FACTOR
#undef TWIN_SCRATCH

    /// Gets the scratch sizes of Exp; always returns true.
    bool GetExpMaxMinTmpSize(const ge::Shape& srcShape, uint32_t typeSize, bool isReuseSource,
                             uint32_t& maxValue, uint32_t& minValue);
void GetSwiGLUMaxMinTmpSize(const ge::Shape& srcShape, uint32_t typeSize, uint32_t& maxValue,
                            uint32_t& minValue, bool isReuseSource);
void GetRoundMaxMinTmpSize(const platform_ascendc::PlatformAscendC& ascendcPlatform,
                           const ge::Shape& srcShape, uint32_t typeSize, bool isReuseSource,
                           uint32_t& maxValue, uint32_t& minValue);
void GetRoundTmpBufferFactorSize(const platform_ascendc::PlatformAscendC& ascendcPlatform,
                                 uint32_t typeSize, uint32_t& maxLiveNodeCnt, uint32_t& extraBuf);
/// Silu, Swish and ArithProgression need no scratch.
void GetSiluTmpSize(const ge::Shape& srcShape, uint32_t typeSize, bool isReuseSource, uint32_t& max,
                    uint32_t& min);
void GetSwishTmpSize(const ge::Shape& srcShape, uint32_t typeSize, bool isReuseSource,
                     uint32_t& max, uint32_t& min);
void GetArithProgressionMaxMinTmpSize(uint32_t& maxValue, uint32_t& minValue);
/// Scratch sizes of Gelu, FasterGelu and FasterGeluV2.
uint32_t GetGeluMinTmpSize(const ge::Shape& srcShape, uint32_t typeSize);
uint32_t GetGeluMaxTmpSize(const ge::Shape& srcShape, uint32_t typeSize);
void GetGeluMaxMinTmpSize(const ge::Shape& srcShape, uint32_t typeSize, uint32_t& maxValue,
                          uint32_t& minValue);
uint32_t GetDropOutMinTmpSize(const ge::Shape& srcShape, uint32_t typeSize, bool isReuseSource);
uint32_t GetDropOutMaxTmpSize(const ge::Shape& srcShape, uint32_t typeSize, bool isReuseSource);
/// Gets the scratch sizes of Power; a shape {1} means a scalar.
void GetPowerMaxMinTmpSize(const ge::Shape& srcShape1, const ge::Shape& srcShape2, bool typeIsInt,
                           uint32_t typeSize, bool isReuseSource, uint32_t& maxValue,
                           uint32_t& minValue);
void GetPowerTmpBufferFactorSize(bool baseIsTensor, bool expIsTensor, bool typeIsInt,
                                 uint32_t typeSize, uint32_t& maxLiveNodeCount,
                                 uint32_t& extraBuffer);

/// Gets the scratch sizes of CumSum, whose source is a matrix of `srcShape`.
void GetCumSumMaxMinTmpSize(const ge::Shape& srcShape, uint32_t typeSize, bool isLastAxis,
                            bool isReuseSource, uint32_t& maxValue, uint32_t& minValue);
/// Gets the scratch sizes of a broadcast from `srcShape` to `dstShape`, of one or two dimensions.
void GetBroadCastMaxMinTmpSize(const platform_ascendc::PlatformAscendC& ascendcPlatform,
                               const ge::Shape& srcShape, const ge::Shape& dstShape,
                               uint32_t typeSize, bool isReuseSource, uint32_t& maxValue,
                               uint32_t& minValue);
void GetSumMaxMinTmpSize(uint32_t n, uint32_t typeSize, bool isReuseSource, uint32_t& maxSize,
                         uint32_t& minSize);
void GetMeanMaxMinTmpSize(uint32_t n, uint32_t srcTypeSize, uint32_t accTypeSize,
                          bool isReuseSource, uint32_t& maxSize, uint32_t& minSize);
void GetMeanTmpBufferFactorSize(uint32_t typeSize, uint32_t& maxLiveNodeCount,
                                uint32_t& extraBuffer);
void GetReduceXorSumMaxMinTmpSize(const ge::Shape& srcShape, uint32_t typeSize, bool isReuseSource,
                                  uint32_t& maxValue, uint32_t& minValue);
/// Get the scratch sizes of the reductions by pattern (newer than CANN 8.1) of a matrix.
#define TWIN_PATTERN_SCRATCH(API)                                                               \
    void Get##API##MaxMinTmpSize(const ge::Shape& srcShape, ge::DataType dataType,              \
                                 ReducePattern pattern, bool isSrcInnerPad, bool isReuseSource, \
                                 uint32_t& maxValue, uint32_t& minValue);
TWIN_PATTERN_SCRATCH(ReduceSum)
TWIN_PATTERN_SCRATCH(ReduceMean)
TWIN_PATTERN_SCRATCH(ReduceMax)
TWIN_PATTERN_SCRATCH(ReduceMin)
TWIN_PATTERN_SCRATCH(ReduceProd)
TWIN_PATTERN_SCRATCH(ReduceAny)
TWIN_PATTERN_SCRATCH(ReduceAll)
#undef TWIN_PATTERN_SCRATCH
void GetNormalizeMaxMinTmpSize(const ge::Shape& srcShape, uint32_t typeSizeU, uint32_t typeSizeT,
                               bool isReuseSource, bool isComputeRstd, bool isOnlyOutput,
                               uint32_t& maxValue, uint32_t& minValue);
void GetWelfordUpdateMaxMinTmpSize(const ge::Shape& srcShape, uint32_t typeSizeT,
                                   uint32_t typeSizeU, bool isReuseSource, bool isInplace,
                                   uint32_t& maxValue, uint32_t& minValue);
void GetWelfordFinalizeMaxMinTmpSize(const ge::Shape& srcShape, uint32_t typeSize,
                                     bool isReuseSource, uint32_t& maxValue, uint32_t& minValue);

/// Scratch sizes of AscendAntiQuant; a scale of one element is a scalar.
uint32_t GetAscendAntiQuantMaxTmpSize(const ge::Shape& srcShape, const ge::Shape& scaleShape,
                                      bool isTranspose, ge::DataType inputDataType,
                                      ge::DataType outputDataType);
uint32_t GetAscendAntiQuantMinTmpSize(const ge::Shape& srcShape, const ge::Shape& scaleShape,
                                      bool isTranspose, ge::DataType inputDataType,
                                      ge::DataType outputDataType);
void GetAscendAntiQuantMaxMinTmpSize(const ge::Shape& srcShape, const ge::Shape& scaleShape,
                                     bool isTranspose, ge::DataType inputDataType,
                                     ge::DataType outputDataType, uint32_t& maxValue,
                                     uint32_t& minValue);
/// Gets the scratch sizes of AscendDequant; the source has one or two dimensions, `typeSize` is 4.
void GetAscendDequantMaxMinTmpSize(const ge::Shape& srcShape, uint32_t typeSize, uint32_t& maxValue,
                                   uint32_t& minValue);
void GetAscendQuantMaxMinTmpSize(const ge::Shape& srcShape, uint32_t typeSize, uint32_t& maxValue,
                                 uint32_t& minValue);

uint32_t GetSelectWithBytesMaskMinTmpSize(const ge::Shape& src0Shape, const ge::Shape& src1Shape,
                                          uint32_t srcTypeSize, const ge::Shape& maskShape,
                                          uint32_t maskTypeSize, bool isReuseMask);
uint32_t GetSelectWithBytesMaskMaxTmpSize(const ge::Shape& src0Shape, const ge::Shape& src1Shape,
                                          uint32_t srcTypeSize, const ge::Shape& maskShape,
                                          uint32_t maskTypeSize, bool isReuseMask);
void GetSelectWithBytesMaskMaxMinTmpSize(const ge::Shape& src0Shape, const ge::Shape& src1Shape,
                                         uint32_t srcTypeSize, const ge::Shape& maskShape,
                                         uint32_t maskTypeSize, bool isReuseMask,
                                         uint32_t& maxValue, uint32_t& minValue);
/// The newer name of GetSelectWithBytesMaskMaxMinTmpSize.
inline void GetSelectMaxMinTmpSize(const ge::Shape& src0Shape, const ge::Shape& src1Shape,
                                   uint32_t srcTypeSize, const ge::Shape& maskShape,
                                   uint32_t maskTypeSize, bool isReuseMask, uint32_t& maxValue,
                                   uint32_t& minValue) {
    GetSelectWithBytesMaskMaxMinTmpSize(src0Shape, src1Shape, srcTypeSize, maskShape, maskTypeSize,
                                        isReuseMask, maxValue, minValue);
}

/// Concat needs no scratch on A2 and A3.
inline uint32_t GetConcatTmpSize(const platform_ascendc::PlatformAscendC&, uint32_t, uint32_t) {
    return 0;
}
/// Returns the scratch bytes of Sort, which needs a second list of 8-byte pairs.
inline uint32_t GetSortTmpSize(const platform_ascendc::PlatformAscendC&, uint32_t elemCount,
                               uint32_t dataTypeSize) {
    return elemCount * (dataTypeSize == sizeof(float) ? 2 : 4) * dataTypeSize;
}
/// Gets the scratch size of TransData; returns false if the shapes do not have the formats' axes.
bool GetTransDataMaxMinTmpSize(const platform_ascendc::PlatformAscendC& platform,
                               const ge::Shape& srcShape, const ge::Shape& dstShape,
                               ge::DataType dataType, const TransDataConfig& config,
                               uint32_t& maxValue, uint32_t& minValue);
/// Returns 0: A2 and A3 do not have the form of Sort with a SortConfig.
inline void GetSortMaxMinTmpSize(const ge::Shape&, ge::DataType, ge::DataType, bool,
                                 const SortConfig&, uint32_t& maxValue, uint32_t& minValue) {
    maxValue = minValue = 0;
}

}  // namespace AscendC
