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

constexpr uint32_t kCube = 16;                ///< rows and columns of a fractal
constexpr uint32_t kFractal = kCube * kCube;  ///< elements of a fractal

/// What the library does with the shape of a TransposeType.
enum class Scene : uint8_t { None, Swap, SplitToNz, SplitToNd, Join, Plain };

Scene SceneOf(AscendC::TransposeType type);

/// The shape in the numbered parameters. Swap: (b, a1, a2, a3). Split and Join: (b, n, s, d) with
/// heads of d = H / N columns. Plain: (height, width).
struct ConfusionShape {
    uint32_t b = 0, n = 0, s = 0, d = 0;
    uint32_t piece = 0;  ///< Swap: elements that the scratch holds at once

    uint32_t Blocks() const { return (d + kCube - 1) / kCube; }             ///< of one head
    uint32_t Width() const { return (n * d + kCube - 1) / kCube * kCube; }  ///< of all heads
};

ConfusionShape ShapeOf(Scene scene, const ConfusionTransposeTiling& tiling);

/// The parameters of `type` for the four dimensions of the host's call (two for ND2ND_ONLY).
TWIN_API ConfusionTransposeTiling MakeConfusionTiling(AscendC::TransposeType type,
                                                      const int64_t* dims, uint32_t typeSize,
                                                      uint32_t scratchBytes);
/// Returns the bytes of scratch; `least` is for the smallest pieces.
TWIN_API uint32_t ConfusionScratch(AscendC::TransposeType type, int64_t rows, uint32_t typeSize,
                                   bool least);

}  // namespace twin::transpose
