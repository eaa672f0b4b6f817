// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

#include "device/library/elementwise.h"
#include "device/library/tmp.h"
#include "device/vec/elementwise.h"
#include "device/vec/shapes.h"

// Math functions of the advanced API. core/opcodes.def has the functions of one source, like Acos.

namespace twin::advanced {

/// Executes an Axpy whose source is half; dst is half or float.
TWIN_API void RunAxpy(Dtype dtype, const Operand& dst, const Operand& src, float scalar,
                      const Tmp& tmp, uint32_t count, Location where);

TWIN_API void RunXor(Dtype dtype, const Operand& dst, const Operand& src0, const Operand& src1,
                     const Tmp& tmp, uint32_t count, Location where);

/// The base or the exponent of Power: a tensor, or one number for all elements.
struct PowerSide {
    bool tensor = false;
    Operand place = {};
    uint8_t number[4] = {};

    template <typename T>
    PowerSide(const AscendC::LocalTensor<T>& values) : tensor(true), place(values) {}
    template <typename T>
    PowerSide(const T& value) {
        std::memcpy(number, &value, sizeof(T));
    }
};

TWIN_API void RunPower(Dtype dtype, const Operand& dst, const PowerSide& base,
                       const PowerSide& exponent, const Tmp& tmp, uint32_t count, Location where);

}  // namespace twin::advanced

// ClampMax and ClampMin use a comparison and a Select in scalar mode. The Select also overwrites
// 32 elements (64 or 128 B) at 184 KiB of UB.
#define TWIN_CLAMP(TMP, tmp, API)                                                             \
    template <typename T, bool isReuseSource = false>                                         \
    inline void API(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,         \
                    TMP(const) const T scalar, const uint32_t calCount, TWIN_HERE) {          \
        TWIN_REFUSE_DTYPE(API, T, half, float);                                               \
        ::twin::advanced::RunUnary({::twin::Opcode::API, ::twin::advanced::ElementaryOp::API, \
                                    ::twin::kDtypeOf<T>, false, scalar},                      \
                                   dstTensor, srcTensor, tmp, calCount, here);                \
    }

namespace AscendC {

#define TWIN_FUNCTION(API) TWIN_ADVANCED_UNARY(API)
#define TWIN_COUNTED(API, QUALIFIER)                                                            \
    TWIN_TMP_FORMS_OF(TWIN_ADVANCED_UNARY_FORM, TWIN_CAL_COUNT, calCount, API, QUALIFIER, half, \
                      float)                                                                    \
    TWIN_ADVANCED_UNARY_ADDRESS(API, QUALIFIER)
#include "core/opcodes.def"

#define TWIN_LOGARITHM(API)                                                                       \
    TWIN_ADVANCED_UNARY_FORM(TWIN_NOTHING, {}, TWIN_CAL_COUNT, calCount, API, const, half, float) \
    TWIN_ADVANCED_UNARY_FORM(TWIN_NOTHING, {}, TWIN_NOTHING, srcTensor.GetSize(), API, const,     \
                             half, float)                                                         \
    TWIN_ADVANCED_UNARY_ADDRESS(API, const)
TWIN_LOGARITHM(Log)
/// Computes ln(src) * (1 / ln(10)), with both factors rounded to the type T.
TWIN_LOGARITHM(Log10)

/// Computes e^floor(src) times a Taylor series of e^(src - floor(src)) in float. The series has
/// `taylorExpandLevel` terms. Level 0 uses the Exp instruction.
#define TWIN_EXP_TAYLOR(TMP, tmp)                                                   \
    template <typename T, uint8_t taylorExpandLevel, bool isReuseSource = false>    \
    inline void Exp(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal, \
                    TMP(const) const uint32_t calCount, TWIN_HERE) {                \
        TWIN_REFUSE_DTYPE(Exp, T, half, float);                                     \
        if constexpr (taylorExpandLevel == 0) {                                     \
            Exp<T>(dstLocal, srcLocal, static_cast<int32_t>(calCount), here);       \
        } else {                                                                    \
            ::twin::advanced::RunUnary(                                             \
                {::twin::Opcode::Exp, ::twin::advanced::ElementaryOp::ExpTaylor,    \
                 ::twin::kDtypeOf<T>, isReuseSource, taylorExpandLevel},            \
                dstLocal, srcLocal, tmp, calCount, here);                           \
        }                                                                           \
    }
TWIN_TMP_FORMS(TWIN_EXP_TAYLOR)

/// dst = src0 - trunc(src0 / src1) * src1. Each intermediate result is rounded to float, so the
/// result is not exact for large quotients.
TWIN_ADVANCED_BINARY(Fmod, Fmod, half, float)

/// dst = dst + scalarValue * src. If src is half, computes in float and rounds once. If src is
/// float, uses the Axpy instruction.
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
        twin::advanced::RunAxpy(twin::kDtypeOf<T>, dstTensor, srcTensor,
                                static_cast<float>(scalarValue), sharedTmpBuffer, calCount, here);
    }
}

/// dst = src0 ^ src1 (bitwise exclusive or)
#define TWIN_XOR(TMP, tmp, COUNT, count, ...)                                                 \
    template <typename T, bool isReuseSource = false>                                         \
    inline void Xor(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor,        \
                    const LocalTensor<T>& src1Tensor, TMP(const) COUNT() TWIN_HERE) {         \
        TWIN_REFUSE_DTYPE(Xor, T, __VA_ARGS__);                                               \
        ::twin::advanced::RunXor(::twin::kDtypeOf<T>, dstTensor, src0Tensor, src1Tensor, tmp, \
                                 count, here);                                                \
    }
TWIN_COUNT_FORMS(TWIN_XOR, src0Tensor, int16_t, uint16_t)

/// dst = src if src is below the scalar, otherwise the scalar (also if src is NaN)
TWIN_TMP_FORMS_OF(TWIN_CLAMP, ClampMax)
/// dst = src if src is above the scalar, otherwise the scalar (also if src is NaN)
TWIN_TMP_FORMS_OF(TWIN_CLAMP, ClampMin)

// Computes dst = src0 to the power of src1; src0 or src1 may be a scalar.
#define TWIN_POWER(TMP, tmp, COUNT, count, BASE, EXPONENT)                                        \
    template <typename T, bool isReuseSource = false>                                             \
    inline void Power(const LocalTensor<T>& dstTensor, BASE, EXPONENT,                            \
                      TMP(const) COUNT() TWIN_HERE) {                                             \
        TWIN_REFUSE_DTYPE(Power, T, half, float, int32_t);                                        \
        ::twin::advanced::RunPower(::twin::kDtypeOf<T>, dstTensor, src0, src1, tmp, count, here); \
    }

TWIN_COUNT_FORMS(TWIN_POWER, src0, const LocalTensor<T>& src0, const LocalTensor<T>& src1)
TWIN_COUNT_FORMS(TWIN_POWER, src0, const LocalTensor<T>& src0, const T& src1)
TWIN_COUNT_FORMS(TWIN_POWER, src1, const T& src0, const LocalTensor<T>& src1)

/// Algorithms that newer toolkits name; A2/A3 have only LINEBYLINE.
enum class CumSumAlgorithm { CUMSUM_ALGORITHM_LINEBYLINE = 0, CUMSUM_ALGORITHM_SKLANSKY = 1 };

struct CumSumConfig {
    bool isLastAxis{true};
    bool isReuseSource{false};
    bool outputLastRow{false};
    CumSumAlgorithm algorithm{CumSumAlgorithm::CUMSUM_ALGORITHM_LINEBYLINE};
};

constexpr CumSumConfig defaultCumSumConfig = {true, false, true};

/// Number of rows (outter), and number of elements in a row (inner).
struct CumSumInfo {
    uint32_t outter{0};
    uint32_t inner{0};
};

}  // namespace AscendC

namespace twin::advanced {

TWIN_API void RunCumSum(Dtype dtype, const Operand& dst, const Operand& lastRow, const Operand& src,
                        const AscendC::CumSumConfig& config, const AscendC::CumSumInfo& info,
                        const Tmp& tmp, Location where);

}  // namespace twin::advanced

namespace AscendC {

/// Computes running sums along rows (last axis) or down columns, in order; half is summed in float.
#define TWIN_CUM_SUM(TMP, tmp)                                                                \
    template <typename T, const CumSumConfig& config = defaultCumSumConfig>                   \
    inline void CumSum(LocalTensor<T>& dstTensor, LocalTensor<T>& lastRowTensor,              \
                       const LocalTensor<T>& srcTensor, TMP() const CumSumInfo& cumSumInfo,   \
                       TWIN_HERE) {                                                           \
        TWIN_REFUSE_DTYPE(CumSum, T, half, float);                                            \
        static_assert(config.algorithm == CumSumAlgorithm::CUMSUM_ALGORITHM_LINEBYLINE,       \
                      "CumSum: CUMSUM_ALGORITHM_SKLANSKY is for other chips than A2 and A3"); \
        ::twin::advanced::RunCumSum(::twin::kDtypeOf<T>, dstTensor, lastRowTensor, srcTensor, \
                                    config, cumSumInfo, tmp, here);                           \
    }
TWIN_TMP_FORMS(TWIN_CUM_SUM)

}  // namespace AscendC
