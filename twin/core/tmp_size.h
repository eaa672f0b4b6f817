// SPDX-License-Identifier: Apache-2.0
#pragma once

// Sizes in bytes of the temporary buffers (scratch) of calls of the advanced API. The host's
// Get...MaxMinTmpSize functions and the checks on the device use the same rules.

#include <cstdint>

#include "core/elementary_op.h"
#include "core/types.h"

namespace twin::advanced {

/// The smallest size with which a call works according to the host's functions, and the largest
/// size that is useful.
struct TmpSize {
    uint64_t max = 0;
    uint64_t min = 0;
};

/// Temporary buffer of an elementwise function: number of parts, bytes per element in a part, and
/// whether the destination may be the source. A part has at least 256 B.
struct ElementaryRule {
    uint8_t halfBuffers;
    uint8_t halfUnit;
    uint8_t floatBuffers;
    uint8_t reuseBuffers;  ///< number of parts for float if isReuseSource is true
    bool halfInPlace;
    bool floatInPlace;
};
TWIN_API const ElementaryRule& RuleOf(ElementaryOp op);
/// Returns the sizes for `op`, which may be any function except Power and the clamps.
TWIN_API TmpSize ElementaryTmp(ElementaryOp op, uint32_t typeSize, uint64_t elements,
                               bool reuseSource);
/// Returns the size of the temporary buffer as a multiple of the source's size.
TWIN_API uint32_t ElementaryFactor(ElementaryOp op, uint32_t typeSize);
TWIN_API TmpSize ClampTmp(uint32_t typeSize, uint64_t elements);
TWIN_API TmpSize XorTmp(uint32_t typeSize, uint64_t elements);
TWIN_API uint32_t PowerFactor(bool bothTensors, bool integer, uint32_t typeSize);
TWIN_API TmpSize PowerTmp(bool bothTensors, bool integer, uint32_t typeSize, uint64_t elements);

/// Returns the sizes for an int32_t source of shape [rows, columns].
TWIN_API TmpSize DequantTmp(uint64_t rows, uint64_t columns);
TWIN_API TmpSize QuantTmp(uint64_t elements);
/// Returns the sizes for a bfloat16_t result; half needs no temporary buffer. `scales` is the
/// number of elements of the scale; 1 if it is a scalar.
TWIN_API TmpSize AntiQuantTmp(uint64_t rows, uint64_t elements, uint64_t scales, bool transposed);
TWIN_API TmpSize CumSumTmp(uint32_t typeSize, uint64_t outer, uint64_t inner, bool lastAxis);
TWIN_API TmpSize PadTmp(uint64_t rows, uint64_t columns);
TWIN_API TmpSize DropOutTmp(uint64_t elements);

/// Returns the bytes of UB into which a broadcast casts operands of 1-byte types; else 0.
TWIN_API uint64_t BroadcastCasts(uint32_t typeSize, uint64_t srcElements, uint64_t dstElements);
/// Returns the sizes for a broadcast of [rows, 1], [1, columns] or one element to [rows, columns].
TWIN_API TmpSize BroadcastTmp(uint32_t typeSize, uint64_t srcElements, uint64_t rows,
                              uint64_t columns);

}  // namespace twin::advanced
