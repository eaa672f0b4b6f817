// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/library/elementwise.h"

// Gated activations: the first source times a function of the second, in float.

namespace twin::advanced {

inline void RunSwiglu(Dtype dtype, const Operand& dst, const Operand& src0, const Operand& src1,
                      float beta, const Tmp& tmp, uint32_t count, Location where) {
    RunBinary({Opcode::SwiGLU, ElementaryOp::SwiGlu, dtype, false, -beta}, dst, src0, src1, tmp,
              count, where);
}

}  // namespace twin::advanced

namespace AscendC {

/// srcTensor0 * srcTensor1 / (1 + e^(-scalarValue srcTensor1))
template <typename T, bool isReuseSource = false>
inline void SwiGLU(LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor0,
                   const LocalTensor<T>& srcTensor1, const float& scalarValue,
                   const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount,
                   TWIN_HERE) {
    TWIN_REFUSE_DTYPE(SwiGLU, T, half, float);
    twin::advanced::RunSwiglu(twin::kDtypeOf<T>, twin::Of(dstTensor), twin::Of(srcTensor0),
                              twin::Of(srcTensor1), scalarValue, sharedTmpBuffer, calCount, here);
}
template <typename T, bool isReuseSource = false>
inline void SwiGLU(LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor0,
                   const LocalTensor<T>& srcTensor1, const float& scalarValue,
                   const LocalTensor<uint8_t>& sharedTmpBuffer, TWIN_HERE) {
    SwiGLU<T, isReuseSource>(dstTensor, srcTensor0, srcTensor1, scalarValue, sharedTmpBuffer,
                             srcTensor0.GetSize(), here);
}
template <typename T, bool isReuseSource = false>
inline void SwiGLU(LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor0,
                   const LocalTensor<T>& srcTensor1, const float& scalarValue,
                   const uint32_t calCount, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(SwiGLU, T, half, float);
    twin::advanced::RunSwiglu(twin::kDtypeOf<T>, twin::Of(dstTensor), twin::Of(srcTensor0),
                              twin::Of(srcTensor1), scalarValue, {}, calCount, here);
}
/// The toolkit takes the sources of this form by reference, so this overload does, too.
template <typename T, bool isReuseSource = false>
inline void SwiGLU(LocalTensor<T>& dstTensor, LocalTensor<T>& srcTensor0,
                   LocalTensor<T>& srcTensor1, const float& scalarValue, TWIN_HERE) {
    SwiGLU<T, isReuseSource>(dstTensor, srcTensor0, srcTensor1, scalarValue, srcTensor0.GetSize(),
                             here);
}

/// srcTensor0 * gelu(srcTensor1), with x / (1 + e^(-0.0713548 x (x^2 + 22.36386))) for gelu
template <typename T, bool isReuseSource = false>
inline void GeGLU(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor0,
                  const LocalTensor<T>& srcTensor1, const LocalTensor<uint8_t>& sharedTmpBuffer,
                  uint32_t calCount, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(GeGLU, T, half, float);
    twin::advanced::RunBinary(
        {twin::Opcode::GeGLU, twin::advanced::ElementaryOp::GeGlu, twin::kDtypeOf<T>},
        twin::Of(dstTensor), twin::Of(srcTensor0), twin::Of(srcTensor1), sharedTmpBuffer, calCount,
        here);
}
template <typename T, bool isReuseSource = false>
inline void GeGLU(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor0,
                  const LocalTensor<T>& srcTensor1, uint32_t calCount, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(GeGLU, T, half, float);
    twin::advanced::RunBinary(
        {twin::Opcode::GeGLU, twin::advanced::ElementaryOp::GeGlu, twin::kDtypeOf<T>},
        twin::Of(dstTensor), twin::Of(srcTensor0), twin::Of(srcTensor1), {}, calCount, here);
}
template <typename T, bool isReuseSource = false>
inline void GeGLU(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor0,
                  const LocalTensor<T>& srcTensor1, const LocalTensor<uint8_t>& sharedTmpBuffer,
                  TWIN_HERE) {
    GeGLU<T, isReuseSource>(dstTensor, srcTensor0, srcTensor1, sharedTmpBuffer,
                            srcTensor0.GetSize(), here);
}
template <typename T, bool isReuseSource = false>
inline void GeGLU(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor0,
                  const LocalTensor<T>& srcTensor1, TWIN_HERE) {
    GeGLU<T, isReuseSource>(dstTensor, srcTensor0, srcTensor1, srcTensor0.GetSize(), here);
}

/// srcTensor0 * max(srcTensor1, 0)
template <typename T, bool isReuseSource = false>
inline void ReGlu(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor0,
                  const LocalTensor<T>& srcTensor1, const LocalTensor<uint8_t>& sharedTmpBuffer,
                  const uint32_t calCount, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(ReGlu, T, half, bfloat16_t, float);
    twin::advanced::RunBinary(
        {twin::Opcode::ReGlu, twin::advanced::ElementaryOp::ReGlu, twin::kDtypeOf<T>},
        twin::Of(dstTensor), twin::Of(srcTensor0), twin::Of(srcTensor1), sharedTmpBuffer, calCount,
        here);
}
template <typename T, bool isReuseSource = false>
inline void ReGlu(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor0,
                  const LocalTensor<T>& srcTensor1, const uint32_t calCount, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(ReGlu, T, half, bfloat16_t, float);
    twin::advanced::RunBinary(
        {twin::Opcode::ReGlu, twin::advanced::ElementaryOp::ReGlu, twin::kDtypeOf<T>},
        twin::Of(dstTensor), twin::Of(srcTensor0), twin::Of(srcTensor1), {}, calCount, here);
}

}  // namespace AscendC

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
