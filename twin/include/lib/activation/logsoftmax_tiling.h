// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_LIB_ACTIVATION_LOGSOFTMAX_TILING_H
#define TWIN_INCLUDE_LIB_ACTIVATION_LOGSOFTMAX_TILING_H

#include <cstdint>

#include "graph/tensor.h"
#include "lib/activation/logsoftmax_tilingdata.h"
#include "register/plain_tiling.h"

namespace AscendC {

// The tiling of LogSoftMax.
uint32_t GetLogSoftMaxMaxTmpSize(const ge::Shape srcShape, uint32_t dataTypeSize,
                                 bool isReuseSource);
uint32_t GetLogSoftMaxMinTmpSize(const ge::Shape srcShape, uint32_t dataTypeSize,
                                 bool isReuseSource);
void LogSoftMaxTilingFunc(const ge::Shape srcShape, uint32_t dataTypeSize,
                          uint32_t localWorkSpaceSize, optiling::LogSoftMaxTiling& softmaxTiling);

// The same functions for the plain structs of kernels; a kernel's own translation unit has only
// these structs.
#ifndef TWIN_KERNEL_NAME
inline void LogSoftMaxTilingFunc(const ge::Shape srcShape, uint32_t dataTypeSize,
                                 uint32_t localWorkSpaceSize, ::LogSoftMaxTiling& softmaxTiling) {
    twin::FillPlain<optiling::LogSoftMaxTiling>(
        softmaxTiling, [&](optiling::LogSoftMaxTiling& host) {
            LogSoftMaxTilingFunc(srcShape, dataTypeSize, localWorkSpaceSize, host);
            return true;
        });
}
#endif

}  // namespace AscendC

#endif  // TWIN_INCLUDE_LIB_ACTIVATION_LOGSOFTMAX_TILING_H
