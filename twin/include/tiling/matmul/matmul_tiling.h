// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tiling/matmul/matmul_tiling_base.h"

namespace matmul_tiling {

/// Tiling of a matrix product that one core computes.
class MatmulApiTiling : public MatmulApiTilingBase {
public:
    MatmulApiTiling() {}
    explicit MatmulApiTiling(const platform_ascendc::PlatformAscendC& ascendcPlatform)
        : MatmulApiTilingBase(ascendcPlatform) {}
    explicit MatmulApiTiling(const PlatformInfo& platform) : MatmulApiTilingBase(platform) {}
    ~MatmulApiTiling() override = default;

protected:
    int64_t Compute() override;
};

/// Tiling of a matrix product that several cores share; SetShape sets the whole product's shape.
class MultiCoreMatmulTiling : public MatmulApiTilingBase {
public:
    MultiCoreMatmulTiling() {}
    explicit MultiCoreMatmulTiling(const platform_ascendc::PlatformAscendC& ascendcPlatform)
        : MatmulApiTilingBase(ascendcPlatform) {}
    explicit MultiCoreMatmulTiling(const PlatformInfo& platform) : MatmulApiTilingBase(platform) {}
    /// Sets the number of cores that may take part (vector cores, if they call Matmul).
    int32_t SetDim(int32_t dim);
    /// Fixes the sizes that one core computes; -1 lets GetTiling choose.
    virtual int32_t SetSingleShape(int32_t singleMIn = -1, int32_t singleNIn = -1,
                                   int32_t singleKIn = -1);
    virtual int32_t SetSingleRange(int32_t maxM = -1, int32_t maxN = -1, int32_t maxK = -1,
                                   int32_t minM = -1, int32_t minN = -1, int32_t minK = -1);
    /// Makes the sizes that one core computes multiples of these numbers; 0 and -1 allow all sizes.
    int32_t SetAlignSplit(int32_t alignM, int32_t alignN, int32_t alignK);
    /// Gets the sizes that one core computes, after GetTiling.
    int32_t GetSingleShape(int32_t& shapeM, int32_t& shapeN, int32_t& shapeK);
    /// Gets the number of all cores, of cores along M and of cores along N, after GetTiling.
    int32_t GetCoreNum(int32_t& dim, int32_t& mDim, int32_t& nDim);
    void EnableMultiCoreSplitK(bool flag) { enableSplitK_ = flag; }
    void SetSplitK(bool flag) { EnableMultiCoreSplitK(flag); }

protected:
    int64_t Compute() override;
};

/// Tiling of one of several matrix products that one call computes.
class BatchMatmulTiling : public MatmulApiTilingBase {
public:
    BatchMatmulTiling() {}
    explicit BatchMatmulTiling(const platform_ascendc::PlatformAscendC& ascendcPlatform)
        : MatmulApiTilingBase(ascendcPlatform) {}
    int32_t GetCoreNum(int32_t& dim, int32_t& mDim, int32_t& nDim, int32_t& batchCoreM,
                       int32_t& batchCoreN);

protected:
    int64_t Compute() override;
};

}  // namespace matmul_tiling

extern "C" {
/// Computes the local memory that Matmul needs with this tiling. Returns 0, or -1 for an invalid
/// tiling.
int32_t MatmulGetTmpBufSize(optiling::TCubeTiling& tiling,
                            matmul_tiling::SysTilingTempBufSize& bufSize);
int32_t MatmulGetTmpBufSizeV2(::TCubeTiling& tiling, matmul_tiling::SysTilingTempBufSize& bufSize);
int32_t MultiCoreMatmulGetTmpBufSize(optiling::TCubeTiling& tiling,
                                     matmul_tiling::SysTilingTempBufSize& bufSize);
int32_t BatchMatmulGetTmpBufSize(optiling::TCubeTiling& tiling,
                                 matmul_tiling::SysTilingTempBufSize& bufSize);
int32_t MultiCoreMatmulGetTmpBufSizeV2(::TCubeTiling& tiling,
                                       matmul_tiling::SysTilingTempBufSize& bufSize);
int32_t BatchMatmulGetTmpBufSizeV2(::TCubeTiling& tiling,
                                   matmul_tiling::SysTilingTempBufSize& bufSize);
}
