// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_LANES_FRACTAL_H
#define TWIN_DEVICE_LANES_FRACTAL_H

#include <cstddef>
#include <cstdint>

namespace twin::lanes {

/// Transposes one square; `gap` is the distance in bytes between the fractals of 512 B into which
/// the result is split. The source is contiguous.
using TurnFn = void (*)(uint8_t* dst, size_t gap, const uint8_t* src);

/// Squares of the fractal transposes, by the bits of an element: 16 x 16 of 16 bits (one fractal),
/// 16 x 16 of 32 bits (two fractals side by side), 32 x 32 of 8 and 64 x 64 of 4 bits (two and four
/// fractals one below the other).
struct FractalTable {
    TurnFn turn4;
    TurnFn turn8;
    TurnFn turn16;
    TurnFn turn32;
};

/// The best version for this machine.
const FractalTable& BestFractal();

}  // namespace twin::lanes

#endif  // TWIN_DEVICE_LANES_FRACTAL_H
