// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_WEIGHT_STREAM_H
#define OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_WEIGHT_STREAM_H

#include "../common/copy.h"
#include "../grouped_matmul_finalize_routing_tiling.h"
#include "kernel_operator.h"
#include "l1_ring.h"
#include "tiles.h"
#include "units.h"

namespace ops::GroupedMatmulFinalizeRoutingOp {

/// Loads the weights of a block's units in the order of their use, as far ahead as L1 has room. It
/// starts on the next unit while the last tiles of the current unit are computed.
class WeightStream {
public:
    __aicore__ inline void Init(GM_ADDR w, const Units& units, const TilingData* tiling,
                                WeightRing* ring) {
        tiling_ = tiling;
        ring_ = ring;
        rowBytes_ = tiling->cols / 2;
        w_.SetGlobalBuffer((__gm__ int8_t*)w,
                           static_cast<uint64_t>(tiling->experts) * tiling->k * rowBytes_);
        units_ = units;
        NextUnit();
        NextTile();
    }

    /// Fills the buffers of the ring that are free, at most `most` of them.
    __aicore__ inline void Fill(uint32_t most = kWeightBuffers) {
        for (uint32_t i = 0; i < most && more_ && ring_->HasRoom(); ++i) {
            const uint32_t rows = Min(unit_.kEnd - k_, tiles_.ChunkK());
            Load(ring_->BeginFill(), rows);
            ring_->EndFill();
            k_ += rows;
            if (k_ == unit_.kEnd) {
                NextTile();
            }
        }
    }

private:
    static constexpr int64_t kMaxPitch = 65535;

    /// Moves to the next tile whose weights must be loaded: no earlier tile leaves them in L1.
    __aicore__ inline void NextTile() {
        Tile tile;
        do {
            while (more_ && !tiles_.Next(tile)) {
                NextUnit();
            }
        } while (more_ && tiles_.Resident() && !(tile.firstPass && tile.firstPart));
        k_ = unit_.kBegin;
    }

    __aicore__ inline void NextUnit() {
        more_ = units_.Next(unit_);
        if (more_) {
            tiles_.Start(unit_, *tiling_);
        }
    }

    /// Copies `rows` rows of weights, which are row-major in GM, to L1 in stripes of 64 columns.
    /// The sizes in `params` count bytes, and each byte contains two weights.
    __aicore__ inline void Load(const AscendC::LocalTensor<int8_t>& to, uint32_t rows) {
        const int64_t first = static_cast<int64_t>(unit_.expert) * tiling_->k + k_;
        const int64_t column = unit_.col / 2;
        AscendC::Nd2NzParams params;
        params.ndNum = 1;
        params.nValue = static_cast<uint16_t>(rows);
        params.dValue = static_cast<uint16_t>(unit_.cols / 2);
        params.srcNdMatrixStride = 0;
        params.srcDValue = static_cast<uint16_t>(rowBytes_);
        params.dstNzC0Stride = static_cast<uint16_t>(rows);
        params.dstNzNStride = 1;
        params.dstNzMatrixStride = 0;
        if (rowBytes_ <= kMaxPitch) {
            AscendC::DataCopy(to, w_[first * rowBytes_ + column], params);
            return;
        }
        params.nValue = 1;
        params.srcDValue = params.dValue;
        for (uint32_t row = 0; row < rows; ++row) {
            AscendC::DataCopy(to[row * kBlockBytes], w_[(first + row) * rowBytes_ + column],
                              params);
        }
    }

    const TilingData* tiling_ = nullptr;
    WeightRing* ring_ = nullptr;
    AscendC::GlobalTensor<int8_t> w_;
    int64_t rowBytes_ = 0;
    Units units_;
    Tiles tiles_;
    Unit unit_;
    uint32_t k_ = 0;
    bool more_ = false;
};

}  // namespace ops::GroupedMatmulFinalizeRoutingOp

#endif  // OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_WEIGHT_STREAM_H
