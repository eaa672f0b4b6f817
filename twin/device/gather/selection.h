// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_GATHER_SELECTION_H
#define TWIN_DEVICE_GATHER_SELECTION_H

#include "device/gather/params.h"
#include "device/vec/shapes.h"

namespace twin::gather {

/// Sets dst[i] to the element `base` + offsets[i] bytes after the start of src, under a mask.
TWIN_API void RunGather(Dtype dtype, const Operand& dst, const Operand& src, const Operand& offsets,
                        uint32_t base, const vec::Extent& extent, uint32_t repeatStride,
                        Location where);
/// The count form: whole repeats, then the rest, each with a separate mask.
TWIN_API void RunGatherCount(Dtype dtype, const Operand& dst, const Operand& src,
                             const Operand& offsets, uint32_t base, uint32_t count, Location where);
/// Gathers eight blocks of 32 B per repeat.
TWIN_API void RunGatherb(Dtype dtype, const Operand& dst, const Operand& src,
                         const Operand& offsets, uint8_t repeats,
                         const AscendC::GatherRepeatParams& strides, Location where);

/// The elements that GatherMask keeps: a pattern of the chip (1..7), or the bits of a tensor.
struct Pattern {
    uint8_t builtIn = 0;
    const Operand* bits = nullptr;
};

/// Returns the number of kept elements.
TWIN_API uint64_t RunGatherMask(Dtype dtype, const Operand& dst, const Operand& src,
                                const Pattern& pattern, bool counted, uint32_t mask,
                                const AscendC::GatherMaskParams& params, Location where);

}  // namespace twin::gather

#endif  // TWIN_DEVICE_GATHER_SELECTION_H
