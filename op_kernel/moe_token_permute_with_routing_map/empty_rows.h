// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_EMPTY_ROWS_H
#define OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_EMPTY_ROWS_H

#include "../common/copy.h"
#include "../common/shares.h"
#include "../common/strided_writer.h"
#include "../common/sync.h"
#include "../moe_token_permute_with_routing_map_tiling.h"
#include "kernel_operator.h"
#include "pointers.h"

namespace ops::MoeTokenPermuteWithRoutingMapOp {

/// Writes zeros to the output rows that a wrong map does not fill: some tokens have fewer than k
/// experts. All ranges of tokens divide these rows.
template <typename T>
class EmptyRows {
public:
    /// `part` is the number of the range. This block writes only `columns`, and the probs if
    /// `writesProbs`.
    __aicore__ inline void Fill(const Pointers& gm, const TilingData* tiling, float total,
                                int64_t part, const Range& columns, bool writesProbs,
                                AscendC::TPipe* pipe) {
        const int64_t filled = static_cast<int64_t>(total);
        const Range rest = Shares(tiling->outRows - filled, tiling->rowParts).Of(part);
        AscendC::GlobalTensor<T> permuted;
        AscendC::GlobalTensor<T> permutedProbs;
        permuted.SetGlobalBuffer((__gm__ T*)gm.permuteTokens);
        permutedProbs.SetGlobalBuffer((__gm__ T*)gm.permuteProbs);
        pipe->InitBuffer(zeros_, kElems * sizeof(T));
        StridedWriter writer;
        writer.Init(kStageElems, kStageBuffers, pipe);
        const AscendC::LocalTensor<T> zeros = zeros_.Get<T>();
        AscendC::Duplicate(zeros, static_cast<T>(0), static_cast<int32_t>(kElems));
        AscendC::PipeBarrier<PIPE_V>();
        Sync<AscendC::HardEvent::V_MTE3>();
        for (int64_t row = filled + rest.begin; row < filled + rest.end; ++row) {
            for (int64_t col = columns.begin; col < columns.end; col += kElems) {
                writer.Write(permuted[row * tiling->rowStride + col * tiling->colStride],
                             tiling->colStride, zeros,
                             static_cast<uint32_t>(Min(kElems, columns.end - col)));
            }
            if (writesProbs) {
                Store(permutedProbs[row * tiling->probStride], zeros, 1);
            }
        }
    }

private:
    static constexpr uint32_t kElems = 2048;

    AscendC::TBuf<AscendC::TPosition::VECCALC> zeros_;
};

}  // namespace ops::MoeTokenPermuteWithRoutingMapOp

#endif  // OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_EMPTY_ROWS_H
