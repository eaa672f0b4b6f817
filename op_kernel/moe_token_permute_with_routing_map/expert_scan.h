// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_EXPERT_SCAN_H
#define OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_EXPERT_SCAN_H

#include "../common/copy.h"
#include "../common/sync.h"
#include "../moe_token_permute_with_routing_map_tiling.h"
#include "kernel_operator.h"

namespace ops::MoeTokenPermuteWithRoutingMapOp {

/// Replaces the counters by first output positions: exclusive sums over the experts and, within an
/// expert, over the ranges of tokens. A block scans a slice of the experts in place, as if the
/// slice were the first, and stores its sum. FirstPositions adds the sums of earlier slices.
class ExpertScan {
public:
    __aicore__ inline void Init(GM_ADDR workspace, const TilingData* tiling, AscendC::TPipe* pipe) {
        tiling_ = tiling;
        const int64_t counts = tiling->parts * tiling->countPitch;
        countsGm_.SetGlobalBuffer((__gm__ float*)workspace, counts);
        sumsGm_.SetGlobalBuffer((__gm__ float*)workspace + counts,
                                AscendC::GetBlockNum() * kSumElems);
        pipe->InitBuffer(in_, 1, tiling->parts * kChunk * sizeof(float));
        pipe->InitBuffer(out_, 1, (tiling->parts + 1) * kChunk * sizeof(float));
        pipe->InitBuffer(bases_, kChunk * sizeof(float));
        pipe->InitBuffer(sum_, 1, kBlockBytes);
    }

    __aicore__ inline void Process() {
        const int64_t slice = AscendC::GetBlockIdx();
        const int64_t begin = slice * tiling_->scanCols;
        const int64_t end = Min(begin + tiling_->scanCols, tiling_->countPitch);
        float carry = 0.0f;
        for (int64_t col = begin; col < end; col += kChunk) {
            carry = ScanChunk(col, static_cast<uint32_t>(Min(kChunk, end - col)), carry);
        }
        AscendC::LocalTensor<float> sum = sum_.AllocTensor<float>();
        AscendC::Duplicate(sum, carry, kSumElems);
        sum_.EnQue(sum);
        sum = sum_.DeQue<float>();
        Store(sumsGm_[slice * kSumElems], sum, kSumElems);
        sum_.FreeTensor(sum);
    }

    /// Floats per slice: they fill a block of 32 B, so that no two cores write to the same block.
    static constexpr int64_t kSumElems = 8;

private:
    static constexpr int64_t kChunk = 128;

    __aicore__ inline float ScanChunk(int64_t col, uint32_t cols, float carry) {
        const uint32_t parts = tiling_->parts;
        const Rows rows(parts, cols, tiling_->countPitch);
        AscendC::LocalTensor<float> counts = in_.AllocTensor<float>();
        LoadRows(counts, countsGm_[col], rows);
        in_.EnQue(counts);
        counts = in_.DeQue<float>();
        AscendC::LocalTensor<float> firsts = out_.AllocTensor<float>();
        AscendC::Duplicate(firsts, 0.0f, cols);
        AscendC::PipeBarrier<PIPE_V>();
        for (uint32_t part = 0; part < parts; ++part) {
            AscendC::Add(firsts[(part + 1) * cols], firsts[part * cols], counts[part * cols], cols);
            AscendC::PipeBarrier<PIPE_V>();
        }
        in_.FreeTensor(counts);
        carry = ScanExperts(firsts[parts * cols], cols, carry);
        const AscendC::LocalTensor<float> bases = bases_.Get<float>();
        for (uint32_t part = 0; part < parts; ++part) {
            AscendC::Add(firsts[part * cols], firsts[part * cols], bases, cols);
        }
        out_.EnQue(firsts);
        firsts = out_.DeQue<float>();
        StoreRows(countsGm_[col], firsts, rows);
        out_.FreeTensor(firsts);
        return carry;
    }

    /// Writes the experts' first positions to bases_, one by one: a block has only few experts.
    __aicore__ inline float ScanExperts(const AscendC::LocalTensor<float>& totals, uint32_t cols,
                                        float carry) {
        const AscendC::LocalTensor<float> bases = bases_.Get<float>();
        Sync<AscendC::HardEvent::V_S>();
        for (uint32_t i = 0; i < cols; ++i) {
            bases.SetValue(i, carry);
            carry += totals.GetValue(i);
        }
        Sync<AscendC::HardEvent::S_V>();
        return carry;
    }

    const TilingData* tiling_;
    AscendC::GlobalTensor<float> countsGm_;
    AscendC::GlobalTensor<float> sumsGm_;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> in_;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> out_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> bases_;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> sum_;
};

}  // namespace ops::MoeTokenPermuteWithRoutingMapOp

#endif  // OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_EXPERT_SCAN_H
