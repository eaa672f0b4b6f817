// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_LIB_ACTIVATION_SOFTMAX_TILING_H
#define TWIN_INCLUDE_LIB_ACTIVATION_SOFTMAX_TILING_H

#include <cstdint>

#include "graph/tensor.h"
#include "lib/activation/softmax_tilingdata.h"
#include "register/plain_tiling.h"

namespace AscendC {

// The tilings of softmax calls, and their scratch in bytes.
uint32_t GetSoftMaxMaxTmpSize(const ge::Shape& srcShape, uint32_t dataTypeSize, bool isReuseSource);
uint32_t GetSoftMaxMinTmpSize(const ge::Shape& srcShape, uint32_t dataTypeSize, bool isReuseSource);
void SoftMaxTilingFunc(const ge::Shape& srcShape, uint32_t dataTypeSize,
                       uint32_t localWorkSpaceSize, optiling::SoftMaxTiling& softmaxTiling);
uint32_t GetSoftMaxFlashMaxTmpSize(const ge::Shape& srcShape, uint32_t dataTypeSize, bool isUpdate,
                                   bool isReuseSource);
uint32_t GetSoftMaxFlashMinTmpSize(const ge::Shape& srcShape, uint32_t dataTypeSize, bool isUpdate,
                                   bool isReuseSource);
void SoftMaxFlashTilingFunc(const ge::Shape& srcShape, uint32_t dataTypeSize,
                            uint32_t localWorkSpaceSize,
                            optiling::SoftMaxTiling& softmaxFlashTiling, bool isUpdate = false);
uint32_t GetSoftMaxGradMaxTmpSize(const ge::Shape& srcShape, uint32_t dataTypeSize, bool isFront,
                                  bool isReuseSource);
uint32_t GetSoftMaxGradMinTmpSize(const ge::Shape& srcShape, uint32_t dataTypeSize, bool isFront,
                                  bool isReuseSource);
void SoftMaxGradTilingFunc(const ge::Shape& srcShape, uint32_t dataTypeSize,
                           uint32_t localWorkSpaceSize, optiling::SoftMaxTiling& softmaxGradTiling,
                           bool isFront = false);
bool IsBasicBlockInSoftMax(optiling::SoftMaxTiling& tiling, uint32_t dataTypeSize = 2);
uint32_t GetSoftMaxFlashV2MinTmpSize(const ge::Shape& srcShape, uint32_t dataTypeSize1,
                                     uint32_t dataTypeSize2, bool isUpdate,
                                     bool isBasicBlock = false, bool isFlashOutputBrc = false);
uint32_t GetSoftMaxFlashV2MaxTmpSize(const ge::Shape& srcShape, uint32_t dataTypeSize1,
                                     uint32_t dataTypeSize2, bool isUpdate,
                                     bool isBasicBlock = false, bool isFlashOutputBrc = false);
void SoftMaxFlashV2TilingFunc(const ge::Shape& srcShape, uint32_t dataTypeSize1,
                              uint32_t dataTypeSize2, uint32_t localWorkSpaceSize,
                              optiling::SoftMaxTiling& softmaxFlashTiling, bool isUpdate,
                              bool isBasicBlock = false, bool isFlashOutputBrc = false);

// The same functions for the plain structs of kernels; a kernel's own translation unit has only
// these structs.
#ifndef TWIN_KERNEL_NAME
inline void SoftMaxTilingFunc(const ge::Shape& srcShape, uint32_t dataTypeSize,
                              uint32_t localWorkSpaceSize, ::SoftMaxTiling& softmaxTiling) {
    twin::FillPlain<optiling::SoftMaxTiling>(softmaxTiling, [&](optiling::SoftMaxTiling& host) {
        SoftMaxTilingFunc(srcShape, dataTypeSize, localWorkSpaceSize, host);
        return true;
    });
}
inline void SoftMaxFlashTilingFunc(const ge::Shape& srcShape, uint32_t dataTypeSize,
                                   uint32_t localWorkSpaceSize, ::SoftMaxTiling& softmaxFlashTiling,
                                   bool isUpdate = false) {
    twin::FillPlain<optiling::SoftMaxTiling>(
        softmaxFlashTiling, [&](optiling::SoftMaxTiling& host) {
            SoftMaxFlashTilingFunc(srcShape, dataTypeSize, localWorkSpaceSize, host, isUpdate);
            return true;
        });
}
inline void SoftMaxGradTilingFunc(const ge::Shape& srcShape, uint32_t dataTypeSize,
                                  uint32_t localWorkSpaceSize, ::SoftMaxTiling& softmaxGradTiling,
                                  bool isFront = false) {
    twin::FillPlain<optiling::SoftMaxTiling>(softmaxGradTiling, [&](optiling::SoftMaxTiling& host) {
        SoftMaxGradTilingFunc(srcShape, dataTypeSize, localWorkSpaceSize, host, isFront);
        return true;
    });
}
inline void SoftMaxFlashV2TilingFunc(const ge::Shape& srcShape, uint32_t dataTypeSize1,
                                     uint32_t dataTypeSize2, uint32_t localWorkSpaceSize,
                                     ::SoftMaxTiling& softmaxFlashTiling, bool isUpdate,
                                     bool isBasicBlock = false, bool isFlashOutputBrc = false) {
    twin::FillPlain<optiling::SoftMaxTiling>(
        softmaxFlashTiling, [&](optiling::SoftMaxTiling& host) {
            SoftMaxFlashV2TilingFunc(srcShape, dataTypeSize1, dataTypeSize2, localWorkSpaceSize,
                                     host, isUpdate, isBasicBlock, isFlashOutputBrc);
            return true;
        });
}
#endif

}  // namespace AscendC

#endif  // TWIN_INCLUDE_LIB_ACTIVATION_SOFTMAX_TILING_H
