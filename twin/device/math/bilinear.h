// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/fill/patterns.h"
#include "device/gather/gather.h"
#include "device/pipe/tpipe.h"
#include "device/vec/elementwise.h"
#include "device/vec/mask.h"

namespace AscendC {

/// Sums weighted blocks, as older chips do in one instruction: gathers hRepeat * vRepeat repeats of
/// src0 at src0Offset, multiplies them by src1 and adds each hRepeat of them. With repeatMode each
/// block has a weight of its own, otherwise each repeat. Like the library on A2 and A3, the call
/// issues other vector instructions, which use sharedTmpBuffer.
template <typename T>
inline void BilinearInterpolation(const LocalTensor<T>& dst, const LocalTensor<T>& src0,
                                  const LocalTensor<uint32_t>& src0Offset,
                                  const LocalTensor<T>& src1, const ::twin::vec::Mask mask,
                                  uint8_t hRepeat, bool repeatMode, uint16_t dstBlkStride,
                                  uint16_t vROffset, uint8_t vRepeat,
                                  const LocalTensor<uint8_t>& sharedTmpBuffer, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(BilinearInterpolation, T, half);
    ::twin::gather::CheckBilinear(hRepeat, vRepeat, vROffset, here);
    constexpr uint32_t elements = ::twin::kRepeatBytes / sizeof(T);
    const uint32_t repeats = uint32_t{hRepeat} * vRepeat;
    const LocalTensor<T> work = sharedTmpBuffer.template ReinterpretCast<T>();
    const LocalTensor<T> weights = work[repeats * elements];
    Gatherb(work.template ReinterpretCast<uint16_t>(), src0.template ReinterpretCast<uint16_t>(),
            src0Offset, repeats, GatherRepeatParams(), here);
    Brcb(weights, src1, src1.GetSize() / 8, BrcbRepeatParams(), here);
    PipeBarrier<PIPE_V>(here);
    const uint8_t block = repeatMode ? 1 : 0, repeat = repeatMode ? 8 : 1;
    Mul(work, weights, work, elements, repeats, BinaryRepeatParams(1, block, 1, 8, repeat, 8),
        here);
    PipeBarrier<PIPE_V>(here);
    for (uint32_t row = 0; hRepeat > 1 && row < vRepeat; ++row) {
        const LocalTensor<T> sums = work[row * hRepeat * elements];
        Add(sums, sums[elements], sums, mask, hRepeat - 1, BinaryRepeatParams(1, 1, 1, 0, 8, 0),
            here);
    }
    PipeBarrier<PIPE_V>(here);
    UnaryRepeatParams rows;
    rows.srcRepStride = static_cast<uint8_t>(hRepeat * 8);
    rows.dstBlkStride = dstBlkStride;
    rows.dstRepStride = static_cast<uint8_t>(vROffset * sizeof(T) / ::twin::kBlockBytes);
    Adds(dst, work, static_cast<T>(0), mask, vRepeat, rows, here);
}

}  // namespace AscendC
