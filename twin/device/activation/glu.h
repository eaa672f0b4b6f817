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
/// This form takes its sources by reference, as in the toolkit.
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
