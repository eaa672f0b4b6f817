// SPDX-License-Identifier: Apache-2.0
#ifndef TILING_TILING_API_H
#define TILING_TILING_API_H

// The twin offers the platform part of the toolkit's header; a high-level tiling (matmul, softmax,
// ...) that it does not model is not declared, so that using one fails at compile time.
#include "tiling/platform/platform_ascendc.h"

#endif  // TILING_TILING_API_H
