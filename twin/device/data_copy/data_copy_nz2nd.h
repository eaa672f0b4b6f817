// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_DATA_COPY_DATA_COPY_NZ2ND_H
#define TWIN_DEVICE_DATA_COPY_DATA_COPY_NZ2ND_H

#include "device/data_copy/blocks.h"
#include "device/tensor/global_tensor.h"
#include "device/tensor/local_tensor.h"

namespace AscendC {

/// Describes `ndNum` matrices of nValue rows and dValue columns, which are in UB as stripes of 16
/// columns. Strides count elements, except srcNdMatrixStride (fractals of 16 x 16) and srcNStride
/// (rows between stripes).
struct Nz2NdParamsFull {
    Nz2NdParamsFull() = default;
    Nz2NdParamsFull(const uint16_t ndNumIn, const uint16_t nValueIn, const uint16_t dValueIn,
                    const uint16_t srcNdMatrixStrideIn, const uint16_t srcNStrideIn,
                    const uint16_t dstDStrideIn, const uint16_t dstNdMatrixStrideIn)
        : ndNum(ndNumIn),
          nValue(nValueIn),
          dValue(dValueIn),
          srcNdMatrixStride(srcNdMatrixStrideIn),
          srcNStride(srcNStrideIn),
          dstDStride(dstDStrideIn),
          dstNdMatrixStride(dstNdMatrixStrideIn) {}

    uint16_t ndNum = 1;
    uint16_t nValue = 0;
    uint16_t dValue = 0;
    uint16_t srcNdMatrixStride = 1;
    uint16_t srcNStride = 0;
    uint16_t dstDStride = 0;
    uint16_t dstNdMatrixStride = 1;
};

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
    twin::copy::CopyOutNz(twin::Of(dst), twin::Of(src), intriParams, sizeof(T), here);
}

}  // namespace AscendC

#endif  // TWIN_DEVICE_DATA_COPY_DATA_COPY_NZ2ND_H
