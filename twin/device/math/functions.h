// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/library/elementwise.h"
#include "device/library/tmp.h"
#include "device/vec/elementwise.h"
#include "device/vec/shapes.h"

// The functions of one argument that core/opcodes.def lists: Acos, Erf, Sigmoid ...

namespace twin::advanced {

/// The sources are half; dst is half or float.
TWIN_API void RunAxpy(Dtype dtype, const Operand& dst, const Operand& src, float scalar,
                      const Tmp& tmp, uint32_t count, Location where);

TWIN_API void RunXor(Dtype dtype, const Operand& dst, const Operand& src0, const Operand& src1,
                     const Tmp& tmp, uint32_t count, Location where);

}  // namespace twin::advanced

// A comparison into the scratch and a Select in its scalar mode, so the 8 KiB from 184 KiB on are
// overwritten, too.
#define TWIN_CLAMP(API)                                                                           \
    template <typename T, bool isReuseSource = false>                                             \
    inline void API(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,             \
                    const LocalTensor<uint8_t>& sharedTmpBuffer, const T scalar,                  \
                    const uint32_t calCount, TWIN_HERE) {                                         \
        TWIN_REFUSE_DTYPE(API, T, half, float);                                                   \
        ::twin::advanced::RunUnary({::twin::Opcode::API, ::twin::advanced::ElementaryOp::API,     \
                                    ::twin::kDtypeOf<T>, false, static_cast<float>(scalar)},      \
                                   ::twin::Of(dstTensor), ::twin::Of(srcTensor), sharedTmpBuffer, \
                                   calCount, here);                                               \
    }                                                                                             \
    template <typename T, bool isReuseSource = false>                                             \
    inline void API(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,             \
                    const T scalar, const uint32_t calCount, TWIN_HERE) {                         \
        TWIN_REFUSE_DTYPE(API, T, half, float);                                                   \
        ::twin::advanced::RunUnary({::twin::Opcode::API, ::twin::advanced::ElementaryOp::API,     \
                                    ::twin::kDtypeOf<T>, false, static_cast<float>(scalar)},      \
                                   ::twin::Of(dstTensor), ::twin::Of(srcTensor), {}, calCount,    \
                                   here);                                                         \
    }

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

/// The bits that are set in exactly one source.
template <typename T, bool isReuseSource = false>
inline void Xor(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor,
                const LocalTensor<T>& src1Tensor, const LocalTensor<uint8_t>& sharedTmpBuffer,
                const uint32_t calCount, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(Xor, T, int16_t, uint16_t);
    twin::advanced::RunXor(twin::kDtypeOf<T>, twin::Of(dstTensor), twin::Of(src0Tensor),
                           twin::Of(src1Tensor), sharedTmpBuffer, calCount, here);
}
template <typename T, bool isReuseSource = false>
inline void Xor(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor,
                const LocalTensor<T>& src1Tensor, const uint32_t calCount, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(Xor, T, int16_t, uint16_t);
    twin::advanced::RunXor(twin::kDtypeOf<T>, twin::Of(dstTensor), twin::Of(src0Tensor),
                           twin::Of(src1Tensor), {}, calCount, here);
}
template <typename T, bool isReuseSource = false>
inline void Xor(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor,
                const LocalTensor<T>& src1Tensor, const LocalTensor<uint8_t>& sharedTmpBuffer,
                TWIN_HERE) {
    Xor<T, isReuseSource>(dstTensor, src0Tensor, src1Tensor, sharedTmpBuffer, src0Tensor.GetSize(),
                          here);
}
template <typename T, bool isReuseSource = false>
inline void Xor(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor,
                const LocalTensor<T>& src1Tensor, TWIN_HERE) {
    Xor<T, isReuseSource>(dstTensor, src0Tensor, src1Tensor, src0Tensor.GetSize(), here);
}

/// src if it is below the scalar, otherwise the scalar (also for NaN).
TWIN_CLAMP(ClampMax)
/// src if it is above the scalar, otherwise the scalar (also for NaN).
TWIN_CLAMP(ClampMin)

}  // namespace AscendC
