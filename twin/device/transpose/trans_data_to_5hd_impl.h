// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_TRANSPOSE_TRANS_DATA_TO_5HD_IMPL_H
#define TWIN_DEVICE_TRANSPOSE_TRANS_DATA_TO_5HD_IMPL_H

#include "device/transpose/trans_data_to_5hd.h"
#include "device/types/qualifiers.h"

namespace AscendC {

// TransDataTo5HD with lists of raw pointers or addresses. It is internal to the toolkit's library,
// but kernels call it.

template <typename T>
inline void TransDataTo5HDImpl(uint64_t dstList[NCHW_CONV_ADDR_LIST_SIZE],
                               uint64_t srcList[NCHW_CONV_ADDR_LIST_SIZE],
                               const TransDataTo5HDParams& params, TWIN_HERE) {
    TransDataTo5HD<T>(dstList, srcList, params, here);
}

template <typename T>
inline void TransDataTo5HDImpl(__ubuf__ T* dstList[NCHW_CONV_ADDR_LIST_SIZE],
                               __ubuf__ T* srcList[NCHW_CONV_ADDR_LIST_SIZE],
                               const TransDataTo5HDParams& params, TWIN_HERE) {
    uint64_t dst[NCHW_CONV_ADDR_LIST_SIZE];
    uint64_t src[NCHW_CONV_ADDR_LIST_SIZE];
    for (int32_t i = 0; i < NCHW_CONV_ADDR_LIST_SIZE; ++i) {
        dst[i] = reinterpret_cast<uint64_t>(dstList[i]);
        src[i] = reinterpret_cast<uint64_t>(srcList[i]);
    }
    TransDataTo5HD<T>(dst, src, params, here);
}

}  // namespace AscendC

#endif  // TWIN_DEVICE_TRANSPOSE_TRANS_DATA_TO_5HD_IMPL_H
