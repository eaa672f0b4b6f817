// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_VEC_ELEMENTWISE_H
#define TWIN_DEVICE_VEC_ELEMENTWISE_H

#include "device/vec/bitwise.h"
#include "device/vec/fused.h"

// The instructions with two sources, with one, and with a scalar, as core/opcodes.def lists them:
// Add, Abs, Adds ...

namespace AscendC {

#define TWIN_TYPES(...) __VA_ARGS__
#define TWIN_BINARY(API, TYPES, ...) TWIN_VEC_BINARY(API, TWIN_TYPES TYPES)
#define TWIN_BITWISE(API, ...) TWIN_VEC_BITWISE(API)
#define TWIN_FUSED(API, TYPES, ...) TWIN_VEC_FUSED(API, TWIN_TYPES TYPES)
#define TWIN_UNARY(API, TYPES, ...) TWIN_VEC_UNARY(API, TWIN_TYPES TYPES)
#define TWIN_SCALAR(API, TYPES, ...) TWIN_VEC_SCALAR(API, TWIN_TYPES TYPES)
#include "core/opcodes.def"
#undef TWIN_TYPES

}  // namespace AscendC

#endif  // TWIN_DEVICE_VEC_ELEMENTWISE_H
