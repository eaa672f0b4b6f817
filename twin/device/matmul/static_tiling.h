// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/core.h"
#include "device/matmul/presets.h"
#include "device/types/enums.h"
#include "device/types/half.h"
#include "kernel_tiling/cube_tiling.h"

/// A tiling of compile-time constants; -1 means unknown. It may replace a MatmulConfig.
struct MatmulApiStaticTiling {
#define TWIN_UNKNOWN_FIELD(TYPE, NAME) TYPE NAME = -1;
    TWIN_CUBE_TILING_SPLIT(TWIN_UNKNOWN_FIELD)
    TWIN_CUBE_TILING_LAYOUT(TWIN_UNKNOWN_FIELD)
#undef TWIN_UNKNOWN_FIELD
    MatmulConfig cfg = CFG_NORM;
};

namespace twin::matmul {

constexpr int32_t Ceil(int32_t value, int32_t unit) { return (value + unit - 1) / unit; }

/// Sets the number of base blocks that L1 buffers contain along K and, if all of K fits, along N.
constexpr void FillL1(MatmulApiStaticTiling& t, int32_t blockA, int32_t blockB, int32_t l1Bytes) {
    const int32_t steps = Ceil(t.singleCoreK, t.baseK);
    const int32_t twice = 2 * (blockA + blockB) <= l1Bytes ? 2 : 1;
    int32_t step = l1Bytes / (twice * (blockA + blockB));
    step = step < 1 ? 1 : step;
    step = step < steps ? step : steps;
    t.stepKa = t.stepKb = step;
    t.stepM = t.stepN = 1;
    const int32_t blocksN = Ceil(t.singleCoreN, t.baseN);
    while (step == steps && t.stepN < blocksN &&
           twice * step * (blockA + (t.stepN + 1) * blockB) <= l1Bytes) {
        ++t.stepN;
    }
    t.depthA1 = twice * t.stepKa;
    t.depthB1 = twice * t.stepKb * t.stepN;
    t.shareL1Size = t.depthA1 * blockA + t.depthB1 * blockB;
}

}  // namespace twin::matmul

namespace AscendC {

// NOLINTNEXTLINE(bugprone-return-const-ref-from-parameter): template arguments outlive everything
constexpr const MatmulConfig& ToMatmulConfig(const MatmulConfig& cfg) { return cfg; }
constexpr const MatmulConfig& ToMatmulConfig(const MatmulApiStaticTiling& tiling) {
    return tiling.cfg;
}

/// Returns the tiling of a configuration with constant shapes (GetMMConfig with MatmulShapeParams).
/// If singleCoreM, N or K is 0, sets only cfg, isBias, and the fields that the base block decides.
template <class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE>
constexpr MatmulApiStaticTiling GetMatmulApiTiling(const MatmulConfig& mmCFG,
                                                   int32_t l1Size = TOTAL_L1_SIZE) {
    MatmulApiStaticTiling t;
    t.cfg = mmCFG;
    if (mmCFG.basicM == 0 || mmCFG.basicN == 0 || mmCFG.basicK == 0) {
        return t;
    }
    constexpr int32_t kBits = static_cast<int32_t>(twin::kElementBits<typename A_TYPE::T>);
    t.baseM = static_cast<int32_t>(mmCFG.basicM);
    t.baseN = static_cast<int32_t>(mmCFG.basicN);
    t.baseK = static_cast<int32_t>(mmCFG.basicK);
    const int32_t blockA = t.baseM * t.baseK * kBits / 8;
    const int32_t blockB = t.baseN * t.baseK * kBits / 8;
    t.dbL0A = 2 * blockA <= TOTAL_L0A_SIZE ? 2 : 1;
    t.dbL0B = 2 * blockB <= TOTAL_L0B_SIZE ? 2 : 1;
    t.isBias = mmCFG.enableSetBias ? 1 : 0;
    if (mmCFG.singleCoreM == 0 || mmCFG.singleCoreN == 0 || mmCFG.singleCoreK == 0) {
        return t;
    }
    t.M = t.singleCoreM = static_cast<int32_t>(mmCFG.singleCoreM);
    t.N = t.singleCoreN = static_cast<int32_t>(mmCFG.singleCoreN);
    t.Ka = t.Kb = t.singleCoreK = static_cast<int32_t>(mmCFG.singleCoreK);
    const int32_t bias = t.isBias * t.baseN * static_cast<int32_t>(sizeof(typename BIAS_TYPE::T));
    twin::matmul::FillL1(t, blockA, blockB, l1Size - bias);
    t.iterateOrder = 0;
    t.dbL0C = 1;
    t.transLength = t.shareMode = t.shareUbSize = 0;
    t.shareL0CSize = t.baseM * t.baseN * 4;
    return t;
}

}  // namespace AscendC
