// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_CUBE_LOAD_DATA_TRANSPOSE_H
#define TWIN_DEVICE_CUBE_LOAD_DATA_TRANSPOSE_H

#include "core/uses.h"
#include "device/cube/params.h"
#include "device/tensor/local_tensor.h"

namespace twin::cube {

TWIN_API void LoadTransposed(const Operand& dst, const Operand& src,
                             const AscendC::LoadData2dTransposeParams& params, Dtype dtype,
                             Location where);

}  // namespace twin::cube

namespace AscendC {

/// Loads L1 -> L0A or L0B on pipe MTE1, square by square: one fractal of 16-bit elements, two side
/// by side of 32-bit, two and four one below the other of 8- and 4-bit ones (4-bit into L0B only).
template <typename T>
inline void LoadDataWithTranspose(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                                  const LoadData2dTransposeParams& loadDataParams, TWIN_HERE) {
    static_assert(
        twin::kOneOf<T, half, bfloat16_t, float, int32_t, uint32_t, uint8_t, int8_t, int4b_t>,
        "LoadDataWithTranspose takes half, bfloat16_t, float, int32_t, uint32_t, uint8_t, "
        "int8_t and, into L0B, int4b_t");
    TWIN_USES_CUBE;
    twin::cube::LoadTransposed(twin::Of(dst), twin::Of(src), loadDataParams, twin::kDtypeOf<T>,
                               here);
}

}  // namespace AscendC

#endif  // TWIN_DEVICE_CUBE_LOAD_DATA_TRANSPOSE_H
