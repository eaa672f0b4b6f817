// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>

#include "tiling/matmul/matmul_tiling_types.h"

namespace twin::host::matmul {

constexpr int32_t kFractal = 16;    ///< rows and columns of a fractal of C
constexpr int32_t kMaxMmad = 4095;  ///< largest m, n or k of one Mmad
constexpr int32_t kUnset = -1;

inline int64_t CeilDiv(int64_t value, int64_t unit) { return (value + unit - 1) / unit; }
inline int64_t AlignUp(int64_t value, int64_t unit) { return CeilDiv(value, unit) * unit; }

/// Returns true if one of the sizes is neither positive nor -1, which leaves the choice.
inline bool NegativeWish(std::initializer_list<int32_t> values) {
    return std::any_of(values.begin(), values.end(),
                       [](int32_t value) { return value == 0 || value < -1; });
}

/// The conditions for a plan. Sizes are in elements, memories in bytes.
struct PlanRequest {
    int64_t m = 0, n = 0, k = 0;  ///< the product that the core computes
    int32_t inputBits = 16;       ///< bits of an element of A and B
    int32_t biasBytes = 0;        ///< per element; 0: no bias
    bool transA = false;
    bool transB = false;
    bool inL1A = false;  ///< the kernel keeps the operand in L1 (TSCM)
    bool inL1B = false;
    int64_t l1 = 0, l0a = 0, l0b = 0, l0c = 0, bt = 0;
    int32_t baseM = kUnset, baseN = kUnset, baseK = kUnset;  ///< base block fixed by the user
    int32_t maxBaseM = kUnset, maxBaseN = kUnset, maxBaseK = kUnset;
    int32_t minBaseM = kUnset, minBaseN = kUnset, minBaseK = kUnset;
    bool doubleA = true, doubleB = true, doubleC = true;  ///< buffers per L1 operand and of L0C
    int32_t order = kUnset;                               ///< 0 along M first, 1 along N first
    bool outerProduct = false;                            ///< two blocks of C are in L0C at a time

    int32_t C0() const { return 256 / inputBits; }
    /// A and B get into L0 in whole fractals; if the inner axis of the source is M or N, it is
    /// split in units of C0.
    int32_t UnitM() const { return transA && C0() > kFractal ? C0() : kFractal; }
    int32_t UnitN() const { return !transB && C0() > kFractal ? C0() : kFractal; }
    int32_t UnitK() const {
        if (!transA && transB) {
            return C0();
        }
        return C0() > kFractal ? C0() : kFractal;
    }
    int64_t BytesA(int64_t rows, int64_t depth) const {
        return AlignUp(rows, UnitM()) * AlignUp(depth, UnitK()) * inputBits / 8;
    }
    int64_t BytesB(int64_t depth, int64_t columns) const {
        return AlignUp(columns, UnitN()) * AlignUp(depth, UnitK()) * inputBits / 8;
    }
    /// The rest of L1, without operands that the kernel keeps there: each of a block's two vector
    /// cores may have one.
    int64_t FreeL1() const {
        return l1 - 2 * ((inL1A ? BytesA(m, k) : 0) + (inL1B ? BytesB(k, n) : 0));
    }
};

struct BlockPlan {
    int32_t baseM = 0, baseN = 0, baseK = 0;
    int32_t dbL0A = 1, dbL0B = 1, dbL0C = 1;
    int32_t stepM = 1, stepN = 1, stepKa = 1, stepKb = 1;
    int32_t depthA1 = 1, depthB1 = 1;
    int32_t order = 0;
    int64_t l1Bytes = 0;
    double cycles = 0;  ///< estimate, for the comparison of plans
};

/// Finds the best base block; returns nullptr, or why there is none.
const char* PlanBase(const PlanRequest& request, BlockPlan* plan);
/// Decides how much of the operands L1 holds, for a plan of PlanBase; returns nullptr, or why L1
/// has no room.
const char* PlanL1(const PlanRequest& request, BlockPlan* plan);

/// How a product is split among cores.
struct SplitRequest {
    PlanRequest whole;  ///< m, n, k of the whole product
    int32_t cores = 1;
    bool splitK = false;
    int32_t singleM = kUnset, singleN = kUnset, singleK = kUnset;  ///< share fixed by the user
    int32_t maxM = kUnset, maxN = kUnset, maxK = kUnset;
    int32_t minM = kUnset, minN = kUnset, minK = kUnset;
    int32_t alignM = 1, alignN = 1, alignK = 1;
};

struct CoreSplit {
    int32_t singleM = 0, singleN = 0, singleK = 0;
    int32_t mDim = 0, nDim = 0, kDim = 0;
    BlockPlan plan;
};

/// Finds the split whose slowest core is fastest; returns nullptr, or why there is none.
const char* SplitCores(const SplitRequest& request, CoreSplit* split);

/// Returns nullptr, or why Matmul on A2 and A3 cannot multiply these types.
const char* CheckTypes(const matmul_tiling::MatTilingType& a, const matmul_tiling::MatTilingType& b,
                       const matmul_tiling::MatTilingType& c,
                       const matmul_tiling::MatTilingType* bias);

/// Bits of one element; 0 for a type without a size.
int32_t Bits(matmul_tiling::DataType type);

/// Copies the data of the chip and the operands into a request; sizes and settings do not change.
void DescribeOperands(const matmul_tiling::MatTilingType& a, const matmul_tiling::MatTilingType& b,
                      const matmul_tiling::MatTilingType* bias,
                      const matmul_tiling::BufferPool& pool, PlanRequest* request);

}  // namespace twin::host::matmul
