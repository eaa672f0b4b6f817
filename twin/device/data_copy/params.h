// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_DATA_COPY_PARAMS_H
#define TWIN_DEVICE_DATA_COPY_PARAMS_H

#include <cstdint>

namespace AscendC {

/// blockLen and strides (gaps) count blocks of 32 B for DataCopy; for DataCopyPad, blockLen and the
/// GM stride count bytes.
struct DataCopyParams {
    DataCopyParams() = default;
    DataCopyParams(const uint16_t count, const uint16_t len, const uint16_t srcStrideIn,
                   const uint16_t dstStrideIn)
        : blockCount(count), blockLen(len), srcStride(srcStrideIn), dstStride(dstStrideIn) {}

    uint16_t blockCount = 1;
    uint16_t blockLen = 0;
    uint16_t srcStride = 0;
    uint16_t dstStride = 0;
};

/// blockLen is in bytes (0..2097151); the GM side's stride is in bytes, the UB side's in blocks of
/// 32 B; both are gaps.
struct DataCopyExtParams {
    DataCopyExtParams() = default;
    DataCopyExtParams(const uint16_t count, const uint32_t len, const uint32_t srcStrideIn,
                      const uint32_t dstStrideIn, const uint32_t rsvIn)
        : blockCount(count),
          blockLen(len),
          srcStride(srcStrideIn),
          dstStride(dstStrideIn),
          rsv(rsvIn) {}

    uint16_t blockCount = 1;
    uint32_t blockLen = 0;
    uint32_t srcStride = 0;
    uint32_t dstStride = 0;
    uint32_t rsv = 0;
};

/// Padding in elements, at most 32 B on each side.
struct DataCopyPadParams {
    DataCopyPadParams() = default;
    DataCopyPadParams(const bool isPadValue, const uint8_t left, const uint8_t right,
                      const uint64_t value)
        : isPad(isPadValue), leftPadding(left), rightPadding(right), paddingValue(value) {}

    bool isPad = false;
    uint8_t leftPadding = 0;
    uint8_t rightPadding = 0;
    uint64_t paddingValue = 0;
};

template <typename T>
struct DataCopyPadExtParams {
    DataCopyPadExtParams() = default;
    DataCopyPadExtParams(const bool isPadValue, const uint8_t left, const uint8_t right, T value)
        : isPad(isPadValue), leftPadding(left), rightPadding(right), paddingValue(value) {}

    bool isPad = false;
    uint8_t leftPadding = 0;
    uint8_t rightPadding = 0;
    T paddingValue = T();
};

}  // namespace AscendC

#endif  // TWIN_DEVICE_DATA_COPY_PARAMS_H
