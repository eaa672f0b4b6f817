// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/library_steps.h"

// Several normalizations share these steps on `m` rows of `h` floats.
namespace twin::norm {

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
