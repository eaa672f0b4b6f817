// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_NORMALIZATION_ROWS_H
#define TWIN_DEVICE_NORMALIZATION_ROWS_H

#include "device/library/tmp.h"
#include "device/vec/shapes.h"
#include "kernel_tiling/advanced_tilings.h"

namespace twin::advanced {
class Call;
}

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

}  // namespace twin::norm

#endif  // TWIN_DEVICE_NORMALIZATION_ROWS_H
