// SPDX-License-Identifier: Apache-2.0
#pragma once

// Functions of op_host for tilings and scratch sizes of the advanced API. A tiling cuts a call into
// parts that fit the scratch. twin/headers.toml lists the toolkit's names of this file.
#include <cstdint>

#include "graph/tensor.h"
#include "tiling/library_tilingdata.h"
#include "tiling/platform/platform_ascendc.h"

namespace AscendC {

uint32_t GetSoftMaxMaxTmpSize(const ge::Shape& srcShape, uint32_t dataTypeSize, bool isReuseSource);
uint32_t GetSoftMaxMinTmpSize(const ge::Shape& srcShape, uint32_t dataTypeSize, bool isReuseSource);
void SoftMaxTilingFunc(const ge::Shape& srcShape, uint32_t dataTypeSize,
                       uint32_t localWorkSpaceSize, TWIN_TILING_OUT(SoftMaxTiling) softmaxTiling);
uint32_t GetSoftMaxFlashMaxTmpSize(const ge::Shape& srcShape, uint32_t dataTypeSize, bool isUpdate,
                                   bool isReuseSource);
uint32_t GetSoftMaxFlashMinTmpSize(const ge::Shape& srcShape, uint32_t dataTypeSize, bool isUpdate,
                                   bool isReuseSource);
void SoftMaxFlashTilingFunc(const ge::Shape& srcShape, uint32_t dataTypeSize,
                            uint32_t localWorkSpaceSize,
                            TWIN_TILING_OUT(SoftMaxTiling) softmaxFlashTiling,
                            bool isUpdate = false);
uint32_t GetSoftMaxGradMaxTmpSize(const ge::Shape& srcShape, uint32_t dataTypeSize, bool isFront,
                                  bool isReuseSource);
uint32_t GetSoftMaxGradMinTmpSize(const ge::Shape& srcShape, uint32_t dataTypeSize, bool isFront,
                                  bool isReuseSource);
void SoftMaxGradTilingFunc(const ge::Shape& srcShape, uint32_t dataTypeSize,
                           uint32_t localWorkSpaceSize,
                           TWIN_TILING_OUT(SoftMaxTiling) softmaxGradTiling, bool isFront = false);
bool IsBasicBlockInSoftMax(optiling::SoftMaxTiling& tiling, uint32_t dataTypeSize = 2);
uint32_t GetSoftMaxFlashV2MinTmpSize(const ge::Shape& srcShape, uint32_t dataTypeSize1,
                                     uint32_t dataTypeSize2, bool isUpdate,
                                     bool isBasicBlock = false, bool isFlashOutputBrc = false);
uint32_t GetSoftMaxFlashV2MaxTmpSize(const ge::Shape& srcShape, uint32_t dataTypeSize1,
                                     uint32_t dataTypeSize2, bool isUpdate,
                                     bool isBasicBlock = false, bool isFlashOutputBrc = false);
void SoftMaxFlashV2TilingFunc(const ge::Shape& srcShape, uint32_t dataTypeSize1,
                              uint32_t dataTypeSize2, uint32_t localWorkSpaceSize,
                              TWIN_TILING_OUT(SoftMaxTiling) softmaxFlashTiling, bool isUpdate,
                              bool isBasicBlock = false, bool isFlashOutputBrc = false);
void GetSoftMaxFlashV3MaxMinTmpSize(const ge::Shape& srcShape, uint32_t dataTypeSize1,
                                    uint32_t dataTypeSize2, uint32_t& maxValue, uint32_t& minValue,
                                    bool isUpdate, bool isBasicBlock = false);
void SoftMaxFlashV3TilingFunc(const ge::Shape& srcShape, uint32_t dataTypeSize1,
                              uint32_t dataTypeSize2, uint32_t localWorkSpaceSize,
                              TWIN_TILING_OUT(SoftMaxTiling) softmaxFlashV3Tiling, bool isUpdate,
                              bool isBasicBlock = false);
uint32_t GetLogSoftMaxMaxTmpSize(const ge::Shape srcShape, uint32_t dataTypeSize,
                                 bool isReuseSource);
uint32_t GetLogSoftMaxMinTmpSize(const ge::Shape srcShape, uint32_t dataTypeSize,
                                 bool isReuseSource);
void LogSoftMaxTilingFunc(const ge::Shape srcShape, uint32_t dataTypeSize,
                          uint32_t localWorkSpaceSize,
                          TWIN_TILING_OUT(LogSoftMaxTiling) softmaxTiling);

void GetLayerNormMaxMinTmpSize(const ge::Shape& srcShape, uint32_t typeSize, bool isReuseSource,
                               uint32_t& maxValue, uint32_t& minValue);
void GetLayerNormNDTilingInfo(const ge::Shape& srcShape, uint32_t stackBufferSize,
                              uint32_t typeSize, bool isReuseSource,
                              TWIN_TILING_OUT(LayerNormTiling) tiling);
/// The toolkit's other spelling of GetLayerNormNDTilingInfo.
void GetLayerNormNDTillingInfo(const ge::Shape& srcShape, uint32_t stackBufferSize,
                               uint32_t typeSize, bool isReuseSource,
                               TWIN_TILING_OUT(LayerNormTiling) tilling);
void GetLayerNormMaxMinTmpSize(const ge::Shape& srcShape, uint32_t typeSize, bool isReuseSource,
                               bool isComputeRstd, bool isOnlyOutput, uint32_t& maxValue,
                               uint32_t& minValue);
void GetLayerNormNDTilingInfo(const ge::Shape& srcShape, uint32_t stackBufferSize,
                              uint32_t typeSize, bool isReuseSource, bool isComputeRstd,
                              TWIN_TILING_OUT(LayerNormSeparateTiling) tiling);
/// LayerNormGrad and LayerNormGradBeta have the original H as the last dimension of `srcShape`.
void GetLayerNormGradMaxMinTmpSize(const ge::Shape& srcShape, uint32_t typeSize, bool isReuseSource,
                                   uint32_t& maxValue, uint32_t& minValue);
void GetLayerNormGradNDTilingInfo(const ge::Shape srcShape, uint32_t stackBufferSize,
                                  uint32_t typeSize, bool isReuseSource,
                                  TWIN_TILING_OUT(LayerNormGradTiling) tiling);
void GetLayerNormGradBetaMaxMinTmpSize(const ge::Shape& srcShape, uint32_t typeSize,
                                       bool isReuseSource, uint32_t& maxValue, uint32_t& minValue);
void GetLayerNormGradBetaNDTilingInfo(const ge::Shape srcShape, uint32_t stackBufferSize,
                                      uint32_t typeSize, bool isReuseSource,
                                      TWIN_TILING_OUT(LayerNormGradBetaTiling) tiling);
/// BatchNorm, DeepNorm and RmsNorm functions return false for a wrong shape or too little scratch.
bool GetBatchNormMaxMinTmpSize(const ge::Shape& srcShape, const ge::Shape& originSrcShape,
                               uint32_t typeSize, bool isReuseSource, uint32_t& maxValue,
                               uint32_t& minValue, bool isBasicBlock = false);
bool GetBatchNormNDTilingInfo(const ge::Shape& srcShape, const ge::Shape& originSrcShape,
                              uint32_t stackBufferByteSize, uint32_t typeSize, bool isReuseSource,
                              TWIN_TILING_OUT(BatchNormTiling) tilling, bool isBasicBlock = false);
bool GetDeepNormMaxMinTmpSize(const ge::Shape& srcShape, uint32_t typeSize, bool isReuseSource,
                              bool isBasicBlock, uint32_t& maxValue, uint32_t& minValue);
bool GetDeepNormTilingInfo(const ge::Shape& srcShape, const ge::Shape& originSrcShape,
                           uint32_t stackBufferSize, uint32_t typeSize, bool isReuseSource,
                           bool isBasicBlock, TWIN_TILING_OUT(DeepNormTiling) tiling);
bool GetRmsNormMaxMinTmpSize(const ge::Shape& srcShape, uint32_t typeSize, uint32_t& maxValue,
                             uint32_t& minValue, bool isBasicBlock = false);
bool GetRmsNormTilingInfo(const ge::Shape& srcShape, const ge::Shape& originSrcShape,
                          uint32_t stackBufferByteSize, uint32_t typeSize,
                          TWIN_TILING_OUT(RmsNormTiling) tiling, bool isBasicBlock = false);
void GetGroupNormMaxMinTmpSize(const ge::Shape& srcShape, uint32_t typeSize, bool isReuseSource,
                               uint32_t groupNum, uint32_t& maxValue, uint32_t& minValue);
void GetGroupNormNDTilingInfo(const ge::Shape& srcShape, uint32_t stackBufferSize,
                              uint32_t typeSize, bool isReuseSource, uint32_t groupNum,
                              TWIN_TILING_OUT(GroupNormTiling) tiling);

bool GetTopKMaxMinTmpSize(const platform_ascendc::PlatformAscendC& ascendcPlatform, int32_t inner,
                          int32_t outter, bool isReuseSource, bool isInitIndex, TopKMode mode,
                          bool isLargest, uint32_t dataTypeSize, uint32_t& maxValue,
                          uint32_t& minValue);
bool TopKTilingFunc(const platform_ascendc::PlatformAscendC& ascendcPlatform, int32_t inner,
                    int32_t outter, int32_t k, uint32_t dataTypeSize, bool isInitIndex,
                    TopKMode mode, bool isLargest, TWIN_TILING_OUT(TopkTiling) topKTiling);

#ifndef TWIN_BLOCK_SIZES  // kernel_operator.h has the same numbers with other types
#define TWIN_BLOCK_SIZES
constexpr uint32_t BLOCK_CUBE = 16;
constexpr uint32_t ONE_BLK_SIZE = 32;
#endif
void GetConfusionTransposeMaxMinTmpSize(const ge::Shape& srcShape, uint32_t typeSize,
                                        uint32_t transposeTypeIn, uint32_t& maxValue,
                                        uint32_t& minValue);
void GetConfusionTransposeTilingInfo(const ge::Shape& srcShape, uint32_t stackBufferSize,
                                     uint32_t typeSize, uint32_t transposeTypeIn,
                                     TWIN_TILING_OUT(ConfusionTransposeTiling) tiling);
void GetConfusionTransposeOnlyTilingInfo(const ge::Shape& srcShape, uint32_t stackBufferSize,
                                         uint32_t typeSize,
                                         TWIN_TILING_OUT(ConfusionTransposeTiling) tiling);
// The newer names of the ConfusionTranspose functions.
inline void GetTransposeMaxMinTmpSize(const ge::Shape& srcShape, uint32_t typeSize,
                                      uint32_t transposeTypeIn, uint32_t& maxValue,
                                      uint32_t& minValue) {
    GetConfusionTransposeMaxMinTmpSize(srcShape, typeSize, transposeTypeIn, maxValue, minValue);
}
template <class Tiling>
void GetTransposeTilingInfo(const ge::Shape& srcShape, uint32_t stackBufferSize, uint32_t typeSize,
                            uint32_t transposeTypeIn, Tiling& tiling) {
    GetConfusionTransposeTilingInfo(srcShape, stackBufferSize, typeSize, transposeTypeIn, tiling);
}

/// Gets the scratch sizes of Pad, whose source is a matrix of `srcShape`.
void GetPadMaxMinTmpSize(const ge::Shape& srcShape, uint32_t typeSize, uint32_t& maxValue,
                         uint32_t& minValue);
void PadTilingFunc(const ge::Shape srcShape, const ge::Shape oriSrcShape, uint32_t stackBufferSize,
                   uint32_t typeSize, TWIN_TILING_OUT(PadTiling) tiling);
/// UnPad needs no scratch.
void GetUnPadMaxMinTmpSize(const platform_ascendc::PlatformAscendC& ascendcPlatform,
                           const ge::Shape& srcShape, uint32_t typeSize, uint32_t& maxValue,
                           uint32_t& minValue);
void UnPadTilingFunc(const ge::Shape srcShape, uint32_t stackBufferSize, uint32_t typeSize,
                     TWIN_TILING_OUT(UnPadTiling) tiling);

}  // namespace AscendC
