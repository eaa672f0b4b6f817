// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_REDUCE_INTRINSICS_IMPL_H
#define TWIN_DEVICE_REDUCE_INTRINSICS_IMPL_H

#include "device/reduce/instructions.h"
#include "device/tensor/raw_pointer.h"

namespace AscendC {

// Inner functions of the toolkit that public kernels call, with raw pointers and the current mask.

template <typename T>
inline void BlockReduceSumIntrinsicsImpl(__ubuf__ T* dst, __ubuf__ T* src, const int32_t repeat,
                                         const int32_t dstRepStride, const int32_t srcBlkStride,
                                         const int32_t srcRepStride, TWIN_HERE) {
    static constexpr char kApi[] = "BlockReduceSumIntrinsicsImpl";
    BlockReduceSum<T, false>(
        twin::LocalTensorAt(dst, kApi, here), twin::LocalTensorAt(src, kApi, here), repeat,
        static_cast<int32_t>(MASK_PLACEHOLDER), dstRepStride, srcBlkStride, srcRepStride, here);
}
template <typename T>
inline void BlockReduceMaxIntrinsicsImpl(__ubuf__ T* dst, __ubuf__ T* src, const int32_t repeat,
                                         const int32_t dstRepStride, const int32_t srcBlkStride,
                                         const int32_t srcRepStride, TWIN_HERE) {
    static constexpr char kApi[] = "BlockReduceMaxIntrinsicsImpl";
    BlockReduceMax<T, false>(
        twin::LocalTensorAt(dst, kApi, here), twin::LocalTensorAt(src, kApi, here), repeat,
        static_cast<int32_t>(MASK_PLACEHOLDER), dstRepStride, srcBlkStride, srcRepStride, here);
}
template <typename T>
inline void BlockReduceMinIntrinsicsImpl(__ubuf__ T* dst, __ubuf__ T* src, const int32_t repeat,
                                         const int32_t dstRepStride, const int32_t srcBlkStride,
                                         const int32_t srcRepStride, TWIN_HERE) {
    static constexpr char kApi[] = "BlockReduceMinIntrinsicsImpl";
    BlockReduceMin<T, false>(
        twin::LocalTensorAt(dst, kApi, here), twin::LocalTensorAt(src, kApi, here), repeat,
        static_cast<int32_t>(MASK_PLACEHOLDER), dstRepStride, srcBlkStride, srcRepStride, here);
}

}  // namespace AscendC

#endif  // TWIN_DEVICE_REDUCE_INTRINSICS_IMPL_H
