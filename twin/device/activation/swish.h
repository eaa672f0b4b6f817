// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/library/elementwise.h"

// With highPrecision half is computed in float. With highPerformance a reciprocal and a product
// replace the division.
#define TWIN_GELU_FUNCTION(API)                                   \
    {::twin::Opcode::API,                                         \
     highPrecision ? ::twin::advanced::ElementaryOp::API##Precise \
                   : ::twin::advanced::ElementaryOp::API,         \
     ::twin::kDtypeOf<T>, false, highPerformance ? 1.0F : 0.0F}

#define TWIN_GELU(API)                                                                     \
    template <typename T, bool highPrecision = false, bool highPerformance = false>        \
    inline void API(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal,        \
                    const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t dataSize,  \
                    TWIN_HERE) {                                                           \
        TWIN_REFUSE_DTYPE(API, T, half, float);                                            \
        ::twin::advanced::RunUnary(TWIN_GELU_FUNCTION(API), ::twin::Of(dstLocal),          \
                                   ::twin::Of(srcLocal), sharedTmpBuffer, dataSize, here); \
    }                                                                                      \
    template <typename T, bool highPrecision = false, bool highPerformance = false>        \
    inline void API(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal,        \
                    const uint32_t dataSize, TWIN_HERE) {                                  \
        TWIN_REFUSE_DTYPE(API, T, half, float);                                            \
        ::twin::advanced::RunUnary(TWIN_GELU_FUNCTION(API), ::twin::Of(dstLocal),          \
                                   ::twin::Of(srcLocal), {}, dataSize, here);              \
    }

namespace AscendC {

/// src / (1 + e^-src), every step rounded to the type.
template <typename T, bool isReuseSource = false>
inline void Silu(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal, uint32_t dataSize,
                 TWIN_HERE) {
    TWIN_REFUSE_DTYPE(Silu, T, half, float);
    twin::advanced::RunUnary(
        {twin::Opcode::Silu, twin::advanced::ElementaryOp::Silu, twin::kDtypeOf<T>},
        twin::Of(dstLocal), twin::Of(srcLocal), {}, dataSize, here);
}

/// src / (1 + e^(-scalarValue src)), every step rounded to the type.
template <typename T, bool isReuseSource = false>
inline void Swish(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal, uint32_t dataSize,
                  const T scalarValue, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(Swish, T, half, float);
    const float factor = static_cast<float>(static_cast<T>(-static_cast<float>(scalarValue)));
    twin::advanced::RunUnary({twin::Opcode::Swish, twin::advanced::ElementaryOp::Swish,
                              twin::kDtypeOf<T>, false, factor},
                             twin::Of(dstLocal), twin::Of(srcLocal), {}, dataSize, here);
}

/// x / (1 + e^-|y|) e^min(y, 0) with y = 1.5957691 (x + 0.044715 x^3)
TWIN_GELU(Gelu)
/// x / (1 + e^(-1.702 x))
TWIN_GELU(FasterGelu)
/// x (sign(x) (0.5 - 0.1444 (min(|0.7071 x|, 1.769) - 1.769)^2) + 0.5)
TWIN_GELU(FasterGeluV2)

}  // namespace AscendC
