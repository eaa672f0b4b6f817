// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/uses.h"
#include "device/data_copy/blocks.h"
#include "device/tensor/global_tensor.h"
#include "device/tensor/local_tensor.h"

namespace AscendC {

/// Selects elements startIndex..endIndex of a dimension, in pieces with gaps of `stride` elements.
/// In the first dimension, a piece has burstLen * 32 B; in others, one element. shapeValue is the
/// length of the dimension. If the source's first shapeValue is 0, ShapeInfo gives all lengths.
struct SliceInfo {
    TWIN_DEFAULT(SliceInfo)
    TWIN_CONSTRUCTOR(SliceInfo, (uint32_t, startIndex), (uint32_t, endIndex), (uint32_t, stride),
                     (uint32_t, burstLen), (uint32_t, shapeValue, = 0))
    TWIN_MEMBERS((uint32_t, startIndex, 0), (uint32_t, endIndex, ONE_BLK_SIZE - 1),
                 (uint32_t, stride, 0), (uint32_t, burstLen, ONE_BLK_SIZE),
                 (uint32_t, shapeValue, 0))
};

}  // namespace AscendC

namespace twin::copy {

/// The slices and shapes of the source and the destination of a sliced copy.
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

/// Returns the size in bytes of a unit of blockLen in copies to `dst`: 64 for the bias table, 128
/// for the fixpipe buffer.
TWIN_API uint32_t TableBlock(const Operand& dst);
/// Copies L1 -> bias table on pipe MTE1, or L1 -> fixpipe buffer on pipe FIX. `widen` converts half
/// to float.
TWIN_API void CopyToTable(const Operand& dst, const Operand& src,
                          const AscendC::DataCopyParams& params, bool widen, Location where);

}  // namespace twin::copy

namespace AscendC {

/// Copies the selected elements GM -> UB on pipe MTE2, with one DataCopyPad per selected row.
template <typename T>
inline void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src,
                     const SliceInfo dstSliceInfo[], const SliceInfo srcSliceInfo[],
                     const uint32_t dimValue = 1, TWIN_HERE) {
    const twin::copy::Slices slices = {dstSliceInfo,       srcSliceInfo,       dimValue,
                                       dst.GetShapeInfo(), src.GetShapeInfo(), sizeof(T)};
    twin::copy::CopyInSlices(dst, src, slices, here);
}

/// Copies the selected elements UB -> GM on pipe MTE3, with one DataCopyPad per selected row.
template <typename T>
inline void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src,
                     const SliceInfo dstSliceInfo[], const SliceInfo srcSliceInfo[],
                     const uint32_t dimValue = 1, TWIN_HERE) {
    const twin::copy::Slices slices = {dstSliceInfo,       srcSliceInfo,       dimValue,
                                       dst.GetShapeInfo(), src.GetShapeInfo(), sizeof(T)};
    twin::copy::CopyOutSlices(dst, src, slices, here);
}

/// Copies L1 -> bias table and converts half to float. blockLen and dstStride count units of 64 B
/// in the table.
template <typename DstT, typename SrcT,
          typename = std::enable_if_t<!std::is_same<DstT, SrcT>::value>>
inline void DataCopy(const LocalTensor<DstT>& dst, const LocalTensor<SrcT>& src,
                     const DataCopyParams& repeatParams, TWIN_HERE) {
    static_assert(std::is_same<DstT, float>::value && std::is_same<SrcT, half>::value,
                  "DataCopy between tensors of two types: from half in C1 to float in C2 only");
    TWIN_USES_CUBE;
    twin::copy::CopyToTable(dst, src, repeatParams, true, here);
}

}  // namespace AscendC
