// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_DATA_COPY_DATA_COPY_H
#define TWIN_DEVICE_DATA_COPY_DATA_COPY_H

#include "device/data_copy/blocks.h"
#include "device/tensor/global_tensor.h"
#include "device/tensor/local_tensor.h"

namespace AscendC {

/// Copies GM -> UB on pipe MTE2: `calCount` elements, whose bytes must be a multiple of 32 (the
/// chip drops the rest).
template <typename T>
inline void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const uint32_t calCount,
                     TWIN_HERE) {
    twin::copy::CopyIn(twin::Of(dst), twin::Of(src), static_cast<uint64_t>(calCount) * sizeof(T),
                       sizeof(T), here);
}

/// Copies UB -> GM on pipe MTE3.
template <typename T>
inline void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const uint32_t calCount,
                     TWIN_HERE) {
    twin::copy::CopyOut(twin::Of(dst), twin::Of(src), static_cast<uint64_t>(calCount) * sizeof(T),
                        sizeof(T), here);
}

/// Copies UB -> UB on pipe V.
template <typename T>
inline void DataCopy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint32_t calCount,
                     TWIN_HERE) {
    twin::copy::CopyLocal(twin::Of(dst), twin::Of(src), static_cast<uint64_t>(calCount) * sizeof(T),
                          sizeof(T), here);
}

/// Does the same with blockCount blocks of blockLen * 32 B; the gaps between them count 32 B units
/// on both sides.
template <typename T>
inline void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src,
                     const DataCopyParams& repeatParams, TWIN_HERE) {
    twin::copy::CopyInBlocks(twin::Of(dst), twin::Of(src), repeatParams, sizeof(T), here);
}

template <typename T>
inline void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src,
                     const DataCopyParams& repeatParams, TWIN_HERE) {
    twin::copy::CopyOutBlocks(twin::Of(dst), twin::Of(src), repeatParams, sizeof(T), here);
}

template <typename T>
inline void DataCopy(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                     const DataCopyParams& repeatParams, TWIN_HERE) {
    twin::copy::CopyLocal(twin::Of(dst), twin::Of(src), repeatParams, here);
}

}  // namespace AscendC

#endif  // TWIN_DEVICE_DATA_COPY_DATA_COPY_H
