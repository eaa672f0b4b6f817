// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "core/float16.h"
#include "core/library_steps.h"
#include "device/library/call.h"
#include "device/library/tmp.h"
#include "device/vec/shapes.h"
#include "kernel_tiling/advanced_tilings.h"

namespace twin::norm {

/// Rows that the library processes in rounds, by the tiling of its family.
struct Rounds {
    uint32_t count;      ///< number of full rounds
    uint32_t step;       ///< rows from one round to the next
    uint32_t taken;      ///< rows of a full round
    uint32_t tail;       ///< number of rows after them
    uint32_t tailBegin;  ///< first of these rows
    uint32_t rows;       ///< rows of the tensors
};

/// Calls step(row) for every row that the rounds compute.
template <typename Step>
void ForRows(const Rounds& rounds, Step step) {
    const auto some = [&](uint32_t begin, uint32_t count) {
        for (uint32_t i = begin; i < begin + count && i < rounds.rows; ++i) {
            step(i);
        }
    };
    for (uint32_t i = 0; i < rounds.count; ++i) {
        some(i * rounds.step, rounds.taken);
    }
    some(rounds.tailBegin, rounds.tail);
}

/// Rows of `pitch` elements, of which `valid` are the data and the rest is padding.
struct RowShape {
    uint32_t pitch;
    uint32_t valid;
};

/// The tensors of a call as host memory.
struct Places {
    uint8_t* output;
    uint8_t* mean;
    uint8_t* variance;
    const uint8_t* x;
    const uint8_t* gamma;
    const uint8_t* beta;
};

/// Strict mode: if the library also adds up the padding of a row, the padding must be zeros (T721).
void CheckPadding(const advanced::Call& call, const char* name, const float* row,
                  const RowShape& shape);
/// Fails with T703 and `rule` unless `sound`.
void CheckShape(const advanced::Call& call, bool sound, uint32_t rows, const RowShape& shape,
                Dtype dtype, const char* rule);

/// Computes mean and variance of x, each as a sum of products with `share` over `count` elements; x
/// becomes its distance from the mean.
struct Moments {
    float mean;
    float variance;
};
Moments Center(float* x, uint32_t elements, uint32_t count, float share);
/// Weights of a row as floats, in advanced::Row(slot); null if the call has none.
const float* Weights(const uint8_t* from, Dtype dtype, uint32_t slot, uint32_t elements);
/// y = x * scale * gamma + beta; gamma and beta may be null.
void Scale(float* x, uint32_t elements, float scale, const float* gamma, const float* beta);

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

/// Returns true if the pieces are at the places in the scratch that the host's tiling gives, which
/// the steps of the call assume.
template <typename Tiling>
bool PlacedAsUsual(const Tiling& t, uint32_t rows, Dtype dtype) {
    const uint32_t stats = (rows + 7) / 8 * 8;
    const bool half = dtype == Dtype::F16;
    return t.meanTmpTensorPos == 0 && (!half || t.varianceTmpTensorPos == stats) &&
           t.firstTmpStartPos == (half ? 2 * stats : 0) &&
           t.secondTmpStartPos == t.firstTmpStartPos + t.oneTmpSize &&
           t.thirdTmpStartPos == t.secondTmpStartPos + t.oneTmpSize;
}

// Several normalizations share these steps on `m` rows of `h` floats.

/// Bits of CallShape::form of LayerNormGrad and LayerNormGradBeta.
struct LayerNormGradForm {
    static constexpr uint32_t kReuse = 1, kElsewhere = 2;
};

/// Sums each row into `all`, side by side, and into the row's place in `first`. Folds `x`.
void SumRows(CallSteps s, View all, View first, View x, int64_t m, int64_t h);
/// Fills each row of `dst` with the first element of the row of `src`, by a selection of no
/// element.
void FillRows(CallSteps s, View dst, View src, int64_t m, int64_t h);
/// dst = src op row, row by row.
void WithRow(CallSteps s, Opcode op, View dst, View src, View row, int64_t m, int64_t h);
/// Fills rows of `dst` with elements of `src`, which are read one by one.
void FillByScalar(CallSteps s, View dst, View src, int64_t m, int64_t h, int64_t valid);

/// Normalize and the LayerNorm with rstd use their means and variances with these steps.
struct NormalizeRows {
    View out, rstd, mean, variance, x, gamma, beta;
    View work;     ///< scratch
    int64_t room;  ///< floats in it
    bool gammas, betas, halves;

    void operator()(CallSteps s) const;
};

}  // namespace twin::norm
