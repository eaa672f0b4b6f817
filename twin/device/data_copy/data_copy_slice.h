// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_DATA_COPY_DATA_COPY_SLICE_H
#define TWIN_DEVICE_DATA_COPY_DATA_COPY_SLICE_H

#include "device/data_copy/blocks.h"
#include "device/tensor/global_tensor.h"
#include "device/tensor/local_tensor.h"

namespace AscendC {

/// Selects elements of one dimension: pieces of burstLen (blocks of 32 B in the first dimension,
/// otherwise 1) with gaps of `stride`, from startIndex to endIndex, both included. shapeValue is
/// the length of the dimension; if the first one is 0, the tensors' ShapeInfo has the lengths.
struct SliceInfo {
    SliceInfo() = default;
    SliceInfo(const uint32_t startIndexIn, const uint32_t endIndexIn, const uint32_t strideIn,
              const uint32_t burstLenIn, const uint32_t shapeValueIn = 0)
        : startIndex(startIndexIn),
          endIndex(endIndexIn),
          stride(strideIn),
          burstLen(burstLenIn),
          shapeValue(shapeValueIn) {}

    uint32_t startIndex = 0;
    uint32_t endIndex = ONE_BLK_SIZE - 1;
    uint32_t stride = 0;
    uint32_t burstLen = ONE_BLK_SIZE;
    uint32_t shapeValue = 0;
};

}  // namespace AscendC

namespace twin::copy {

/// Both sides of a sliced copy.
struct Slices {
    const AscendC::SliceInfo* dst;
    const AscendC::SliceInfo* src;
    uint32_t dimensions;
    AscendC::ShapeInfo dstShape;
    AscendC::ShapeInfo srcShape;
    uint32_t elementBytes;
};

TWIN_API void CopyInSlices(const Operand& dst, const GmOperand& src, const Slices& slices,
                           Location where);
TWIN_API void CopyOutSlices(const GmOperand& dst, const Operand& src, const Slices& slices,
                            Location where);

}  // namespace twin::copy

namespace AscendC {

/// Copies GM -> UB on pipe MTE2: one copy per selected row.
template <typename T>
inline void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src,
                     const SliceInfo dstSliceInfo[], const SliceInfo srcSliceInfo[],
                     const uint32_t dimValue = 1, TWIN_HERE) {
    const twin::copy::Slices slices = {dstSliceInfo,       srcSliceInfo,       dimValue,
                                       dst.GetShapeInfo(), src.GetShapeInfo(), sizeof(T)};
    twin::copy::CopyInSlices(twin::Of(dst), twin::Of(src), slices, here);
}

/// Copies UB -> GM on pipe MTE3.
template <typename T>
inline void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src,
                     const SliceInfo dstSliceInfo[], const SliceInfo srcSliceInfo[],
                     const uint32_t dimValue = 1, TWIN_HERE) {
    const twin::copy::Slices slices = {dstSliceInfo,       srcSliceInfo,       dimValue,
                                       dst.GetShapeInfo(), src.GetShapeInfo(), sizeof(T)};
    twin::copy::CopyOutSlices(twin::Of(dst), twin::Of(src), slices, here);
}

}  // namespace AscendC

#endif  // TWIN_DEVICE_DATA_COPY_DATA_COPY_SLICE_H
