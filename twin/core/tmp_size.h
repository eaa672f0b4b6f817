// SPDX-License-Identifier: Apache-2.0
#pragma once

// Bytes of scratch of advanced calls: one set of rules for the host's Get...MaxMinTmpSize functions
// and for the checks of the device.

#include <cstdint>

#include "core/elementary_op.h"
#include "core/types.h"

namespace twin::advanced {

/// The minimum with which the host's functions promise that the call works, and the largest useful
/// size.
struct TmpSize {
    uint64_t max = 0;
    uint64_t min = 0;
};

/// Scratch of an elementwise function: live buffers with the bytes that each takes per element (at
/// least 256 in all), and whether the destination may be the source.
struct ElementaryRule {
    uint8_t halfBuffers;
    uint8_t halfUnit;
    uint8_t floatBuffers;
    uint8_t reuseBuffers;  ///< the same for float with isReuseSource; equal: no effect
    bool halfInPlace;
    bool floatInPlace;
};
TWIN_API const ElementaryRule& RuleOf(ElementaryOp op);
/// For every function but Power and the clamps.
TWIN_API TmpSize ElementaryTmp(ElementaryOp op, uint32_t typeSize, uint64_t elements,
                               bool reuseSource);
/// Scratch per element, in elements.
TWIN_API uint32_t ElementaryFactor(ElementaryOp op, uint32_t typeSize);
TWIN_API TmpSize ClampTmp(uint32_t typeSize, uint64_t elements);
TWIN_API TmpSize XorTmp(uint32_t typeSize, uint64_t elements);
TWIN_API uint32_t PowerFactor(bool bothTensors, bool integer, uint32_t typeSize);
TWIN_API TmpSize PowerTmp(bool bothTensors, bool integer, uint32_t typeSize, uint64_t elements);

/// For a source of int32_t [rows, columns].
TWIN_API TmpSize DequantTmp(uint64_t rows, uint64_t columns);
TWIN_API TmpSize QuantTmp(uint64_t elements);
/// For a result of bfloat16_t; half needs none. `scales` is the number of elements of the scale, 1
/// for a number.
TWIN_API TmpSize AntiQuantTmp(uint64_t rows, uint64_t elements, uint64_t scales, bool transposed);
TWIN_API TmpSize CumSumTmp(uint32_t typeSize, uint64_t outer, uint64_t inner, bool lastAxis);
TWIN_API TmpSize PadTmp(uint64_t rows, uint64_t columns);
TWIN_API TmpSize DropOutTmp(uint64_t elements);

/// Bytes that a broadcast of bytes needs for its operands as half; 0 for other types.
TWIN_API uint64_t BroadcastCasts(uint32_t typeSize, uint64_t srcElements, uint64_t dstElements);
/// For a broadcast from [rows, 1], [1, columns] or one element to [rows, columns].
TWIN_API TmpSize BroadcastTmp(uint32_t typeSize, uint64_t srcElements, uint64_t rows,
                              uint64_t columns);

}  // namespace twin::advanced
