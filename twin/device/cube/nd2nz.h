// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_CUBE_ND2NZ_H
#define TWIN_DEVICE_CUBE_ND2NZ_H

#include "core/uses.h"
#include "device/cube/params.h"
#include "device/tensor/global_tensor.h"
#include "device/tensor/local_tensor.h"

namespace twin::cube {

TWIN_API void CopyNd2Nz(const Operand& dst, const GmOperand& src,
                        const AscendC::Nd2NzParams& params, uint32_t elementBytes, Location where);

}  // namespace twin::cube

namespace AscendC {

/// Copies GM -> L1 on pipe MTE2, from row-major to fractal order: stripes of 32 B columns, the last
/// one filled with zeros; rows are not padded. int4b_t is copied as bytes, so its counts are
/// halved.
template <typename T>
inline void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src,
                     const Nd2NzParams& intriParams, TWIN_HERE) {
    static_assert(sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4,
                  "DataCopy with Nd2NzParams takes types of 4, 8, 16 or 32 bits");
    TWIN_USES_CUBE;
    twin::cube::CopyNd2Nz(twin::Of(dst), twin::Of(src), intriParams, sizeof(T), here);
}

}  // namespace AscendC

#endif  // TWIN_DEVICE_CUBE_ND2NZ_H
