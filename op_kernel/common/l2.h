// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_COMMON_L2_H
#define OP_KERNEL_COMMON_L2_H

#include "kernel_operator.h"

namespace ops {

/// Returns the same tensor. Copies from it and to it bypass the L2 cache if `past` is true. The
/// host decides this (op_host/common/l2_plan.h).
template <typename T>
__aicore__ inline AscendC::GlobalTensor<T> PastL2(AscendC::GlobalTensor<T> tensor,
                                                  bool past = true) {
    tensor.SetL2CacheHint(past ? AscendC::CacheMode::CACHE_MODE_DISABLE
                               : AscendC::CacheMode::CACHE_MODE_NORMAL);
    return tensor;
}

}  // namespace ops

#endif  // OP_KERNEL_COMMON_L2_H
