// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

#include "device/library/tmp.h"
#include "device/vec/shapes.h"

namespace twin::advanced {

/// Base or exponent: a tensor, or one number for all elements.
struct PowerSide {
    bool tensor = false;
    Operand place = {};
    uint8_t number[4] = {};

    template <typename T>
    PowerSide(const AscendC::LocalTensor<T>& values) : tensor(true), place(Of(values)) {}
    template <typename T>
    PowerSide(const T& value) {
        std::memcpy(number, &value, sizeof(T));
    }
};

TWIN_API void RunPower(Dtype dtype, const Operand& dst, const PowerSide& base,
                       const PowerSide& exponent, const Tmp& tmp, uint32_t count, Location where);

}  // namespace twin::advanced

// dst = BASE^EXPONENT. SIZED is the operand that is a tensor and gives the number of elements.
#define TWIN_POWER(BASE, EXPONENT, SIZED)                                                          \
    template <typename T, bool isReuseSource = false>                                              \
    inline void Power(const LocalTensor<T>& dstTensor, BASE, EXPONENT,                             \
                      const LocalTensor<uint8_t>& sharedTmpBuffer, uint32_t calCount, TWIN_HERE) { \
        TWIN_REFUSE_DTYPE(Power, T, half, float, int32_t);                                         \
        ::twin::advanced::RunPower(::twin::kDtypeOf<T>, ::twin::Of(dstTensor), src0, src1,         \
                                   sharedTmpBuffer, calCount, here);                               \
    }                                                                                              \
    template <typename T, bool isReuseSource = false>                                              \
    inline void Power(const LocalTensor<T>& dstTensor, BASE, EXPONENT, uint32_t calCount,          \
                      TWIN_HERE) {                                                                 \
        TWIN_REFUSE_DTYPE(Power, T, half, float, int32_t);                                         \
        ::twin::advanced::RunPower(::twin::kDtypeOf<T>, ::twin::Of(dstTensor), src0, src1, {},     \
                                   calCount, here);                                                \
    }                                                                                              \
    template <typename T, bool isReuseSource = false>                                              \
    inline void Power(const LocalTensor<T>& dstTensor, BASE, EXPONENT,                             \
                      const LocalTensor<uint8_t>& sharedTmpBuffer, TWIN_HERE) {                    \
        Power<T, isReuseSource>(dstTensor, src0, src1, sharedTmpBuffer, SIZED.GetSize(), here);    \
    }                                                                                              \
    template <typename T, bool isReuseSource = false>                                              \
    inline void Power(const LocalTensor<T>& dstTensor, BASE, EXPONENT, TWIN_HERE) {                \
        Power<T, isReuseSource>(dstTensor, src0, src1, SIZED.GetSize(), here);                     \
    }

namespace AscendC {

TWIN_POWER(const LocalTensor<T>& src0, const LocalTensor<T>& src1, src0)
TWIN_POWER(const LocalTensor<T>& src0, const T& src1, src0)
TWIN_POWER(const T& src0, const LocalTensor<T>& src1, src1)

}  // namespace AscendC
