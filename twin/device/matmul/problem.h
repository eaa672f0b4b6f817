// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/types.h"
#include "device/matmul/static_tiling.h"
#include "kernel_tiling/cube_tiling.h"

namespace twin::matmul {

/// The product of one Matmul object and how it is cut. Sizes are in elements.
struct Problem {
    TCubeTiling t;  ///< the tiling, with the constants of the compiler filled in
    int32_t orgM = 0, orgN = 0, orgKa = 0, orgKb = 0;
    int32_t orgKc = 0;  ///< elements between rows of C; 0: orgN
    int32_t singleM = 0, singleN = 0, singleK = 0;
    int32_t order = 0;  ///< 0 along M first, 1 along N first

    int32_t BlocksM() const { return (singleM + t.baseM - 1) / t.baseM; }
    int32_t BlocksN() const { return (singleN + t.baseN - 1) / t.baseN; }
    int32_t StepsK() const { return (singleK + t.baseK - 1) / t.baseK; }
};

/// The properties, besides the numbers, on which checks and capacities depend.
struct ProblemTraits {
    uint32_t inputBits;
    uint32_t biasBytes;  ///< bytes of an element of the bias
    bool transA;         ///< A may be set transposed
    bool transB;
    bool inL1A;  ///< the kernel keeps A in L1, so Matmul allocates no memory for it
    bool inL1B;
    bool mdl;
    const char* types;  ///< for messages: "half x half -> float"

    int32_t C0() const { return static_cast<int32_t>(256 / inputBits); }
};

/// SparseMatmulType compiles; running its products is T455.
[[noreturn]] TWIN_API void RefuseSparse(Location where);
/// Records an Init, which keeps the scalar unit busy for microseconds; `constant`: the compiler
/// knows the tiling.
TWIN_API void RecordInit(bool constant);

/// Replaces fields of the tiling by the constants of a configuration.
TWIN_API void Override(TCubeTiling& tiling, const MatmulApiStaticTiling& constants);
TWIN_API void Override(TCubeTiling& tiling, const MatmulConfig& config);
/// Ends the task with T480 or T481 if the tiling cannot be executed.
TWIN_API void CheckTiling(const TCubeTiling& tiling, const ProblemTraits& traits, Location where);
/// Returns true if L1 also holds the bias. If a tiling has no room for a bias that its kernel never
/// sets, it is executed without the bias.
TWIN_API bool BiasFits(const TCubeTiling& tiling, const ProblemTraits& traits);
/// Ends the task with T487 or T481 if a bias is set for which there is no room.
TWIN_API void CheckBias(const TCubeTiling& tiling, const ProblemTraits& traits);
/// The problem at Init; the sizes of one core's share are those of the tiling.
TWIN_API Problem MakeProblem(const TCubeTiling& tiling, IterateOrder order);
/// The same for shares that the kernel sets later (T482).
TWIN_API void SetShare(Problem& problem, int32_t m, int32_t n, int32_t k, Location where);

/// Ends the task with T488 if an operand is set transposed and its type does not allow that.
TWIN_API void CheckTranspose(bool wanted, bool declared, const char* operand);
/// Ends the task with T488 if an operand of a type in L1 comes from GM.
TWIN_API void CheckHome(bool declaredInL1, bool local, const char* operand);
/// Strict mode: ends the task with T482 if one share has more elements in a row than the matrix.
TWIN_API void CheckRow(const char* matrix, int64_t row, int64_t taken);

/// L1 buffers of one operand: `count` of them, each with `blocks` x `steps` base blocks.
struct L1Plan {
    int32_t blocks = 1;  ///< base blocks along M or N
    int32_t steps = 1;   ///< base blocks along K
    int32_t count = 1;
};
TWIN_API L1Plan PlanOf(int32_t step, int32_t stepK, int32_t depth);

/// One base block of C.
struct Block {
    int32_t m = 0, n = 0;  ///< number among base blocks
    int32_t rows = 0, columns = 0;
};

/// The order in which Iterate visits C. With order M: groups of stepN columns of blocks; inside
/// one, groups of stepM rows; inside one, every row; and innermost the columns of the group. Order
/// N mirrors it.
class TWIN_API Walk {
public:
    void Restart() { started_ = false; }
    bool AtStart() const { return !started_; }
    /// Moves to the next block; returns false after the last one, and then starts again.
    bool Next(const Problem& problem);

    const Block& At() const { return block_; }
    /// Return the numbers of the passes over A and B: data in L1 are used within one pass only.
    int64_t PassA() const { return passA_; }
    int64_t PassB() const { return passB_; }

private:
    void Place(const Problem& problem);

    bool started_ = false;
    int32_t outer_ = 0, inner_ = 0;  ///< first block of the groups along the slow and the fast axis
    int32_t fast_ = 0,
            slow_ =
                0;  ///< block inside a group: the fast axis changes per row, the slow one innermost
    Block block_;
    int64_t passA_ = 0, passB_ = 0;
};

/// Elements between the matrices of a batch, given by the kernel; 0 means the layout's own
/// distance.
struct MatrixStrides {
    uint32_t a, b, c;
};

/// Distances of rows and of matrices in a batch, in elements.
struct BatchLayout {
    int64_t pitch = 0;   ///< elements between rows
    int64_t stride = 0;  ///< elements between matrices
    int32_t rows = 0;    ///< rows of one matrix
};

/// The matrix of an operand for product `i`: i % mod + i / divisor.
struct BatchIndex {
    int64_t mod = 1, divisor = 1;
    int64_t Of(int64_t i) const { return i % mod + i / divisor; }
};

/// One IterateBatch: `products` matrices are computed; `reduce` neighbours of them are added up to
/// one C.
struct BatchPlan {
    int64_t products = 0;
    int64_t reduce = 1;
    BatchIndex a, b, bias;
};

/// Axes of an operand's layout, from the tiling.
struct LayoutAxes {
    int32_t b, s, n, g, d;
};

/// `rows` x `columns` of one stored matrix are used in the NORMAL layout only; `matrixStride` 0
/// means the layout's own distance. Ends the task with T486 if axes are not set.
TWIN_API BatchLayout LayoutOf(LayoutMode mode, const LayoutAxes& axes, int32_t rows,
                              int32_t columns, uint32_t matrixStride, const char* operand,
                              Location where);
/// Ends the task with T486 if the two batches do not fit each other.
TWIN_API BatchPlan PlanBatch(LayoutMode mode, const TCubeTiling& tiling, int32_t batchA,
                             int32_t batchB, Location where);

inline LayoutAxes AxesOfA(const TCubeTiling& t) {
    return {t.ALayoutInfoB, t.ALayoutInfoS, t.ALayoutInfoN, t.ALayoutInfoG, t.ALayoutInfoD};
}
inline LayoutAxes AxesOfB(const TCubeTiling& t) {
    return {t.BLayoutInfoB, t.BLayoutInfoS, t.BLayoutInfoN, t.BLayoutInfoG, t.BLayoutInfoD};
}
inline LayoutAxes AxesOfC(const TCubeTiling& t) {
    return {t.CLayoutInfoB, t.CLayoutInfoS1, t.CLayoutInfoN, t.CLayoutInfoG, t.CLayoutInfoS2};
}

}  // namespace twin::matmul
