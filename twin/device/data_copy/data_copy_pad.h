// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

#include "core/core.h"
#include "device/data_copy/blocks.h"
#include "device/tensor/global_tensor.h"
#include "device/tensor/local_tensor.h"

namespace twin::copy {

template <typename T, typename Params>
Padding PaddingOf(const Params& params) {
    Padding padding;
    padding.leftBytes = params.leftPadding * sizeof(T);
    padding.rightBytes = params.rightPadding * sizeof(T);
    padding.hasValue = params.isPad;
    const auto& value = params.paddingValue;
    std::memcpy(&padding.value, &value,
                sizeof(value) < sizeof(padding.value) ? sizeof(value) : sizeof(padding.value));
    return padding;
}

inline AscendC::DataCopyExtParams Widen(const AscendC::DataCopyParams& params) {
    return AscendC::DataCopyExtParams(params.blockCount, params.blockLen, params.srcStride,
                                      params.dstStride, 0);
}

}  // namespace twin::copy

namespace AscendC {

/// Copies blockCount runs of blockLen bytes GM -> UB on pipe MTE2. In UB, each run is extended
/// to whole blocks of 32 B. Only leftPadding and rightPadding elements of padding are defined. The
/// GM stride is in bytes, the UB stride in blocks of 32 B.
template <typename T>
inline void DataCopyPad(const LocalTensor<T>& dst, const GlobalTensor<T>& src,
                        const DataCopyExtParams& dataCopyParams,
                        const DataCopyPadExtParams<T>& padParams, TWIN_HERE) {
    twin::copy::CopyInPad(dst, src, dataCopyParams, twin::copy::PaddingOf<T>(padParams), sizeof(T),
                          here);
}

template <typename T>
inline void DataCopyPad(const LocalTensor<T>& dst, const GlobalTensor<T>& src,
                        const DataCopyParams& dataCopyParams, const DataCopyPadParams& padParams,
                        TWIN_HERE) {
    twin::copy::CopyInPad(dst, src, twin::copy::Widen(dataCopyParams),
                          twin::copy::PaddingOf<T>(padParams), sizeof(T), here);
}

/// Copies UB -> GM on pipe MTE3 and writes exactly blockLen bytes of each run. The UB stride is in
/// blocks of 32 B, the GM stride in bytes.
template <typename T>
inline void DataCopyPad(const GlobalTensor<T>& dst, const LocalTensor<T>& src,
                        const DataCopyExtParams& dataCopyParams, TWIN_HERE) {
    twin::copy::CopyOutPad(dst, src, dataCopyParams, sizeof(T), here);
}

template <typename T>
inline void DataCopyPad(const GlobalTensor<T>& dst, const LocalTensor<T>& src,
                        const DataCopyParams& dataCopyParams, TWIN_HERE) {
    twin::copy::CopyOutPad(dst, src, twin::copy::Widen(dataCopyParams), sizeof(T), here);
}

/// How newer chips extend runs in UB; they have DataCopyPad<T, mode>. A2 and A3 have Normal alone.
enum class PaddingMode : uint8_t { Normal = 0, Compact };

template <typename T, PaddingMode mode, typename... Args>
inline void DataCopyPad(const Args&...) {
    static_assert(mode != mode,
                  "DataCopyPad with a PaddingMode is for other chips; on A2 and A3 it has no mode");
}

/// Sets the padding value for calls of DataCopyPad that pass no value.
template <typename T>
inline void SetPadValue(T paddingValue, TWIN_HERE) {
    twin::Core& core = twin::Self();
    if (!core.BeginOn(twin::CoreKind::Aiv, here)) {
        return;
    }
    core.padValue = 0;
    std::memcpy(&core.padValue, &paddingValue, sizeof(T));
    core.padValueKnown = true;
}

// The functions below copy between raw pointers. They are internal to the toolkit's library, but
// kernels call them to copy between tensors of different types.

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
