// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_LANES_GATHER_H
#define TWIN_DEVICE_LANES_GATHER_H

#include <cstddef>
#include <cstdint>

namespace twin::lanes {

/// Sets dst[i] to the element at `base` + offsets[i] bytes.
using GatherFn = void (*)(void* dst, const uint8_t* base, const uint32_t* offsets, size_t count);
/// Packs the elements whose bit is set and returns their number. Bit i of `bits` belongs to src[i].
/// dst may be src or come before it.
using PackFn = size_t (*)(void* dst, const void* src, const uint8_t* bits, size_t count);
/// Packs src[first], src[first + step], ...; returns their number.
using PickFn = size_t (*)(void* dst, const void* src, size_t first, size_t step, size_t count);

/// Summary of a list of byte offsets, so that one check decides whether the list is legal.
struct OffsetFacts {
    uint32_t smallest;
    uint32_t largest;
    uint32_t anyBits;  ///< all offsets combined by or: shows misaligned ones
};

struct GatherTable {
    OffsetFacts (*inspect)(const uint32_t* offsets, size_t count);
    GatherFn gather16, gather32;
    PackFn pack16, pack32;
    PickFn pick16, pick32;
    size_t (*countBits)(const uint8_t* bits, size_t count);
};

const GatherTable& BestGather();

}  // namespace twin::lanes

#endif  // TWIN_DEVICE_LANES_GATHER_H
