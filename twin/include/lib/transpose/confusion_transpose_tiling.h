// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_LIB_TRANSPOSE_CONFUSION_TRANSPOSE_TILING_H
#define TWIN_INCLUDE_LIB_TRANSPOSE_CONFUSION_TRANSPOSE_TILING_H

#include <cstdint>

#include "graph/tensor.h"
#include "lib/transpose/confusion_transpose_tilingdata.h"
#include "register/plain_tiling.h"

namespace AscendC {

// The tiling of ConfusionTranspose.
void GetConfusionTransposeMaxMinTmpSize(const ge::Shape& srcShape, uint32_t typeSize,
                                        uint32_t transposeTypeIn, uint32_t& maxValue,
                                        uint32_t& minValue);
void GetConfusionTransposeTilingInfo(const ge::Shape& srcShape, uint32_t stackBufferSize,
                                     uint32_t typeSize, uint32_t transposeTypeIn,
                                     optiling::ConfusionTransposeTiling& tiling);
void GetConfusionTransposeOnlyTilingInfo(const ge::Shape& srcShape, uint32_t stackBufferSize,
                                         uint32_t typeSize,
                                         optiling::ConfusionTransposeTiling& tiling);

// The same functions for the plain structs of kernels; a kernel's own translation unit has only
// these structs.
#ifndef TWIN_KERNEL_NAME
inline void GetConfusionTransposeTilingInfo(const ge::Shape& srcShape, uint32_t stackBufferSize,
                                            uint32_t typeSize, uint32_t transposeTypeIn,
                                            ::ConfusionTransposeTiling& tiling) {
    twin::FillPlain<optiling::ConfusionTransposeTiling>(
        tiling, [&](optiling::ConfusionTransposeTiling& host) {
            GetConfusionTransposeTilingInfo(srcShape, stackBufferSize, typeSize, transposeTypeIn,
                                            host);
            return true;
        });
}
inline void GetConfusionTransposeOnlyTilingInfo(const ge::Shape& srcShape, uint32_t stackBufferSize,
                                                uint32_t typeSize,
                                                ::ConfusionTransposeTiling& tiling) {
    twin::FillPlain<optiling::ConfusionTransposeTiling>(
        tiling, [&](optiling::ConfusionTransposeTiling& host) {
            GetConfusionTransposeOnlyTilingInfo(srcShape, stackBufferSize, typeSize, host);
            return true;
        });
}
#endif

// The newer names of these functions.
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

}  // namespace AscendC

#endif  // TWIN_INCLUDE_LIB_TRANSPOSE_CONFUSION_TRANSPOSE_TILING_H
