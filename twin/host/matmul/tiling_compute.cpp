// SPDX-License-Identifier: Apache-2.0
// Computes Matmul tilings for one core, for several cores and for batches of matrices.
#include <algorithm>
#include <exception>
#include <initializer_list>

#include "host/matmul/block_plan.h"
#include "host/op_call.h"
#include "tiling/matmul/bmm_tiling.h"
#include "tiling/matmul/matmul_tiling.h"

namespace matmul_tiling {
namespace {

using twin::host::matmul::BlockPlan, twin::host::matmul::CoreSplit, twin::host::matmul::kUnset,
    twin::host::matmul::NegativeWish, twin::host::matmul::PlanRequest,
    twin::host::matmul::SplitRequest;

int32_t OrderOf(MatrixTraverse traverse) {
    if (traverse == MatrixTraverse::FIRSTM) {
        return 0;
    }
    return traverse == MatrixTraverse::FIRSTN ? 1 : kUnset;
}

int32_t SizeOr(int32_t size, int32_t otherwise) { return size > 0 ? size : std::max(otherwise, 0); }

void CopyPlan(const BlockPlan& plan, TCubeTiling* t) {
    t->baseM = plan.baseM;
    t->baseN = plan.baseN;
    t->baseK = plan.baseK;
    t->depthA1 = plan.depthA1;
    t->depthB1 = plan.depthB1;
    t->stepM = plan.stepM;
    t->stepN = plan.stepN;
    t->stepKa = plan.stepKa;
    t->stepKb = plan.stepKb;
    t->dbL0A = plan.dbL0A;
    t->dbL0B = plan.dbL0B;
    t->dbL0C = plan.dbL0C;
    t->iterateOrder = plan.order;
    t->shareL1Size = static_cast<int32_t>(plan.l1Bytes);
    t->shareL0CSize = plan.baseM * plan.baseN * 4 * plan.dbL0C;
}

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

bool MatmulApiTilingBase::Describe(SplitRequest* request) {
    const MatTilingType* const bias = isBias ? &biasType_ : nullptr;
    if (const char* why = twin::host::matmul::CheckTypes(aType_, bType_, cType_, bias)) {
        Refuse(why);
        refused_ = nullptr;  // a later call can succeed, because the user may correct the types
        return false;
    }
    PlanRequest& whole = request->whole;
    twin::host::matmul::DescribeOperands(aType_, bType_, bias, bufferPool_, &whole);
    whole.m = SizeOr(singleM, orgM);
    whole.n = SizeOr(singleN, orgN);
    whole.k = SizeOr(singleK, std::min(orgKa, orgKb));
    if (whole.m == 0 || whole.n == 0 || whole.k == 0) {
        twin::host::SetRecentError(
            "matmul_tiling: neither SetShape nor SetOrgShape gave m, n and k");
        return false;
    }
    whole.baseM = fixBaseM_;
    whole.baseN = fixBaseN_;
    whole.baseK = fixBaseK_;
    whole.maxBaseM = adjust_.maxBaseM;
    whole.maxBaseN = adjust_.maxBaseN;
    whole.maxBaseK = adjust_.maxBaseK;
    whole.minBaseM = adjust_.minBaseM;
    whole.minBaseN = adjust_.minBaseN;
    whole.minBaseK = adjust_.minBaseK;
    whole.doubleA = doubleA_;
    whole.doubleB = doubleB_;
    whole.doubleC = doubleC_;
    whole.order = OrderOf(traverse_);
    whole.outerProduct = scheduleType == ScheduleType::OUTER_PRODUCT;
    whole.nBuffer33 = scheduleType == ScheduleType::N_BUFFER_33;
    whole.sparse = isSparse_;
    return true;
}

int64_t MatmulApiTilingBase::Keep(const char* why, const SplitRequest& request,
                                  const CoreSplit& split) {
    if (why != nullptr) {
        twin::host::SetRecentError("matmul_tiling: %s", why);
        return -1;
    }
    TCubeTiling& t = result_;
    t = TCubeTiling();
    const PlanRequest& whole = request.whole;
    t.usedCoreNum = std::min(split.mDim * split.nDim * split.kDim, request.cores);
    t.M = SizeOr(orgM, static_cast<int32_t>(whole.m));
    t.N = SizeOr(orgN, static_cast<int32_t>(whole.n));
    t.Ka = SizeOr(orgKa, static_cast<int32_t>(whole.k));
    t.Kb = SizeOr(orgKb, static_cast<int32_t>(whole.k));
    t.singleCoreM = singleCoreM = split.singleM;
    t.singleCoreN = singleCoreN = split.singleN;
    t.singleCoreK = singleCoreK = split.singleK;
    t.isBias = isBias ? 1 : 0;
    CopyPlan(split.plan, &t);
    baseM = t.baseM;
    baseN = t.baseN;
    baseK = t.baseK;
    t.batchM = t.batchN = t.singleBatchM = t.singleBatchN = 1;
    t.depthAL1CacheUB = t.depthBL1CacheUB = 0;
    t.ALayoutInfoB = aLayoutInfoB;
    t.ALayoutInfoS = aLayoutInfoS;
    t.ALayoutInfoN = aLayoutInfoN;
    t.ALayoutInfoG = aLayoutInfoG;
    t.ALayoutInfoD = aLayoutInfoD;
    t.BLayoutInfoB = bLayoutInfoB;
    t.BLayoutInfoS = bLayoutInfoS;
    t.BLayoutInfoN = bLayoutInfoN;
    t.BLayoutInfoG = bLayoutInfoG;
    t.BLayoutInfoD = bLayoutInfoD;
    t.CLayoutInfoB = cLayoutInfoB;
    t.CLayoutInfoS1 = cLayoutInfoS1;
    t.CLayoutInfoN = cLayoutInfoN;
    t.CLayoutInfoG = cLayoutInfoG;
    t.CLayoutInfoS2 = cLayoutInfoS2;
    t.BatchNum = batchNum;
    mDim_ = split.mDim;
    nDim_ = split.nDim;
    kDim_ = split.kDim;
    return 0;
}

int64_t MatmulApiTilingBase::Produce(optiling::TCubeTiling* classForm, TCubeTiling* structForm) {
    mDim_ = nDim_ = kDim_ = 0;
    if (refused_ != nullptr) {
        return Refuse(refused_);
    }
    try {
        if (Compute() != 0) {
            return -1;
        }
        tiling_.Assign(result_);
        if (structForm != nullptr) {
            *structForm = result_;
        }
        if (classForm != nullptr) {
            classForm->Assign(result_);
        }
        return 0;
    } catch (const std::exception& error) {
        twin::host::SetRecentError("matmul_tiling: %s", error.what());
        return -1;
    }
}

int64_t MatmulApiTiling::Compute() {
    SplitRequest request;
    CoreSplit split;
    if (!Describe(&request)) {
        return -1;
    }
    const PlanRequest& whole = request.whole;
    const char* why = twin::host::matmul::PlanBase(whole, &split.plan);
    if (why == nullptr) {
        why = twin::host::matmul::PlanL1(whole, &split.plan);
    }
    split.singleM = static_cast<int32_t>(whole.m);
    split.singleN = static_cast<int32_t>(whole.n);
    split.singleK = static_cast<int32_t>(whole.k);
    split.mDim = split.nDim = split.kDim = 1;
    return Keep(why, request, split);
}

int64_t MultiCoreMatmulTiling::Compute() {
    SplitRequest request;
    CoreSplit split;
    if (!Describe(&request)) {
        return -1;
    }
    if (enableSplitK_ && isBias) {
        twin::host::SetRecentError(
            "matmul_tiling: with K split over cores a bias would be added once per core");
        return -1;
    }
    request.cores = std::max(blockDim, 1);
    request.splitK = enableSplitK_;
    request.singleM = fixSingleM_;
    request.singleN = fixSingleN_;
    request.singleK = fixSingleK_;
    request.maxM = maxSingleM;
    request.maxN = maxSingleN;
    request.maxK = maxSingleK;
    request.minM = minSingleM;
    request.minN = minSingleN;
    request.minK = minSingleK;
    request.alignM = alignSingleM;
    request.alignN = alignSingleN;
    request.alignK = alignSingleK;
    const char* const why = twin::host::matmul::SplitCores(request, &split);
    return Keep(why, request, split);
}

int64_t BatchMatmulTiling::Compute() {
    SplitRequest request;
    CoreSplit split;
    if (!Describe(&request)) {
        return -1;
    }
    const char* const why = twin::host::matmul::SplitCores(request, &split);
    return Keep(why, request, split);
}

int64_t MatmulApiTilingBase::GetTiling(optiling::TCubeTiling& tiling) {
    return Produce(&tiling, nullptr);
}

int64_t MatmulApiTilingBase::GetTiling(TCubeTiling& tiling) { return Produce(nullptr, &tiling); }

int32_t MultiCoreMatmulTiling::SetDim(int32_t dim) {
    if (dim <= 0) {
        return Refuse("SetDim: at least one core");
    }
    blockDim = dim;
    return 0;
}

int32_t MultiCoreMatmulTiling::SetSingleShape(int32_t singleMIn, int32_t singleNIn,
                                              int32_t singleKIn) {
    if (NegativeWish({singleMIn, singleNIn, singleKIn})) {
        return Refuse("SetSingleShape: sizes are positive, or -1");
    }
    fixSingleM_ = singleMIn;
    fixSingleN_ = singleNIn;
    fixSingleK_ = singleKIn;
    return 0;
}

int32_t MultiCoreMatmulTiling::SetSingleRange(int32_t maxM, int32_t maxN, int32_t maxK,
                                              int32_t minM, int32_t minN, int32_t minK) {
    if (NegativeWish({maxM, maxN, maxK, minM, minN, minK})) {
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
    dim = std::min(mDim_ * nDim_ * kDim_, std::max(blockDim, 1));
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
