// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_TRANSPOSE_TRANS_DATA_TO_5HD_H
#define TWIN_DEVICE_TRANSPOSE_TRANS_DATA_TO_5HD_H

#include "device/transpose/params.h"

namespace AscendC {

#define TWIN_5HD_TYPES int8_t, uint8_t, half, int16_t, uint16_t, float, int32_t, uint32_t

/// Transposes sixteen blocks of 32 B per repeat, at any addresses.
template <typename T>
inline void TransDataTo5HD(const LocalTensor<T> (&dstList)[NCHW_CONV_ADDR_LIST_SIZE],
                           const LocalTensor<T> (&srcList)[NCHW_CONV_ADDR_LIST_SIZE],
                           const TransDataTo5HDParams& nchwconvParams, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(TransDataTo5HD, T, TWIN_5HD_TYPES);
    twin::transpose::Rows rows;
    for (uint32_t i = 0; i < twin::transpose::kRows; ++i) {
        rows.dst[i] = twin::Of(dstList[i]);
        rows.src[i] = twin::Of(srcList[i]);
    }
    twin::transpose::RunTo5hd(twin::kDtypeOf<T>, rows, nchwconvParams, here);
}

template <typename T>
inline void TransDataTo5HD(uint64_t dstList[NCHW_CONV_ADDR_LIST_SIZE],
                           uint64_t srcList[NCHW_CONV_ADDR_LIST_SIZE],
                           const TransDataTo5HDParams& nchwconvParams, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(TransDataTo5HD, T, TWIN_5HD_TYPES);
    twin::transpose::RunTo5hd(twin::kDtypeOf<T>, dstList, srcList, nchwconvParams, here);
}

/// dst and src contain sixteen addresses each; the first four words of both are overwritten.
template <typename T>
inline void TransDataTo5HD(const LocalTensor<uint64_t>& dst, const LocalTensor<uint64_t>& src,
                           const TransDataTo5HDParams& nchwconvParams, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(TransDataTo5HD, T, TWIN_5HD_TYPES);
    twin::transpose::RunTo5hdLists(twin::kDtypeOf<T>, twin::Of(dst), twin::Of(src), nchwconvParams,
                                   here);
}

#undef TWIN_5HD_TYPES

}  // namespace AscendC

#endif  // TWIN_DEVICE_TRANSPOSE_TRANS_DATA_TO_5HD_H
