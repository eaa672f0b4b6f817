// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/data_copy/blocks.h"
#include "device/tensor/global_tensor.h"
#include "device/tensor/local_tensor.h"

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

/// Copies `calCount` elements, or blockCount blocks of blockLen * 32 B. `calCount` elements must be
/// a multiple of 32 B: the hardware drops a remainder. Gaps between blocks count units of 32 B.
#define TWIN_DATA_COPY(DST, SRC, COPY)                                                             \
    template <typename T>                                                                          \
    inline void DataCopy(const DST<T>& dst, const SRC<T>& src, const uint32_t calCount,            \
                         TWIN_HERE) {                                                              \
        twin::copy::COPY(dst, src, uint64_t{calCount} * sizeof(T), sizeof(T), here);               \
    }                                                                                              \
    template <typename T>                                                                          \
    inline void DataCopy(const DST<T>& dst, const SRC<T>& src, const DataCopyParams& repeatParams, \
                         TWIN_HERE) {                                                              \
        twin::copy::COPY(dst, src, repeatParams, sizeof(T), here);                                 \
    }
/// Copies GM -> UB on pipe MTE2.
TWIN_DATA_COPY(LocalTensor, GlobalTensor, CopyIn)
/// Copies UB -> GM on pipe MTE3.
TWIN_DATA_COPY(GlobalTensor, LocalTensor, CopyOut)
/// Copies UB -> UB on pipe V.
TWIN_DATA_COPY(LocalTensor, LocalTensor, CopyLocal)

enum class BlockMode : uint8_t {
    BLOCK_MODE_NORMAL = 0,
    BLOCK_MODE_MATRIX,
    BLOCK_MODE_VECTOR,
    BLOCK_MODE_SMALL_CHANNEL,
    BLOCK_MODE_DEPTHWISE
};
enum class DeqScale : uint8_t { DEQ_NONE = 0, DEQ, VDEQ, DEQ8, VDEQ8, DEQ16, VDEQ16 };

/// Conversions during a copy, for other chips and for the memories of the cube core.
struct DataCopyEnhancedParams {
    TWIN_DEFAULT(DataCopyEnhancedParams)
    TWIN_CONSTRUCTOR(DataCopyEnhancedParams, (BlockMode, blockMode), (DeqScale, deqScale),
                     (uint64_t, deqValue), (uint8_t, sidStoreMode), (bool, isRelu),
                     (pad_t, padMode), (uint64_t, padValue))

    TWIN_MEMBERS((BlockMode, blockMode, BlockMode::BLOCK_MODE_NORMAL),
                 (DeqScale, deqScale, DeqScale::DEQ_NONE), (uint64_t, deqValue, 0),
                 (uint8_t, sidStoreMode, 0), (bool, isRelu, false),
                 (pad_t, padMode, pad_t::PAD_NONE), (uint64_t, padValue, 0),
                 (uint64_t, deqTensorAddr, 0))
};

}  // namespace AscendC

namespace twin::copy {

/// In strict mode, refuses `params` that request a conversion (T446): in copies between GM and UB,
/// A2/A3 ignore `params`.
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

/// Refuses a conversion between L0C and UB or L1 (T454).
inline void RefuseConversion(Location where) {
    Self().Begin(where);
    Fail("T454",
         "not on this chip: DataCopy with DataCopyEnhancedParams between tensors of different "
         "types, which converts between L0C and UB or L1\n  try: Fixpipe, or Cast on a vector "
         "core");
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

template <typename T>
inline void DataCopy(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                     const DataCopyParams& intriParams,
                     const DataCopyEnhancedParams& enhancedParams, TWIN_HERE) {
    twin::copy::CheckEnhanced(enhancedParams, here);
    DataCopy(dst, src, intriParams, here);
}

/// Copies between L0C and UB or L1 that convert elements. Sources for several chips contain such
/// calls; A2 and A3 have no path for them, so a kernel that executes one fails.
template <
    typename T, typename U,
    std::enable_if_t<::twin::kOneOf<U, float, int32_t, half> && !std::is_same_v<T, U>, bool> = true>
inline void DataCopy(const LocalTensor<T>& /*dst*/, const LocalTensor<U>& /*src*/,
                     const DataCopyParams& /*intriParams*/,
                     const DataCopyEnhancedParams& /*enhancedParams*/, TWIN_HERE) {
    ::twin::copy::RefuseConversion(here);
}

/// Describes `ndNum` matrices of nValue rows and dValue columns, which are in UB as stripes of 16
/// columns. Strides count elements, except srcNdMatrixStride (fractals of 16 x 16) and srcNStride
/// (rows between stripes).
TWIN_PARAMETERS(Nz2NdParamsFull, (uint16_t, ndNum, 1), (uint16_t, nValue, 0), (uint16_t, dValue, 0),
                (uint16_t, srcNdMatrixStride, 1), (uint16_t, srcNStride, 0),
                (uint16_t, dstDStride, 0), (uint16_t, dstNdMatrixStride, 1))

}  // namespace AscendC

namespace twin::copy {

TWIN_API void CopyOutNz(const GmOperand& dst, const Operand& src,
                        const AscendC::Nz2NdParamsFull& params, uint32_t elementBytes,
                        Location where);

}  // namespace twin::copy

namespace AscendC {

/// Copies UB -> GM on pipe MTE3, from fractal to row-major order: one strided copy per stripe.
template <typename T>
inline void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src,
                     const Nz2NdParamsFull& intriParams, TWIN_HERE) {
    static_assert(sizeof(T) == 2 || sizeof(T) == 4,
                  "DataCopy with Nz2NdParamsFull takes types of 2 or 4 bytes");
    twin::copy::CopyOutNz(dst, src, intriParams, sizeof(T), here);
}

}  // namespace AscendC
