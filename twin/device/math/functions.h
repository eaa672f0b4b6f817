// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/library/elementwise.h"
#include "device/vec/elementwise.h"

// The functions of one argument that core/opcodes.def lists: Acos, Erf, Sigmoid ...

namespace AscendC {

#define TWIN_FUNCTION(API) TWIN_ADVANCED_UNARY(API, API, half, float)
#define TWIN_COUNTED(API, QUALIFIER) TWIN_ADVANCED_UNARY_COUNTED(API, API, QUALIFIER, half, float)
#include "core/opcodes.def"

/// Natural logarithm.
TWIN_ADVANCED_UNARY_STACK(Log, Log, const, half, float)
TWIN_ADVANCED_UNARY_WHOLE(Log)
/// Logarithm times 1 / ln(10), both rounded to the type.
TWIN_ADVANCED_UNARY_STACK(Log10, Log10, const, half, float)
TWIN_ADVANCED_UNARY_WHOLE(Log10)

/// e^floor(src) times `taylorExpandLevel` terms of the series of the rest, in float. Level 0 is the
/// instruction.
template <typename T, uint8_t taylorExpandLevel, bool isReuseSource = false>
inline void Exp(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal,
                const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(Exp, T, half, float);
    if constexpr (taylorExpandLevel == 0) {
        Exp<T>(dstLocal, srcLocal, static_cast<int32_t>(calCount), here);
    } else {
        twin::advanced::RunUnary({twin::Opcode::Exp, twin::advanced::ElementaryOp::ExpTaylor,
                                  twin::kDtypeOf<T>, isReuseSource, taylorExpandLevel},
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
        twin::advanced::RunUnary({twin::Opcode::Exp, twin::advanced::ElementaryOp::ExpTaylor,
                                  twin::kDtypeOf<T>, isReuseSource, taylorExpandLevel},
                                 twin::Of(dstLocal), twin::Of(srcLocal), {}, calCount, here);
    }
}

/// src0 - trunc(src0 / src1) * src1, with every step rounded to float: not exact for large
/// quotients.
template <typename T, bool isReuseSource = false>
inline void Fmod(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor,
                 const LocalTensor<T>& src1Tensor, const LocalTensor<uint8_t>& sharedTmpBuffer,
                 const uint32_t calCount, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(Fmod, T, half, float);
    twin::advanced::RunBinary(
        {twin::Opcode::Fmod, twin::advanced::ElementaryOp::Fmod, twin::kDtypeOf<T>},
        twin::Of(dstTensor), twin::Of(src0Tensor), twin::Of(src1Tensor), sharedTmpBuffer, calCount,
        here);
}
template <typename T, bool isReuseSource = false>
inline void Fmod(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor,
                 const LocalTensor<T>& src1Tensor, const uint32_t calCount, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(Fmod, T, half, float);
    twin::advanced::RunBinary(
        {twin::Opcode::Fmod, twin::advanced::ElementaryOp::Fmod, twin::kDtypeOf<T>},
        twin::Of(dstTensor), twin::Of(src0Tensor), twin::Of(src1Tensor), {}, calCount, here);
}
template <typename T, bool isReuseSource = false>
inline void Fmod(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor,
                 const LocalTensor<T>& src1Tensor, const LocalTensor<uint8_t>& sharedTmpBuffer,
                 TWIN_HERE) {
    Fmod<T, isReuseSource>(dstTensor, src0Tensor, src1Tensor, sharedTmpBuffer, src0Tensor.GetSize(),
                           here);
}
template <typename T, bool isReuseSource = false>
inline void Fmod(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor,
                 const LocalTensor<T>& src1Tensor, TWIN_HERE) {
    Fmod<T, isReuseSource>(dstTensor, src0Tensor, src1Tensor, src0Tensor.GetSize(), here);
}

}  // namespace AscendC
