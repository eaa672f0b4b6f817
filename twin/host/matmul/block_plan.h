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

/// Returns true if a size is invalid. A valid size is positive, or -1: the twin chooses the size.
inline bool NegativeWish(std::initializer_list<int32_t> values) {
    return std::any_of(values.begin(), values.end(),
                       [](int32_t value) { return value == 0 || value < -1; });
}

/// What a plan for one core must fulfil. Matrix sizes are in elements, memory sizes in bytes.
struct PlanRequest {
    int64_t m = 0, n = 0, k = 0;  ///< sizes of the core's matrix product
    int32_t inputBits = 16;       ///< bits of an element of A and B
    int32_t biasBytes = 0;        ///< bytes of a bias element; 0: no bias
    bool transA = false;
    bool transB = false;
    bool sparse = false;  ///< B keeps two of every four values along K
    bool inL1A = false;   ///< true: the kernel keeps all of A in L1 (TSCM)
    bool inL1B = false;
    int64_t l1 = 0, l0a = 0, l0b = 0, l0c = 0, bt = 0;
    int32_t baseM = kUnset, baseN = kUnset, baseK = kUnset;  ///< base block fixed by the user
    int32_t maxBaseM = kUnset, maxBaseN = kUnset, maxBaseK = kUnset;
    int32_t minBaseM = kUnset, minBaseN = kUnset, minBaseK = kUnset;
    bool doubleA = true, doubleB = true, doubleC = true;  ///< allow two buffers for A, B, C
    int32_t order = kUnset;                               ///< axis of the inner loop: 0: M, 1: N
    bool outerProduct = false;                            ///< true: two blocks of C are in L0C
    bool nBuffer33 = false;  ///< true: all of the core's A stays in L1, at most 3 x 3 base blocks

    int32_t C0() const { return 256 / inputBits; }
    /// UnitM, UnitN and UnitK return the unit to which a size in M, N or K is rounded up. A load to
    /// L0 moves whole fractals. On the source's inner axis, a load has a multiple of C0 elements.
    int32_t UnitM() const { return transA && C0() > kFractal ? C0() : kFractal; }
    int32_t UnitN() const { return !transB && C0() > kFractal ? C0() : kFractal; }
    int32_t UnitK() const {
        if (sparse) {
            return 2 * C0();
        }
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
    /// Returns how many bytes of L1 the operands in TSCM leave free. These operands count twice,
    /// because each of a block's two vector cores may have its own operand.
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
    double cycles = 0;  ///< estimated cycles, to compare plans
};

/// Finds the best base block; returns nullptr, or the reason if no base block is possible.
const char* PlanBase(const PlanRequest& request, BlockPlan* plan);
/// Decides how many blocks of A and B are in L1; returns nullptr, or the reason if L1 is too small.
const char* PlanL1(const PlanRequest& request, BlockPlan* plan);

/// What a division of a matrix product among cores must fulfil.
struct SplitRequest {
    PlanRequest whole;  ///< m, n, k of the whole product
    int32_t cores = 1;
    bool splitK = false;
    int32_t singleM = kUnset, singleN = kUnset, singleK = kUnset;  ///< user's sizes for one core
    int32_t maxM = kUnset, maxN = kUnset, maxK = kUnset;
    int32_t minM = kUnset, minN = kUnset, minK = kUnset;
    int32_t alignM = 1, alignN = 1, alignK = 1;
};

struct CoreSplit {
    int32_t singleM = 0, singleN = 0, singleK = 0;
    int32_t mDim = 0, nDim = 0, kDim = 0;
    BlockPlan plan;
};

/// Finds the fastest division among cores; returns nullptr, or the reason if it finds no division.
const char* SplitCores(const SplitRequest& request, CoreSplit* split);

/// Returns nullptr, or why Matmul on A2 and A3 cannot multiply these types.
const char* CheckTypes(const matmul_tiling::MatTilingType& a, const matmul_tiling::MatTilingType& b,
                       const matmul_tiling::MatTilingType& c,
                       const matmul_tiling::MatTilingType* bias);

/// Returns the bits of one element; returns 0 for a type without a size.
int32_t Bits(matmul_tiling::DataType type);

/// Copies memory sizes and properties of the operands to `request`. Does not change m, n and k.
void DescribeOperands(const matmul_tiling::MatTilingType& a, const matmul_tiling::MatTilingType& b,
                      const matmul_tiling::MatTilingType* bias,
                      const matmul_tiling::BufferPool& pool, PlanRequest* request);

}  // namespace twin::host::matmul
