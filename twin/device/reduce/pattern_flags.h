// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/reduce/pattern_steps.h"
#include "device/vec/cast.h"

// ReduceAny and ReduceAll of uint8_t elements, which are 0 or 1.

namespace twin::reduce {

/// Reduces columns: combines the bits of two elements at once, as int16_t.
template <PatternOp op, bool reuse>
void FlagsOfColumns(const AscendC::LocalTensor<uint8_t>& dst,
                    const AscendC::LocalTensor<uint8_t>& src,
                    const AscendC::LocalTensor<uint8_t>& tmp, const AxisShape& m, Location here) {
    AxisShape pairs = m;
    pairs.last = (m.last + 1) / 2;
    pairs.pitch = m.pitch / 2;
    ReduceFirstAxis<op, reuse>(dst.template ReinterpretCast<int16_t>(),
                               src.template ReinterpretCast<int16_t>(),
                               tmp.template ReinterpretCast<int16_t>(), pairs, here);
}

/// Finds the extremes of blocks of half, of which the first `valid` elements count.
template <PatternOp op>
void ExtremesOfBlocks(const AscendC::LocalTensor<half>& dst, const AscendC::LocalTensor<half>& src,
                      uint32_t blocks, uint32_t valid, Location here) {
    const uint64_t four = ((uint64_t{1} << valid) - 1) * 0x0001000100010001U;
    const auto reduce = [&](uint32_t block, uint32_t repeats, const uint64_t* mask) {
        const auto count = static_cast<int32_t>(repeats);
        if constexpr (op == PatternOp::Or) {
            AscendC::BlockReduceMax(dst[block], src[block * 16], count, mask, 1, 1, 8, here);
        } else {
            AscendC::BlockReduceMin(dst[block], src[block * 16], count, mask, 1, 1, 8, here);
        }
    };
    const uint64_t whole[] = {four, four};
    ForRows(blocks / 8, [&](uint32_t repeat, uint32_t count) { reduce(repeat * 8, count, whole); });
    if (const uint32_t rest = blocks % 8; rest != 0) {
        const auto low = [&](uint32_t count) {
            return count >= 4 ? four : four & ((uint64_t{1} << 16 * count) - 1);
        };
        const uint64_t some[] = {low(rest), rest > 4 ? low(rest - 4) : 0};
        reduce(blocks - rest, 1, some);
    }
    AscendC::PipeBarrier<PIPE_V>(here);
}

/// Reduces rows, as half: halves each row until one block is left, then reduces these blocks.
template <PatternOp op>
void FlagsOfRows(const AscendC::LocalTensor<uint8_t>& dst, const AscendC::LocalTensor<uint8_t>& src,
                 const AscendC::LocalTensor<uint8_t>& scratch, const AxisShape& m, Location here) {
    constexpr PatternOp extreme = op == PatternOp::Or ? PatternOp::Max : PatternOp::Min;
    constexpr uint32_t block = kBlockBytes / sizeof(half);
    const AscendC::LocalTensor<half> work = scratch.template ReinterpretCast<half>();
    const AscendC::LocalTensor<half> blocks = work[m.pitch];
    const uint32_t power = m.last < kBlockBytes ? 0 : LowerPower(m.last);
    for (uint32_t row = 0; row < m.first; ++row) {
        AscendC::Cast(work, src[row * m.pitch], AscendC::RoundMode::CAST_NONE,
                      static_cast<int32_t>(m.pitch), here);
        AscendC::PipeBarrier<PIPE_V>(here);
        if (power != 0 && power != m.last) {
            Combine<extreme>(work, work, work[power], m.last - power, here);
        }
        for (uint32_t width = power; width > block;) {
            width /= 2;
            Combine<extreme>(work, work, work[width], width, here);
        }
        Move(blocks[row * block], work, block, here);
    }
    ExtremesOfBlocks<op>(work, blocks, m.first, std::min(m.last, block), here);
    AscendC::Cast(dst, work, AscendC::RoundMode::CAST_NONE, static_cast<int32_t>(m.first), here);
    AscendC::PipeBarrier<PIPE_V>(here);
}

}  // namespace twin::reduce
