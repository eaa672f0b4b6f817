// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/fill/patterns.h"
#include "device/gather/gather.h"
#include "device/reduce/pattern_steps.h"
#include "device/vec/duplicate.h"

namespace twin::reduce {

/// Multiplies a row's elements beyond a power of two by the first ones, then halves the row until
/// at most one block is left in `work`. Returns how many elements are left.
template <bool reuse>
uint32_t ProductOfBlock(const AscendC::LocalTensor<float>& work,
                        const AscendC::LocalTensor<float>& row, uint32_t last, Location here) {
    constexpr uint32_t block = kBlockBytes / sizeof(float);
    uint32_t width = LowerPower(last);
    if (last >= block && width != last) {
        if constexpr (!reuse) {
            Move(work, row, width, here);
        }
        Combine<PatternOp::Product>(work, work, row[width], last - width, here);
    } else if (!reuse && width > block) {
        width /= 2;
        Combine<PatternOp::Product>(work, row, row[width], width, here);
    } else if constexpr (!reuse) {
        Move(work, row, last, here);
    }
    while (width > block) {
        width /= 2;
        Combine<PatternOp::Product>(work, work, work[width], width, here);
    }
    return last < block ? last : block;
}

/// Multiplies the elements of each row. The last block of a row becomes one block for each element,
/// so that its elements can be multiplied, too. The results, one per block, are then packed.
template <bool reuse>
void ProductOfRows(const AscendC::LocalTensor<float>& dst, const AscendC::LocalTensor<float>& src,
                   const AscendC::LocalTensor<float>& tmp, const AxisShape& m, Location here) {
    constexpr uint32_t block = kBlockBytes / sizeof(float);
    constexpr uint32_t repeat = kRepeatBytes / sizeof(float);
    const AscendC::LocalTensor<float> results = reuse ? src : tmp[repeat];
    for (uint32_t row = 0; row < m.first; ++row) {
        const AscendC::LocalTensor<float> from = src[row * m.pitch];
        const AscendC::LocalTensor<float> work = reuse ? from : results[row * block];
        const uint32_t left = ProductOfBlock<reuse>(work, from, m.last, here);
        AscendC::Brcb(tmp, work, 1, {1, 8}, here);
        AscendC::PipeBarrier<PIPE_V>(here);
        uint32_t width = LowerPower(left);
        if (width != left) {
            Combine<PatternOp::Product>(tmp, tmp, tmp[width * block], (left - width) * block, here);
        }
        while (width > 1) {
            width /= 2;
            Combine<PatternOp::Product>(tmp, tmp, tmp[width * block], width * block, here);
        }
        Move(results[row * block], tmp, block, here);
    }
    const auto first = tmp.template ReinterpretCast<uint32_t>();
    AscendC::Duplicate(first, 1U, static_cast<int32_t>(repeat), here);
    AscendC::PipeBarrier<PIPE_V>(here);
    uint64_t kept = 0;
    AscendC::GatherMask(dst, results, first, true, block, {1, static_cast<uint16_t>(m.first), 1, 0},
                        kept, here);
    AscendC::PipeBarrier<PIPE_V>(here);
}

}  // namespace twin::reduce
