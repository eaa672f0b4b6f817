// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_KERNEL_TILING_TOPK_MODE_H
#define TWIN_INCLUDE_KERNEL_TILING_TOPK_MODE_H

namespace AscendC {

/// The mode of TopK, in the kernel and in its tiling.
enum class TopKMode {
    TOPK_NORMAL,
    TOPK_NSMALL,  ///< inner is 32
};

}  // namespace AscendC

#endif  // TWIN_INCLUDE_KERNEL_TILING_TOPK_MODE_H
