// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_FIRST_POSITIONS_H
#define OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_FIRST_POSITIONS_H

#include "../common/copy.h"
#include "../common/sync.h"
#include "../moe_token_permute_with_routing_map_tiling.h"
#include "expert_scan.h"
#include "kernel_operator.h"

namespace ops::MoeTokenPermuteWithRoutingMapOp {

/// The next output position of every expert for a range of tokens. If all experts fit into a tile,
/// the positions stay in UB. Otherwise they are in the range's counters in the workspace, which no
/// other block reads any more.
class FirstPositions {
public:
    __aicore__ inline void Init(const TilingData* tiling, AscendC::TPipe* pipe) {
        tiling_ = tiling;
        pipe->InitBuffer(positions_, tiling->tileCols * sizeof(float));
    }

    /// Copies the positions of all experts, which V has written. `total` is the number of pairs of
    /// a token and an expert that the map routes.
    __aicore__ inline void Set(const AscendC::LocalTensor<float>& positions, float total) {
        total_ = total;
        AscendC::Adds(positions_.Get<float>(), positions, 0.0f,
                      static_cast<int32_t>(tiling_->countPitch));
        AscendC::PipeBarrier<PIPE_V>();
    }

    /// Loads the positions of all experts from `gm`.
    __aicore__ inline void Load(const AscendC::GlobalTensor<float>& gm, float total) {
        total_ = total;
        ops::Load(positions_.Get<float>(), gm, static_cast<uint32_t>(tiling_->countPitch));
        Sync<AscendC::HardEvent::MTE2_V>();
    }

    /// Adds the sums of earlier slices (see ExpertScan) to the positions in the workspace.
    __aicore__ inline void Finish(GM_ADDR workspace, int64_t part, AscendC::TPipe* pipe) {
        const int64_t counts = tiling_->parts * tiling_->countPitch;
        rowGm_.SetGlobalBuffer((__gm__ float*)workspace + part * tiling_->countPitch,
                               tiling_->countPitch);
        sumsGm_.SetGlobalBuffer((__gm__ float*)workspace + counts,
                                AscendC::GetBlockNum() * ExpertScan::kSumElems);
        pipe->InitBuffer(sums_, AscendC::GetBlockNum() * kBlockBytes);
        const AscendC::LocalTensor<float> sums = sums_.Get<float>();
        const int64_t slices = CeilDiv(tiling_->countPitch, tiling_->scanCols);
        ops::Load(sums, sumsGm_, static_cast<uint32_t>(slices * ExpertScan::kSumElems));
        Sync<AscendC::HardEvent::MTE2_S>();
        total_ = 0.0f;
        for (int64_t slice = 0; slice < slices; ++slice) {
            const float sum = sums.GetValue(slice * ExpertScan::kSumElems);
            sums.SetValue(slice * ExpertScan::kSumElems, total_);
            total_ += sum;
        }
        for (int64_t col = 0; col < tiling_->experts; col += tiling_->tileCols) {
            const AscendC::LocalTensor<float> positions = At(col);
            AddSums(positions, col);
            Put(positions, col);
        }
    }

    /// Returns the number of pairs of a token and an expert that the map routes.
    __aicore__ inline float Total() const { return total_; }
    /// Returns the number of positions, also those of no expert that follow the experts.
    __aicore__ inline int32_t Size() const { return static_cast<int32_t>(tiling_->countPitch); }

    __aicore__ inline bool Resident() const { return tiling_->experts <= tiling_->tileCols; }

    /// Returns the positions of the tile's experts, from expert `col` on. V may read them. If they
    /// do not stay in UB, they are loaded, and the next call overwrites them.
    __aicore__ inline AscendC::LocalTensor<float> At(int64_t col) {
        const AscendC::LocalTensor<float> positions = positions_.Get<float>();
        if (Resident()) {
            return positions[col];
        }
        Sync<AscendC::HardEvent::MTE3_MTE2>();
        ops::Load(positions, rowGm_[col], Cols(col));
        Sync<AscendC::HardEvent::MTE2_V>();
        return positions;
    }

    /// Writes changed positions back, if they do not stay in UB. V does not change them until At().
    __aicore__ inline void Put(const AscendC::LocalTensor<float>& positions, int64_t col) {
        if (!Resident()) {
            Sync<AscendC::HardEvent::V_MTE3>();
            Store(rowGm_[col], positions, Cols(col));
        }
    }

private:
    __aicore__ inline uint32_t Cols(int64_t col) const {
        return static_cast<uint32_t>(Min(tiling_->tileCols, tiling_->countPitch - col));
    }

    __aicore__ inline void AddSums(const AscendC::LocalTensor<float>& positions, int64_t col) {
        const AscendC::LocalTensor<float> sums = sums_.Get<float>();
        const int64_t end = col + Cols(col);
        for (int64_t slice = col / tiling_->scanCols; slice * tiling_->scanCols < end; ++slice) {
            const int64_t from = slice * tiling_->scanCols;
            const int64_t begin = Max(from, col);
            const int64_t count = Min(from + tiling_->scanCols, end) - begin;
            const AscendC::LocalTensor<float> part = positions[begin - col];
            AscendC::Adds(part, part, sums.GetValue(slice * ExpertScan::kSumElems),
                          static_cast<int32_t>(count));
        }
    }

    const TilingData* tiling_;
    float total_;
    AscendC::GlobalTensor<float> rowGm_;
    AscendC::GlobalTensor<float> sumsGm_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> positions_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> sums_;
};

}  // namespace ops::MoeTokenPermuteWithRoutingMapOp

#endif  // OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_FIRST_POSITIONS_H
