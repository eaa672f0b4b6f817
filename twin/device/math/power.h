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
    PowerSide(const AscendC::LocalTensor<T>& values) : tensor(true), place(values) {}
    template <typename T>
    PowerSide(const T& value) {
        std::memcpy(number, &value, sizeof(T));
    }
};

TWIN_API void RunPower(Dtype dtype, const Operand& dst, const PowerSide& base,
                       const PowerSide& exponent, const Tmp& tmp, uint32_t count, Location where);

}  // namespace twin::advanced

// dst = BASE^EXPONENT.
#define TWIN_POWER(TMP, tmp, COUNT, count, BASE, EXPONENT)                                        \
    template <typename T, bool isReuseSource = false>                                             \
    inline void Power(const LocalTensor<T>& dstTensor, BASE, EXPONENT,                            \
                      TMP(const) COUNT() TWIN_HERE) {                                             \
        TWIN_REFUSE_DTYPE(Power, T, half, float, int32_t);                                        \
        ::twin::advanced::RunPower(::twin::kDtypeOf<T>, dstTensor, src0, src1, tmp, count, here); \
    }

namespace AscendC {

TWIN_COUNT_FORMS(TWIN_POWER, src0, const LocalTensor<T>& src0, const LocalTensor<T>& src1)
TWIN_COUNT_FORMS(TWIN_POWER, src0, const LocalTensor<T>& src0, const T& src1)
TWIN_COUNT_FORMS(TWIN_POWER, src1, const T& src0, const LocalTensor<T>& src1)

/// Newer toolkits have names for two algorithms. The results are the same.
enum class CumSumAlgorithm { CUMSUM_ALGORITHM_LINEBYLINE = 0, CUMSUM_ALGORITHM_SKLANSKY = 1 };

struct CumSumConfig {
    bool isLastAxis{true};
    bool isReuseSource{false};
    bool outputLastRow{false};
    CumSumAlgorithm algorithm{CumSumAlgorithm::CUMSUM_ALGORITHM_LINEBYLINE};
};

constexpr CumSumConfig defaultCumSumConfig = {true, false, true};

/// Number of rows and of their elements.
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

/// Running sums along rows (last axis) or down columns, added in order; half is computed in float.
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
