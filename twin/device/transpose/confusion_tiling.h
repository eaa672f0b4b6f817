// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/types.h"
#include "kernel_tiling/advanced_tilings.h"

namespace AscendC {

enum class TransposeType : uint8_t {
    TRANSPOSE_TYPE_NONE,
    TRANSPOSE_NZ2ND_0213,
    TRANSPOSE_NZ2NZ_0213,
    TRANSPOSE_NZ2NZ_012_WITH_N,
    TRANSPOSE_NZ2ND_012_WITH_N,
    TRANSPOSE_NZ2ND_012_WITHOUT_N,
    TRANSPOSE_NZ2NZ_012_WITHOUT_N,
    TRANSPOSE_ND2ND_ONLY,
    TRANSPOSE_ND_UB_GM,
    TRANSPOSE_GRAD_ND_UB_GM,
    TRANSPOSE_ND2ND_B16,  ///< 16 x 16 elements of 16 bits
    TRANSPOSE_NCHW2NHWC,
    TRANSPOSE_NHWC2NCHW
};

}  // namespace AscendC

namespace twin::transpose {

constexpr uint32_t kCube = 16;                ///< number of rows, or columns, of a fractal
constexpr uint32_t kFractal = kCube * kCube;  ///< number of elements of a fractal

/// The kind of layout change that a TransposeType requests.
enum class Scene : uint8_t { None, Swap, SplitToNz, SplitToNd, Join, Plain };

Scene SceneOf(AscendC::TransposeType type);

/// The shape that a tiling's numbered parameters contain: (b, a1, a2, a3) for Swap, (b, n, s, d)
/// with heads of d = H / N columns for Split and Join, (height, width) for Plain.
struct ConfusionShape {
    uint32_t b = 0, n = 0, s = 0, d = 0;
    uint32_t piece = 0;  ///< for Swap: number of elements that fit into the scratch memory

    /// Returns the number of 16-column blocks of one head.
    uint32_t Blocks() const { return (d + kCube - 1) / kCube; }
    /// Returns the number of columns of all heads together, rounded up to 16.
    uint32_t Width() const { return (n * d + kCube - 1) / kCube * kCube; }
};

ConfusionShape ShapeOf(Scene scene, const ConfusionTransposeTiling& tiling);

/// Returns the tiling of `type` for the four dimensions of the host's call (two for ND2ND_ONLY).
TWIN_API ConfusionTransposeTiling MakeConfusionTiling(AscendC::TransposeType type,
                                                      const int64_t* dims, uint32_t typeSize,
                                                      uint32_t scratchBytes);
/// Returns the scratch size in bytes; with `least`, the smallest size that the call accepts.
TWIN_API uint32_t ConfusionScratch(AscendC::TransposeType type, int64_t rows, uint32_t typeSize,
                                   bool least);

}  // namespace twin::transpose
