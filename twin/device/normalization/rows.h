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

/// The rounds (loop iterations) in which the library processes the rows. The tiling defines them.
struct Rounds {
    uint32_t count;      ///< number of full rounds
    uint32_t step;       ///< number of rows between the starts of two rounds
    uint32_t taken;      ///< number of rows that a full round computes
    uint32_t tail;       ///< number of rows after the full rounds
    uint32_t tailBegin;  ///< first row after the full rounds
    uint32_t rows;       ///< number of rows of the tensors
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

/// Rows of `pitch` elements, of which the first `valid` are data and the rest is padding.
struct RowShape {
    uint32_t pitch;
    uint32_t valid;
};

/// Host addresses of the tensors of a call.
struct Places {
    uint8_t* output;
    uint8_t* mean;
    uint8_t* variance;
    const uint8_t* x;
    const uint8_t* gamma;
    const uint8_t* beta;
};

/// Fails in strict mode if the padding of a row is not zero (T721): the library sums whole rows.
void CheckPadding(const advanced::Call& call, const char* name, const float* row,
                  const RowShape& shape);
/// Fails with the text `rule` if `sound` is false; also fails if the row sizes are illegal (T703).
void CheckShape(const advanced::Call& call, bool sound, uint32_t rows, const RowShape& shape,
                Dtype dtype, const char* rule);

/// Mean and variance of a row. `Center` computes both as sums of `count` values, with each value
/// multiplied by `share` = 1 / row length. It also subtracts the mean from x.
struct Moments {
    float mean;
    float variance;
};
Moments Center(float* x, uint32_t elements, uint32_t count, float share);
/// Converts weights to floats in advanced::Row(slot); returns null if `from` is null.
const float* Weights(const uint8_t* from, Dtype dtype, uint32_t slot, uint32_t elements);
/// Sets x = x * scale * gamma + beta; gamma and beta may be null.
void Scale(float* x, uint32_t elements, float scale, const float* gamma, const float* beta);

/// Returns the rounds that a LayerNormTiling or DeepNormTiling defines.
template <typename Tiling>
Rounds RoundsOf(const Tiling& t) {
    return {t.loopRound,       t.meanVarRoundSize, t.bsCurLength,
            t.meanVarTailSize, t.meanVarTailPos,   t.bLength * t.sLength};
}

/// Writes the size of the last round to the tiling, as the library does. A second call with this
/// tiling therefore computes too few rows.
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

/// Returns the scratch size of a call: three buffers, or two if the source serves as a buffer.
template <typename Tiling>
advanced::TmpNeed ScratchOf(const Tiling& t, bool twoPieces) {
    const uint64_t last = twoPieces ? t.secondTmpStartPos : t.thirdTmpStartPos;
    return {uint64_t{t.tmpBufSize} * sizeof(float), (last + t.oneTmpSize) * sizeof(float)};
}

/// Returns true if the tiling has the usual scratch positions, which the instruction lists assume.
template <typename Tiling>
bool PlacedAsUsual(const Tiling& t, uint32_t rows, Dtype dtype) {
    const uint32_t stats = (rows + 7) / 8 * 8;
    const bool half = dtype == Dtype::F16;
    return t.meanTmpTensorPos == 0 && (!half || t.varianceTmpTensorPos == stats) &&
           t.firstTmpStartPos == (half ? 2 * stats : 0) &&
           t.secondTmpStartPos == t.firstTmpStartPos + t.oneTmpSize &&
           t.thirdTmpStartPos == t.secondTmpStartPos + t.oneTmpSize;
}

// The functions below list instructions of the library that process `m` rows of `h` floats.

/// Bits of CallShape::form of LayerNormGrad and LayerNormGradBeta. kReuse: the sources serve as
/// scratch. kElsewhere: the tiling has other scratch positions than usual.
struct LayerNormGradForm {
    static constexpr uint32_t kReuse = 1, kElsewhere = 2;
};

/// Sums each row of `x`, which is overwritten. Writes the sums side by side to `all`, and each sum
/// to the first element of its row in `first`.
void SumRows(CallSteps s, View all, View first, View x, int64_t m, int64_t h);
/// Fills row i of `dst` with the first element of row i of `src`, by a `Select` with mask 0.
void FillRows(CallSteps s, View dst, View src, int64_t m, int64_t h);
/// Lists the instructions that compute dst = src op `row` for each row of src.
void WithRow(CallSteps s, Opcode op, View dst, View src, View row, int64_t m, int64_t h);
/// Fills row i of `dst` with element i of `src`, which the scalar unit reads.
void FillByScalar(CallSteps s, View dst, View src, int64_t m, int64_t h, int64_t valid);

/// Lists the instructions with which Normalize, and LayerNorm with rstd, normalise rows of x.
struct NormalizeRows {
    View out, rstd, mean, variance, x, gamma, beta;
    View work;     ///< scratch
    int64_t room;  ///< number of floats in the scratch
    bool gammas, betas, halves;

    void operator()(CallSteps s) const;
};

}  // namespace twin::norm
