// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/library/elementwise.h"

// Gated activations: each multiplies the first source by a function of the second, in float.

namespace AscendC {

/// dst = srcTensor0 * srcTensor1 / (1 + e^(-scalarValue * srcTensor1))
#define TWIN_SWIGLU(TMP, tmp, COUNT, count, QUALIFIER)                                            \
    template <typename T, bool isReuseSource = false>                                             \
    inline void SwiGLU(LocalTensor<T>& dstTensor, QUALIFIER LocalTensor<T>& srcTensor0,           \
                       QUALIFIER LocalTensor<T>& srcTensor1, const float& scalarValue,            \
                       TMP(const) COUNT() TWIN_HERE) {                                            \
        TWIN_REFUSE_DTYPE(SwiGLU, T, half, float);                                                \
        ::twin::advanced::RunBinary(                                                              \
            {::twin::Opcode::SwiGLU, ::twin::advanced::ElementaryOp::SwiGlu, ::twin::kDtypeOf<T>, \
             false, -scalarValue},                                                                \
            dstTensor, srcTensor0, srcTensor1, tmp, count, here);                                 \
    }
TWIN_TMP_FORMS_OF(TWIN_SWIGLU, TWIN_CAL_COUNT, calCount, const)
TWIN_SWIGLU(TWIN_TMP_BUFFER, sharedTmpBuffer, TWIN_NOTHING, srcTensor0.GetSize(), const)
/// Overload whose sources are non-const references, as in the toolkit.
TWIN_SWIGLU(TWIN_NOTHING, {}, TWIN_NOTHING, srcTensor0.GetSize(), )

/// dst = srcTensor0 * gelu(srcTensor1); gelu(x) = x / (1 + e^(-0.0713548 x (x^2 + 22.36386)))
TWIN_ADVANCED_BINARY(GeGLU, GeGlu, half, float)

/// dst = srcTensor0 * max(srcTensor1, 0)
TWIN_TMP_FORMS_OF(TWIN_ADVANCED_BINARY_FORM, TWIN_CAL_COUNT, calCount, ReGlu, ReGlu, half,
                  bfloat16_t, float)

}  // namespace AscendC

// If highPrecision is true, GELU functions compute tensors of half in float. If highPerformance is
// true, a reciprocal and a multiplication replace the division.

#define TWIN_GELU(TMP, tmp, API)                                                                 \
    template <typename T, bool highPrecision = false, bool highPerformance = false>              \
    inline void API(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal,              \
                    TMP(const) const uint32_t dataSize, TWIN_HERE) {                             \
        TWIN_REFUSE_DTYPE(API, T, half, float);                                                  \
        ::twin::advanced::RunUnary({::twin::Opcode::API,                                         \
                                    highPrecision ? ::twin::advanced::ElementaryOp::API##Precise \
                                                  : ::twin::advanced::ElementaryOp::API,         \
                                    ::twin::kDtypeOf<T>, false, highPerformance ? 1.0F : 0.0F},  \
                                   dstLocal, srcLocal, tmp, dataSize, here);                     \
    }

namespace AscendC {

/// dst = src / (1 + e^-src); each intermediate result is rounded to the type T.
template <typename T, bool isReuseSource = false>
inline void Silu(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal, uint32_t dataSize,
                 TWIN_HERE) {
    TWIN_REFUSE_DTYPE(Silu, T, half, float);
    twin::advanced::RunUnary(
        {twin::Opcode::Silu, twin::advanced::ElementaryOp::Silu, twin::kDtypeOf<T>}, dstLocal,
        srcLocal, {}, dataSize, here);
}

/// dst = src / (1 + e^(-scalarValue * src)); each intermediate result is rounded to the type T.
template <typename T, bool isReuseSource = false>
inline void Swish(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal, uint32_t dataSize,
                  const T scalarValue, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(Swish, T, half, float);
    const float factor = static_cast<float>(static_cast<T>(-static_cast<float>(scalarValue)));
    twin::advanced::RunUnary({twin::Opcode::Swish, twin::advanced::ElementaryOp::Swish,
                              twin::kDtypeOf<T>, false, factor},
                             dstLocal, srcLocal, {}, dataSize, here);
}

/// dst = x / (1 + e^-|y|) * e^min(y, 0), where x = src and y = 1.5957691 (x + 0.044715 x^3)
TWIN_TMP_FORMS_OF(TWIN_GELU, Gelu)
/// dst = x / (1 + e^(-1.702 x)), where x = src
TWIN_TMP_FORMS_OF(TWIN_GELU, FasterGelu)
/// dst = x (sign(x) (0.5 - 0.1444 (min(|0.7071 x|, 1.769) - 1.769)^2) + 0.5), where x = src
TWIN_TMP_FORMS_OF(TWIN_GELU, FasterGeluV2)

}  // namespace AscendC
