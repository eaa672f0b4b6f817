// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_CUBE_SPARSE_H
#define TWIN_DEVICE_CUBE_SPARSE_H

#include "core/uses.h"
#include "device/cube/params.h"
#include "device/tensor/local_tensor.h"

namespace twin::cube {

TWIN_API void LoadSparse(const Operand& dst, const Operand& src, const Operand& index,
                         const AscendC::LoadData2DParams& params, Location where);
TWIN_API void MultiplySparse(const Operand& dst, const Operand& a, const Operand& b,
                             const AscendC::MmadParams& params, Location where);

}  // namespace twin::cube

namespace AscendC {

/// Loads L1 -> L0B on pipe MTE1: fractals of a matrix that keeps two of every four numbers along k.
/// For each fractal it also loads 128 B of index, four fields of two bits per byte, into a separate
/// buffer.
template <typename T = int8_t, typename U = uint8_t>
inline void LoadDataWithSparse(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                               const LocalTensor<U>& idx, const LoadData2dParams& loadDataParam,
                               TWIN_HERE) {
    static_assert(std::is_same<T, int8_t>::value && std::is_same<U, uint8_t>::value,
                  "LoadDataWithSparse takes int8_t with an index of uint8_t");
    TWIN_USES_CUBE;
    twin::cube::LoadSparse(twin::Of(dst), twin::Of(src), twin::Of(idx), loadDataParam, here);
}

/// The product with a right matrix that LoadDataWithSparse loaded: k is the count of its numbers
/// before two of four were dropped.
template <typename T = int32_t, typename U = int8_t>
inline void MmadWithSparse(const LocalTensor<T>& dst, const LocalTensor<U>& fm,
                           const LocalTensor<U>& filter, const MmadParams& mmadParams, TWIN_HERE) {
    static_assert(std::is_same<T, int32_t>::value && std::is_same<U, int8_t>::value,
                  "MmadWithSparse: int8_t operands give int32_t");
    TWIN_USES_CUBE;
    twin::cube::MultiplySparse(twin::Of(dst), twin::Of(fm), twin::Of(filter), mmadParams, here);
}

}  // namespace AscendC

#endif  // TWIN_DEVICE_CUBE_SPARSE_H
