// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_MATH_AXPY_H
#define TWIN_DEVICE_MATH_AXPY_H

#include "device/library/elementwise.h"
#include "device/vec/axpy.h"

namespace twin::advanced {

/// The sources are half; dst is half or float.
TWIN_API void RunAxpy(Dtype dtype, const Operand& dst, const Operand& src, float scalar,
                      const Tmp& tmp, uint32_t count, Location where);

}  // namespace twin::advanced

namespace AscendC {

/// dst = dst + scalarValue * src: half is computed in float and rounded once; float is the
/// instruction.
template <typename T, typename U, bool isReuseSource = false>
inline void Axpy(const LocalTensor<T>& dstTensor, const LocalTensor<U>& srcTensor,
                 const U scalarValue, const LocalTensor<uint8_t>& sharedTmpBuffer,
                 const uint32_t calCount, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(Axpy, U, half, float);
    static_assert(std::is_same<T, float>::value || std::is_same<T, U>::value,
                  "Axpy: half to half, half to float or float to float");
    if constexpr (std::is_same<U, float>::value) {
        Axpy<T, U>(dstTensor, srcTensor, scalarValue, static_cast<int32_t>(calCount), here);
    } else {
        twin::advanced::RunAxpy(twin::kDtypeOf<T>, twin::Of(dstTensor), twin::Of(srcTensor),
                                static_cast<float>(scalarValue), sharedTmpBuffer, calCount, here);
    }
}

}  // namespace AscendC

#endif  // TWIN_DEVICE_MATH_AXPY_H
