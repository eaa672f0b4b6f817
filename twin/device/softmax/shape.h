// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_SOFTMAX_SHAPE_H
#define TWIN_DEVICE_SOFTMAX_SHAPE_H

#include <cstdint>

namespace AscendC {

enum class SoftmaxMode {
    SOFTMAX_NORMAL = 0,
    SOFTMAX_OUTPUT_WITHOUT_BRC = 1,  ///< SoftmaxFlashV2: one element per row in sum, max, expMax
};

/// The settings that are known when the kernel is compiled.
struct SoftmaxConfig {
    constexpr SoftmaxConfig(const bool isCheckTilingIn) : isCheckTiling(isCheckTilingIn) {}
    constexpr SoftmaxConfig(const bool isCheckTilingIn, const uint32_t oriSrcMIn,
                            const uint32_t oriSrcKIn)
        : isCheckTiling(isCheckTilingIn), oriSrcM(oriSrcMIn), oriSrcK(oriSrcKIn) {}
    constexpr SoftmaxConfig(const bool isCheckTilingIn, const uint32_t oriSrcMIn,
                            const uint32_t oriSrcKIn, const SoftmaxMode modeIn)
        : isCheckTiling(isCheckTilingIn), oriSrcM(oriSrcMIn), oriSrcK(oriSrcKIn), mode(modeIn) {}

    bool isCheckTiling = true;  ///< a tiling for another shape is computed anew
    uint32_t oriSrcM = 0;       ///< if not 0: the valid rows and columns
    uint32_t oriSrcK = 0;
    SoftmaxMode mode = SoftmaxMode::SOFTMAX_NORMAL;
};

inline constexpr SoftmaxConfig SOFTMAX_DEFAULT_CFG = {true, 0, 0, SoftmaxMode::SOFTMAX_NORMAL};

/// srcM rows of srcK elements, of which the first oriSrcM and oriSrcK are valid. Without it the
/// tensor's ShapeInfo is used.
struct SoftMaxShapeInfo {
    uint32_t srcM{0};
    uint32_t srcK{0};
    uint32_t oriSrcM{0};
    uint32_t oriSrcK{0};
};

}  // namespace AscendC

#endif  // TWIN_DEVICE_SOFTMAX_SHAPE_H
