// SPDX-License-Identifier: Apache-2.0
#include <initializer_list>

#include "tiling/matmul/bmm_tiling.h"
#include "tiling/matmul/matmul_tiling.h"

namespace matmul_tiling {
namespace {

bool Negative(std::initializer_list<int32_t> values) {
    for (const int32_t value : values) {
        if (value == 0 || value < -1) {
            return true;
        }
    }
    return false;
}

}  // namespace

int64_t MatmulApiTiling::GetTiling(optiling::TCubeTiling& tiling) {
    return Produce(&tiling, nullptr);
}
int64_t MatmulApiTiling::GetTiling(TCubeTiling& tiling) { return Produce(nullptr, &tiling); }
int64_t MultiCoreMatmulTiling::GetTiling(optiling::TCubeTiling& tiling) {
    return Produce(&tiling, nullptr);
}
int64_t MultiCoreMatmulTiling::GetTiling(TCubeTiling& tiling) { return Produce(nullptr, &tiling); }
int64_t BatchMatmulTiling::GetTiling(optiling::TCubeTiling& tiling) {
    return Produce(&tiling, nullptr);
}
int64_t BatchMatmulTiling::GetTiling(TCubeTiling& tiling) { return Produce(nullptr, &tiling); }

int32_t MultiCoreMatmulTiling::SetDim(int32_t dim) {
    if (dim <= 0) {
        return Refuse("SetDim: at least one core");
    }
    blockDim = dim;
    return 0;
}

int32_t MultiCoreMatmulTiling::SetShape(int32_t m, int32_t n, int32_t k) {
    return MatmulApiTilingBase::SetShape(m, n, k);
}

int32_t MultiCoreMatmulTiling::SetSingleShape(int32_t singleMIn, int32_t singleNIn,
                                              int32_t singleKIn) {
    if (Negative({singleMIn, singleNIn, singleKIn})) {
        return Refuse("SetSingleShape: sizes are positive, or -1");
    }
    fixSingleM_ = singleMIn;
    fixSingleN_ = singleNIn;
    fixSingleK_ = singleKIn;
    return 0;
}

int32_t MultiCoreMatmulTiling::SetSingleRange(int32_t maxM, int32_t maxN, int32_t maxK,
                                              int32_t minM, int32_t minN, int32_t minK) {
    if (Negative({maxM, maxN, maxK, minM, minN, minK})) {
        return Refuse("SetSingleRange: limits are positive, or -1");
    }
    maxSingleM = maxM;
    maxSingleN = maxN;
    maxSingleK = maxK;
    minSingleM = minM;
    minSingleN = minN;
    minSingleK = minK;
    return 0;
}

int32_t MultiCoreMatmulTiling::SetAlignSplit(int32_t alignM, int32_t alignN, int32_t alignK) {
    if (alignM < -1 || alignN < -1 || alignK < -1) {
        return Refuse("SetAlignSplit: alignments are positive, or 0 or -1 for none");
    }
    alignSingleM = alignM <= 0 ? 1 : alignM;
    alignSingleN = alignN <= 0 ? 1 : alignN;
    alignSingleK = alignK <= 0 ? 1 : alignK;
    return 0;
}

int32_t MultiCoreMatmulTiling::GetSingleShape(int32_t& shapeM, int32_t& shapeN, int32_t& shapeK) {
    if (mDim_ == 0) {
        return -1;
    }
    shapeM = singleCoreM;
    shapeN = singleCoreN;
    shapeK = singleCoreK;
    return 0;
}

int32_t MultiCoreMatmulTiling::GetCoreNum(int32_t& dim, int32_t& mDim, int32_t& nDim) {
    if (mDim_ == 0) {
        return -1;
    }
    dim = mDim_ * nDim_ * kDim_;
    mDim = mDim_;
    nDim = nDim_;
    return 0;
}

int32_t BatchMatmulTiling::GetCoreNum(int32_t& dim, int32_t& mDim, int32_t& nDim,
                                      int32_t& batchCoreM, int32_t& batchCoreN) {
    if (mDim_ == 0) {
        return -1;
    }
    dim = mDim_ * nDim_;
    mDim = mDim_;
    nDim = nDim_;
    batchCoreM = batchCoreN = 1;
    return 0;
}

namespace {

int32_t TmpBufSize(int32_t l1, int32_t l0c, int32_t ub, SysTilingTempBufSize* size) {
    if (l1 <= 0 || l0c <= 0) {
        return -1;
    }
    size->l1Size = l1;
    size->l0cSize = l0c;
    size->ubSize = ub;
    return 0;
}

int32_t OfClass(const optiling::TCubeTiling& t, SysTilingTempBufSize* size) {
    return TmpBufSize(t.get_shareL1Size(), t.get_shareL0CSize(), t.get_shareUbSize(), size);
}

int32_t OfStruct(const TCubeTiling& t, SysTilingTempBufSize* size) {
    return TmpBufSize(t.shareL1Size, t.shareL0CSize, t.shareUbSize, size);
}

}  // namespace
}  // namespace matmul_tiling

using matmul_tiling::SysTilingTempBufSize;

extern "C" {

int32_t MatmulGetTmpBufSize(optiling::TCubeTiling& tiling, SysTilingTempBufSize& bufSize) {
    return matmul_tiling::OfClass(tiling, &bufSize);
}
int32_t MultiCoreMatmulGetTmpBufSize(optiling::TCubeTiling& tiling, SysTilingTempBufSize& bufSize) {
    return matmul_tiling::OfClass(tiling, &bufSize);
}
int32_t BatchMatmulGetTmpBufSize(optiling::TCubeTiling& tiling, SysTilingTempBufSize& bufSize) {
    return matmul_tiling::OfClass(tiling, &bufSize);
}
int32_t MatmulGetTmpBufSizeV2(TCubeTiling& tiling, SysTilingTempBufSize& bufSize) {
    return matmul_tiling::OfStruct(tiling, &bufSize);
}
int32_t MultiCoreMatmulGetTmpBufSizeV2(TCubeTiling& tiling, SysTilingTempBufSize& bufSize) {
    return matmul_tiling::OfStruct(tiling, &bufSize);
}
int32_t BatchMatmulGetTmpBufSizeV2(TCubeTiling& tiling, SysTilingTempBufSize& bufSize) {
    return matmul_tiling::OfStruct(tiling, &bufSize);
}

}  // extern "C"
