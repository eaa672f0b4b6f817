// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/library/tmp.h"
#include "device/vec/shapes.h"

namespace AscendC {

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
template <typename T, const CumSumConfig& config = defaultCumSumConfig>
inline void CumSum(LocalTensor<T>& dstTensor, LocalTensor<T>& lastRowTensor,
                   const LocalTensor<T>& srcTensor, LocalTensor<uint8_t>& sharedTmpBuffer,
                   const CumSumInfo& cumSumInfo, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(CumSum, T, half, float);
    static_assert(config.algorithm == CumSumAlgorithm::CUMSUM_ALGORITHM_LINEBYLINE,
                  "CumSum: CUMSUM_ALGORITHM_SKLANSKY is for other chips than A2 and A3");
    twin::advanced::RunCumSum(twin::kDtypeOf<T>, twin::Of(dstTensor), twin::Of(lastRowTensor),
                              twin::Of(srcTensor), config, cumSumInfo, sharedTmpBuffer, here);
}
template <typename T, const CumSumConfig& config = defaultCumSumConfig>
inline void CumSum(LocalTensor<T>& dstTensor, LocalTensor<T>& lastRowTensor,
                   const LocalTensor<T>& srcTensor, const CumSumInfo& cumSumInfo, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(CumSum, T, half, float);
    static_assert(config.algorithm == CumSumAlgorithm::CUMSUM_ALGORITHM_LINEBYLINE,
                  "CumSum: CUMSUM_ALGORITHM_SKLANSKY is for other chips than A2 and A3");
    twin::advanced::RunCumSum(twin::kDtypeOf<T>, twin::Of(dstTensor), twin::Of(lastRowTensor),
                              twin::Of(srcTensor), config, cumSumInfo, {}, here);
}

}  // namespace AscendC
