// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_DATA_COPY_DATA_COPY_ENHANCED_H
#define TWIN_DEVICE_DATA_COPY_DATA_COPY_ENHANCED_H

#include "device/data_copy/data_copy.h"

enum pad_t {
    PAD_NONE = 0,
    PAD_MODE1,
    PAD_MODE2,
    PAD_MODE3,
    PAD_MODE4,
    PAD_MODE5,
    PAD_MODE6,
    PAD_MODE7,
    PAD_MODE8
};

namespace AscendC {

enum class BlockMode : uint8_t {
    BLOCK_MODE_NORMAL = 0,
    BLOCK_MODE_MATRIX,
    BLOCK_MODE_VECTOR,
    BLOCK_MODE_SMALL_CHANNEL,
    BLOCK_MODE_DEPTHWISE
};
enum class DeqScale : uint8_t { DEQ_NONE = 0, DEQ, VDEQ, DEQ8, VDEQ8, DEQ16, VDEQ16 };

/// Conversions during the copy, for other chips and for the cube's memories.
struct DataCopyEnhancedParams {
    DataCopyEnhancedParams() = default;
    DataCopyEnhancedParams(const BlockMode blockModeIn, const DeqScale deqScaleIn,
                           const uint64_t deqValueIn, const uint8_t sidStoreModeIn,
                           const bool isReluIn, const pad_t padModeIn, const uint64_t padValueIn)
        : blockMode(blockModeIn),
          deqScale(deqScaleIn),
          deqValue(deqValueIn),
          sidStoreMode(sidStoreModeIn),
          isRelu(isReluIn),
          padMode(padModeIn),
          padValue(padValueIn) {}

    BlockMode blockMode = BlockMode::BLOCK_MODE_NORMAL;
    DeqScale deqScale = DeqScale::DEQ_NONE;
    uint64_t deqValue = 0;
    uint8_t sidStoreMode = 0;
    bool isRelu = false;
    pad_t padMode = pad_t::PAD_NONE;
    uint64_t padValue = 0;
    uint64_t deqTensorAddr = 0;
};

}  // namespace AscendC

namespace twin::copy {

/// Between GM and UB this chip ignores every field: asking for a conversion is an error in strict
/// mode.
inline void CheckEnhanced(const AscendC::DataCopyEnhancedParams& params, Location where) {
    Core& core = Self();
    if (!core.BeginOn(CoreKind::Aiv, where)) {
        return;
    }
    if (core.strict && (params.deqScale != AscendC::DeqScale::DEQ_NONE || params.isRelu ||
                        params.padMode != PAD_NONE)) {
        Fail("T446",
             "parameter without effect: DataCopy between GM and UB with DataCopyEnhancedParams "
             "{deqScale %d, isRelu %d, padMode %d}; this chip copies and does nothing else\n  try: "
             "Cast, Relu or DataCopyPad",
             static_cast<int>(params.deqScale), params.isRelu, static_cast<int>(params.padMode));
    }
}

}  // namespace twin::copy

namespace AscendC {

template <typename T>
inline void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src,
                     const DataCopyParams& intriParams,
                     const DataCopyEnhancedParams& enhancedParams, TWIN_HERE) {
    twin::copy::CheckEnhanced(enhancedParams, here);
    DataCopy(dst, src, intriParams, here);
}

template <typename T>
inline void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src,
                     const DataCopyParams& intriParams,
                     const DataCopyEnhancedParams& enhancedParams, TWIN_HERE) {
    twin::copy::CheckEnhanced(enhancedParams, here);
    DataCopy(dst, src, intriParams, here);
}

}  // namespace AscendC

#endif  // TWIN_DEVICE_DATA_COPY_DATA_COPY_ENHANCED_H
