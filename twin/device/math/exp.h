// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_MATH_EXP_H
#define TWIN_DEVICE_MATH_EXP_H

#include "device/library/elementwise.h"
#include "device/vec/exp.h"

namespace AscendC {

/// e^floor(src) times `taylorExpandLevel` terms of the series of the rest, in float. Level 0 is the
/// instruction.
template <typename T, uint8_t taylorExpandLevel, bool isReuseSource = false>
inline void Exp(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal,
                const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(Exp, T, half, float);
    if constexpr (taylorExpandLevel == 0) {
        Exp<T>(dstLocal, srcLocal, static_cast<int32_t>(calCount), here);
    } else {
        twin::advanced::RunUnary({"Exp", twin::advanced::ElementaryOp::ExpTaylor, twin::kDtypeOf<T>,
                                  isReuseSource, taylorExpandLevel},
                                 twin::Of(dstLocal), twin::Of(srcLocal), sharedTmpBuffer, calCount,
                                 here);
    }
}
template <typename T, uint8_t taylorExpandLevel, bool isReuseSource = false>
inline void Exp(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal,
                const uint32_t calCount, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(Exp, T, half, float);
    if constexpr (taylorExpandLevel == 0) {
        Exp<T>(dstLocal, srcLocal, static_cast<int32_t>(calCount), here);
    } else {
        twin::advanced::RunUnary({"Exp", twin::advanced::ElementaryOp::ExpTaylor, twin::kDtypeOf<T>,
                                  isReuseSource, taylorExpandLevel},
                                 twin::Of(dstLocal), twin::Of(srcLocal), {}, calCount, here);
    }
}

}  // namespace AscendC

#endif  // TWIN_DEVICE_MATH_EXP_H
