// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_ROW_GATHER_H
#define OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_ROW_GATHER_H

#include "../common/copy.h"
#include "../common/integers.h"
#include "../common/sync.h"
#include "../common/ub_slices.h"
#include "../moe_token_permute_with_routing_map_tiling.h"
#include "kernel_operator.h"

namespace ops::MoeTokenPermuteWithRoutingMapOp {

/// Collects short rows in UB in any order. A row has rowBlocks blocks of 32 B: 1, 2, 4, or a
/// multiple of 8. One instruction moves up to 2040 blocks. So V needs less time for many rows than
/// the scalar unit and MTE3 would need for a copy per row.
template <typename T>
class RowGather {
public:
    __aicore__ inline void Init(const TilingData* tiling, AscendC::TPipe* pipe) {
        rowBlocks_ = tiling->rowBlocks;
        const uint32_t rows = tiling->pieceRows;
        slices_.Init(rows * (kBlockBytes + rowBlocks_ * sizeof(int32_t)) + kBlockBytes, pipe);
        spread_ = slices_.Take<int32_t>(rows * kPerBlock);
        blocks_ = slices_.Take<int32_t>(rows * rowBlocks_);
        ramp_ = slices_.Take<int32_t>(kPerBlock);
        for (uint32_t i = 0; i < kPerBlock; ++i) {
            ramp_.SetValue(i, static_cast<int32_t>(i % rowBlocks_ * kBlockBytes));
        }
        Sync<AscendC::HardEvent::S_V>();
    }

    /// Copies `count` rows of `from` to consecutive rows of `to`. `offsets` has the byte offset of
    /// each row in `from`. Up to 63 more offsets are read, which may be those of any rows.
    __aicore__ inline void Collect(const AscendC::LocalTensor<T>& to,
                                   const AscendC::LocalTensor<T>& from,
                                   const AscendC::LocalTensor<int32_t>& offsets, uint32_t count) {
        AscendC::LocalTensor<int32_t> blocks = offsets;
        uint32_t rows = count;
        if (rowBlocks_ > 1) {
            blocks = blocks_;
            rows = ListBlocks(blocks, offsets, count);
        }
        const uint32_t repeats = static_cast<uint32_t>(CeilDiv(rows * rowBlocks_, kPerBlock));
        for (uint32_t done = 0; done < repeats; done += kMostRepeats) {
            const uint32_t some = static_cast<uint32_t>(Min(repeats - done, kMostRepeats));
            AscendC::Gatherb(to[done * kBlockElems], from,
                             blocks[done * kPerBlock].template ReinterpretCast<uint32_t>(),
                             static_cast<uint8_t>(some), {1, 8});
        }
    }

private:
    static constexpr uint32_t kPerBlock = 8;       ///< offsets in a block of 32 B
    static constexpr uint32_t kInts = 64;          ///< offsets in one repeat
    static constexpr uint32_t kMostRepeats = 248;  ///< a multiple of 8 below 256
    static constexpr uint32_t kBlockElems = kPerBlock * kElemsPerBlock<T>;  ///< of one repeat

    /// Lists the offsets of all blocks of the rows. Returns the number of rows, rounded up to whole
    /// repeats.
    __aicore__ inline uint32_t ListBlocks(const AscendC::LocalTensor<int32_t>& blocks,
                                          const AscendC::LocalTensor<int32_t>& offsets,
                                          uint32_t count) {
        const uint32_t rows =
            static_cast<uint32_t>(RoundUp(count, rowBlocks_ < kPerBlock ? kInts : kPerBlock));
        const AscendC::LocalTensor<int32_t> spread = spread_;
        AscendC::Brcb(spread, offsets, static_cast<uint8_t>(rows / kPerBlock), {1, 8});
        AscendC::PipeBarrier<PIPE_V>();
        if (rowBlocks_ < kPerBlock) {
            ListShortRows(blocks, spread, rows);
        } else {
            ListLongRows(blocks, spread, rows);
        }
        AscendC::PipeBarrier<PIPE_V>();
        return rows;
    }

    /// A block of offsets belongs to several rows. Each instruction writes one row of each block.
    __aicore__ inline void ListShortRows(const AscendC::LocalTensor<int32_t>& blocks,
                                         const AscendC::LocalTensor<int32_t>& spread,
                                         uint32_t rows) {
        const uint8_t group = static_cast<uint8_t>(kPerBlock / rowBlocks_);
        const uint8_t repeats = static_cast<uint8_t>(rows * rowBlocks_ / kInts);
        const uint8_t step = static_cast<uint8_t>(group * kPerBlock);
        uint64_t mask[2] = {((1U << rowBlocks_) - 1) * 0x0101010101010101ULL, 0};
        for (uint32_t i = 0; i < group; ++i) {
            AscendC::Add(blocks, spread[i * kPerBlock], ramp_, mask, repeats,
                         {1, group, 0, 8, step, 0});
            mask[0] <<= rowBlocks_;
        }
    }

    /// A row needs one or more blocks of offsets. Each instruction writes one block of each row.
    __aicore__ inline void ListLongRows(const AscendC::LocalTensor<int32_t>& blocks,
                                        const AscendC::LocalTensor<int32_t>& spread,
                                        uint32_t rows) {
        const uint32_t perRow = rowBlocks_ / kPerBlock;
        const uint8_t stride = static_cast<uint8_t>(perRow);
        const uint8_t step = static_cast<uint8_t>(rowBlocks_);
        const uint8_t repeats = static_cast<uint8_t>(rows / kPerBlock);
        const uint64_t mask = kInts;
        AscendC::Add(blocks, spread, ramp_, mask, repeats, {stride, 1, 0, step, 8, 0});
        for (uint32_t i = 1; i < perRow; ++i) {
            AscendC::PipeBarrier<PIPE_V>();
            AscendC::Adds(blocks[i * kPerBlock], blocks[(i - 1) * kPerBlock],
                          static_cast<int32_t>(kPerBlock * kBlockBytes), mask, repeats,
                          {stride, stride, step, step});
        }
    }

    uint32_t rowBlocks_;
    UbSlices slices_;
    AscendC::LocalTensor<int32_t> spread_;
    AscendC::LocalTensor<int32_t> blocks_;
    AscendC::LocalTensor<int32_t> ramp_;
};

}  // namespace ops::MoeTokenPermuteWithRoutingMapOp

#endif  // OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_ROW_GATHER_H
