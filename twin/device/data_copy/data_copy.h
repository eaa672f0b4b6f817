// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_DATA_COPY_DATA_COPY_H
#define TWIN_DEVICE_DATA_COPY_DATA_COPY_H

#include "device/data_copy/blocks.h"
#include "device/tensor/global_tensor.h"
#include "device/tensor/local_tensor.h"

namespace AscendC {

/// GM -> UB, pipe MTE2: `calCount` elements, whose bytes must be a multiple of 32 (the chip drops
/// the rest).
template <typename T>
inline void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const uint32_t calCount,
                     TWIN_HERE) {
    twin::copy::CopyIn(twin::Of(dst), twin::Of(src), static_cast<uint64_t>(calCount) * sizeof(T),
                       sizeof(T), here);
}

/// UB -> GM, pipe MTE3.
template <typename T>
inline void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const uint32_t calCount,
                     TWIN_HERE) {
    twin::copy::CopyOut(twin::Of(dst), twin::Of(src), static_cast<uint64_t>(calCount) * sizeof(T),
                        sizeof(T), here);
}

/// UB -> UB, pipe V.
template <typename T>
inline void DataCopy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint32_t calCount,
                     TWIN_HERE) {
    twin::copy::CopyLocal(twin::Of(dst), twin::Of(src), static_cast<uint64_t>(calCount) * sizeof(T),
                          sizeof(T), here);
}

/// The same with blockCount blocks of blockLen * 32 B and gaps of 32 B units between them on both
/// sides.
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
