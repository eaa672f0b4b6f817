// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_LANES_ELEMENTARY_H
#define TWIN_DEVICE_LANES_ELEMENTARY_H

#include "core/elementary_op.h"
#include "device/lanes/arithmetic.h"

namespace twin::lanes {

using twin::ElementaryOp;
using twin::kElementaryOps;

/// `src1` is null for functions of one argument, `scalar` for those without one. dst may be either
/// source.
using ElementaryFn = void (*)(void* dst, const void* src0, const void* src1, const float* scalar,
                              size_t count);

/// Indexed by operation and type. A null entry means that the library has no such function for that
/// type.
struct ElementaryTable {
    ElementaryFn run[kElementaryOps][kDtypeCount];
    ElementaryFn axpyMixed;  ///< float destination, half source
    BinaryFn powerInt32;     ///< wraps; a negative exponent gives the integer part
};

/// The best version for this machine.
const ElementaryTable& BestElementary();

}  // namespace twin::lanes

#endif  // TWIN_DEVICE_LANES_ELEMENTARY_H
