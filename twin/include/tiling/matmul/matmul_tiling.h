// SPDX-License-Identifier: Apache-2.0
#ifndef TILING_MATMUL_MATMUL_TILING_H
#define TILING_MATMUL_MATMUL_TILING_H

#include "tiling/matmul/matmul_tiling_base.h"

namespace matmul_tiling {

/// Tiling of a product that one core computes.
class MatmulApiTiling : public MatmulApiTilingBase {
public:
    MatmulApiTiling() {}
    explicit MatmulApiTiling(const platform_ascendc::PlatformAscendC& ascendcPlatform)
        : MatmulApiTilingBase(ascendcPlatform) {}
    explicit MatmulApiTiling(const PlatformInfo& platform) : MatmulApiTilingBase(platform) {}
    ~MatmulApiTiling() override = default;
    int64_t GetTiling(optiling::TCubeTiling& tiling) override;
    int64_t GetTiling(::TCubeTiling& tiling) override;

protected:
    int64_t Compute() override;
};

}  // namespace matmul_tiling

extern "C" {
/// Finds the local memory that a Matmul with this tiling occupies. Returns 0, or -1 for an invalid
/// tiling.
int32_t MatmulGetTmpBufSize(optiling::TCubeTiling& tiling,
                            matmul_tiling::SysTilingTempBufSize& bufSize);
int32_t MatmulGetTmpBufSizeV2(::TCubeTiling& tiling, matmul_tiling::SysTilingTempBufSize& bufSize);
}

#endif  // TILING_MATMUL_MATMUL_TILING_H
