// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_RUN_LIST_H
#define OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_RUN_LIST_H

#include "../common/copy.h"
#include "../common/sync.h"
#include "../common/ub_slices.h"
#include "../moe_token_permute_with_routing_map_tiling.h"
#include "bits.h"
#include "expert_counter.h"
#include "kernel_operator.h"
#include "map_tile.h"
#include "turned_matrix.h"

namespace ops::MoeTokenPermuteWithRoutingMapOp {

/// Lists the routed elements of a tile of the map, expert by expert. The elements of one expert are
/// a run, because their rows of the output are consecutive. A copy to GM starts at a block of UB.
/// Therefore fillers follow each run in the list, until the run's last block of probs is full.
class RunList {
public:
    /// `probBlock` is the number of probs in a block of 32 B.
    __aicore__ inline void Init(GM_ADDR map, const TilingData* tiling, uint32_t probBlock,
                                AscendC::TPipe* pipe) {
        outRows_ = tiling->outRows;
        rows_ = tiling->runRows;
        cols_ = tiling->runCols;
        pitch_ = rows_ + kFillRows;
        map_.Init(map, tiling, pipe, pitch_ * cols_, 1);
        const uint32_t elems = pitch_ * cols_;
        slices_.Init(
            elems * (sizeof(half) + sizeof(int16_t)) + elems / 8 +
                cols_ * (sizeof(half) + 2 * sizeof(int16_t) + sizeof(float) + 4 * sizeof(int32_t)) +
                kBlockBytes,
            pipe);
        turned_ = slices_.Take<half>(elems);
        numbers_ = slices_.Take<int16_t>(elems);
        bits_ = slices_.Take<uint8_t>(elems / 8);
        counts_ = slices_.Take<half>(cols_);
        filling_ = slices_.Take<int16_t>(2 * cols_);
        ramp_ = slices_.Take<half>(kFillRows);
        floats_ = slices_.Take<float>(cols_);
        runs_ = slices_.Take<int32_t>(4 * cols_);
        AscendC::CreateVecIndex(ramp_, static_cast<half>(0.0f), kFillRows);
        AscendC::Duplicate(filling_, static_cast<int16_t>(probBlock - 1),
                           static_cast<int32_t>(cols_));
        NumberElements();
    }

    __aicore__ inline void CopyIn(const Rect& rect) { map_.CopyIn(rect); }

    /// Lists the elements that CopyIn() has loaded. `next` has the next output position of each of
    /// the tile's experts, and is advanced.
    __aicore__ inline void Find(const Rect& rect, const AscendC::LocalTensor<float>& next) {
        const AscendC::LocalTensor<half> ones = map_.Compute(rect);
        const AscendC::LocalTensor<half> turned = turned_;
        if (rect.rows < rows_) {
            AscendC::Duplicate(ones[rect.Elems()], static_cast<half>(0.0f),
                               static_cast<int32_t>((rows_ - rect.rows) * cols_));
            AscendC::PipeBarrier<PIPE_V>();
        }
        FindRuns(ones, next);
        TurnMatrix({turned, pitch_}, {ones, cols_}, rows_, cols_);
        FillBlocks();
        AscendC::CompareScalar(bits_, turned, static_cast<half>(0.0f), AscendC::CMPMODE::GT,
                               cols_ * pitch_);
        AscendC::PipeBarrier<PIPE_V>();
        // The list replaces `ones`, which nothing reads any more.
        list_ = ones.ReinterpretCast<int16_t>();
        AscendC::GatherMask(list_, numbers_, bits_.ReinterpretCast<uint16_t>(), true,
                            cols_ * pitch_, OneRepeat(), length_);
    }

    /// Waits until the scalar unit may read the runs.
    __aicore__ inline void Wait() { Sync<AscendC::HardEvent::V_S>(); }

    /// Returns the listed numbers: row * runCols + column. Fillers have numbers of existing
    /// elements.
    __aicore__ inline const AscendC::LocalTensor<int16_t>& List() const { return list_; }
    __aicore__ inline uint32_t Length() const { return static_cast<uint32_t>(length_); }
    /// Returns the numbers of routed tokens by expert, and then the first output row by expert. The
    /// call of Find() after the next one overwrites them.
    __aicore__ inline AscendC::LocalTensor<int32_t> Runs() { return runs_[isOdd_ ? 2 * cols_ : 0]; }

private:
    static constexpr uint32_t kBrcbElems = 8;  ///< elements that one repeat of Brcb reads
    static constexpr uint64_t kHalves = 128;   ///< elements of half in one repeat

    /// Writes the numbers of all elements in the order of the transposed tile. The numbers of an
    /// expert are one higher than those of the previous expert. Fillers get numbers of row 0.
    __aicore__ inline void NumberElements() {
        const AscendC::LocalTensor<int16_t> numbers = numbers_;
        AscendC::CreateVecIndex(numbers, static_cast<int16_t>(0), pitch_);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Muls(numbers, numbers, static_cast<int16_t>(cols_), static_cast<int32_t>(rows_));
        AscendC::Duplicate(numbers[rows_], static_cast<int16_t>(0),
                           static_cast<int32_t>(kFillRows));
        AscendC::PipeBarrier<PIPE_V>();
        for (uint32_t done = 1; done < cols_; done *= 2) {
            AscendC::Adds(numbers[done * pitch_], numbers, static_cast<int16_t>(done),
                          static_cast<int32_t>(done * pitch_));
            AscendC::PipeBarrier<PIPE_V>();
        }
    }

    /// Computes how many tokens each expert has, and to which output rows they go. The sums are
    /// exact in half, because a tile has at most 480 rows.
    __aicore__ inline void FindRuns(const AscendC::LocalTensor<half>& ones,
                                    const AscendC::LocalTensor<float>& next) {
        const int32_t cols = static_cast<int32_t>(cols_);
        const AscendC::LocalTensor<half> sums = turned_;
        const AscendC::LocalTensor<float> floats = floats_;
        isOdd_ = !isOdd_;
        const AscendC::LocalTensor<int32_t> runs = Runs();
        const uint32_t upper = rows_ / 2;
        AscendC::Add(sums, ones, ones[upper * cols_], static_cast<int32_t>(upper * cols_));
        AscendC::PipeBarrier<PIPE_V>();
        FoldRows(sums, upper, cols_);
        AscendC::Cast(runs, sums, AscendC::RoundMode::CAST_RINT, cols_);
        AscendC::Cast(filling_[cols_], sums, AscendC::RoundMode::CAST_RINT, cols_);
        AscendC::Mins(floats, next, static_cast<float>(outRows_), cols);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Cast(runs[cols_], floats, AscendC::RoundMode::CAST_RINT, cols_);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Cast(floats, sums, AscendC::RoundMode::CAST_NONE, cols_);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Add(next, next, floats, cols);
    }

    /// Marks fillers after each run as routed, until the run's last block is full.
    __aicore__ inline void FillBlocks() {
        const AscendC::LocalTensor<int16_t> rest = filling_;
        const AscendC::LocalTensor<int16_t> filling = rest[cols_];
        const AscendC::LocalTensor<half> counts = counts_;
        const int32_t cols = static_cast<int32_t>(cols_);
        AscendC::Muls(filling, filling, static_cast<int16_t>(-1), cols);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::And(filling, filling, rest, cols);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Cast(counts, filling, AscendC::RoundMode::CAST_NONE, cols_);
        AscendC::PipeBarrier<PIPE_V>();
        const AscendC::LocalTensor<half> fillers = turned_[rows_];
        const uint8_t blocks = static_cast<uint8_t>(pitch_ / kElemsPerBlock<half>);
        const uint8_t step = blocks * kBrcbElems;
        const uint8_t repeats = static_cast<uint8_t>(cols_ / kBrcbElems);
        AscendC::Brcb(fillers, counts, repeats, {blocks, step});
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Sub(fillers, fillers, ramp_, kHalves, repeats, {blocks, blocks, 0, step, step, 0});
        AscendC::PipeBarrier<PIPE_V>();
    }

    int64_t outRows_;
    uint32_t rows_;
    uint32_t cols_;
    uint32_t pitch_;  ///< row length of the transposed tile: its tokens, then a block of fillers
    uint64_t length_;
    bool isOdd_ = false;
    MapTile map_;
    AscendC::LocalTensor<int16_t> list_;
    UbSlices slices_;
    AscendC::LocalTensor<half> turned_;
    AscendC::LocalTensor<int16_t> numbers_;
    AscendC::LocalTensor<uint8_t> bits_;
    AscendC::LocalTensor<half> counts_;      ///< number of fillers by expert
    AscendC::LocalTensor<int16_t> filling_;  ///< a mask, then filler counts by expert
    AscendC::LocalTensor<half> ramp_;
    AscendC::LocalTensor<float> floats_;
    AscendC::LocalTensor<int32_t> runs_;  ///< token counts and positions of two tiles
};

}  // namespace ops::MoeTokenPermuteWithRoutingMapOp

#endif  // OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_RUN_LIST_H
