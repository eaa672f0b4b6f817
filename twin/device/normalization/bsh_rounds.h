// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_NORMALIZATION_BSH_ROUNDS_H
#define TWIN_DEVICE_NORMALIZATION_BSH_ROUNDS_H

#include <algorithm>

#include "core/float16.h"
#include "device/library/call.h"
#include "device/library/tiling_rules.h"
#include "device/normalization/rows.h"

namespace twin::norm {

/// Rounds of a LayerNormTiling or DeepNormTiling, which have the same fields. The library leaves
/// the size of the last round in the caller's tiling, so that a second call with it computes too
/// little.
template <typename Tiling>
Rounds RoundsOf(const Tiling& t) {
    return {t.loopRound,       t.meanVarRoundSize, t.bsCurLength,
            t.meanVarTailSize, t.meanVarTailPos,   t.bLength * t.sLength};
}

template <typename Tiling>
void LeaveLastRound(Tiling* t) {
    if (t->inputTailSize > 0) {
        t->bshCurLength = t->inputTailSize;
        t->bsCurLength = t->meanVarTailSize;
    }
}

template <typename Tiling>
void CheckRounds(const advanced::Call& call, const Tiling& t) {
    const uint32_t rows = t.bLength * t.sLength;
    const uint32_t all = rows * t.hLength;
    const uint32_t once = t.oneTmpSize;
    const uint32_t tail = once == 0 ? 0 : all % once;
    advanced::CheckFields(call.api(),
                          {{"inputXSize", t.inputXSize, all},
                           {"meanVarSize", t.meanVarSize, rows},
                           {"oneTmpSize", once, std::max(once / t.hLength, 1U) * t.hLength},
                           {"loopRound", t.loopRound, all / std::max(once, 1U)},
                           {"inputRoundSize", t.inputRoundSize, once},
                           {"inputTailSize", t.inputTailSize, tail},
                           {"inputTailPos", t.inputTailPos, all - tail},
                           {"meanVarRoundSize", t.meanVarRoundSize, once / t.hLength},
                           {"meanVarTailSize", t.meanVarTailSize, tail / t.hLength},
                           {"meanVarTailPos", t.meanVarTailPos, rows - tail / t.hLength},
                           {"bshCurLength", t.bshCurLength, once},
                           {"bsCurLength", t.bsCurLength, once / t.hLength},
                           {"the bits of lastDimValueBack", BitsOf(t.lastDimValueBack),
                            BitsOf(1.0F / static_cast<float>(t.originalHLength))}});
}

/// Scratch of a call whose tiling has three positions for pieces; two if the source is reused.
template <typename Tiling>
advanced::TmpNeed ScratchOf(const Tiling& t, bool twoPieces) {
    const uint64_t last = twoPieces ? t.secondTmpStartPos : t.thirdTmpStartPos;
    return {uint64_t{t.tmpBufSize} * sizeof(float), (last + t.oneTmpSize) * sizeof(float)};
}

/// True if the pieces are at the places in the scratch that the host's tiling gives, which the
/// steps of the call assume.
template <typename Tiling>
bool PlacedAsUsual(const Tiling& t, uint32_t rows, Dtype dtype) {
    const uint32_t stats = (rows + 7) / 8 * 8;
    const bool half = dtype == Dtype::F16;
    return t.meanTmpTensorPos == 0 && (!half || t.varianceTmpTensorPos == stats) &&
           t.firstTmpStartPos == (half ? 2 * stats : 0) &&
           t.secondTmpStartPos == t.firstTmpStartPos + t.oneTmpSize &&
           t.thirdTmpStartPos == t.secondTmpStartPos + t.oneTmpSize;
}

}  // namespace twin::norm

#endif  // TWIN_DEVICE_NORMALIZATION_BSH_ROUNDS_H
