// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_TIMING_TICKS_H
#define TWIN_TIMING_TICKS_H

#include <cstdint>

namespace twin::timing {

/// Modelled time in 1/1024 of a core's cycle. Ticks are integers, so every machine computes the
/// same.
using Ticks = uint64_t;
constexpr Ticks kCycle = 1024;

constexpr Ticks Cycles(double cycles) { return static_cast<Ticks>(cycles * kCycle + 0.5); }

/// Ticks per byte in 1/65536, so that a product with bytes keeps its precision.
class Rate {
public:
    constexpr Rate() = default;
    constexpr explicit Rate(double bytesPerCycle)
        : perByte_(static_cast<uint64_t>(65536.0 * kCycle / bytesPerCycle + 0.5)) {}
    constexpr Ticks Of(uint64_t bytes) const { return bytes * perByte_ >> 16; }

private:
    uint64_t perByte_ = 0;
};

}  // namespace twin::timing

#endif  // TWIN_TIMING_TICKS_H
