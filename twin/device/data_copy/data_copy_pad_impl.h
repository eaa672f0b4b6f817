// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_DATA_COPY_DATA_COPY_PAD_IMPL_H
#define TWIN_DEVICE_DATA_COPY_DATA_COPY_PAD_IMPL_H

#include "device/data_copy/data_copy_pad.h"
#include "device/tensor/raw_pointer.h"

namespace AscendC {

// DataCopyPad between raw pointers. It is internal to the toolkit's library, but kernels call it to
// copy between tensors of different types.

template <typename T>
inline void DataCopyPadGm2UBImpl(__ubuf__ T* dst, __gm__ T* src, const DataCopyParams& params,
                                 const DataCopyPadParams& padParams, TWIN_HERE) {
    DataCopyPad(twin::LocalTensorAt(dst, "DataCopyPadGm2UBImpl", here), twin::GlobalTensorAt(src),
                params, padParams, here);
}
template <typename T>
inline void DataCopyPadGm2UBImpl(__ubuf__ T* dst, __gm__ T* src, const DataCopyExtParams& params,
                                 const DataCopyPadExtParams<T>& padParams, TWIN_HERE) {
    DataCopyPad(twin::LocalTensorAt(dst, "DataCopyPadGm2UBImpl", here), twin::GlobalTensorAt(src),
                params, padParams, here);
}

template <typename T>
inline void DataCopyUB2GMImpl(__gm__ T* dst, __ubuf__ T* src, const DataCopyParams& params,
                              TWIN_HERE) {
    DataCopy(twin::GlobalTensorAt(dst), twin::LocalTensorAt(src, "DataCopyUB2GMImpl", here), params,
             here);
}
template <typename T>
inline void DataCopyPadUB2GMImpl(__gm__ T* dst, __ubuf__ T* src, const DataCopyParams& params,
                                 TWIN_HERE) {
    DataCopyPad(twin::GlobalTensorAt(dst), twin::LocalTensorAt(src, "DataCopyPadUB2GMImpl", here),
                params, here);
}
template <typename T>
inline void DataCopyPadUB2GMImpl(__gm__ T* dst, __ubuf__ T* src, const DataCopyExtParams& params,
                                 TWIN_HERE) {
    DataCopyPad(twin::GlobalTensorAt(dst), twin::LocalTensorAt(src, "DataCopyPadUB2GMImpl", here),
                params, here);
}

}  // namespace AscendC

#endif  // TWIN_DEVICE_DATA_COPY_DATA_COPY_PAD_IMPL_H
