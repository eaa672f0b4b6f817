// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/types.h"
#include "device/matmul/static_tiling.h"
#include "kernel_tiling/cube_tiling.h"

namespace AscendC {
class TPipe;
}

namespace twin::matmul {

/// The matrix product of one Matmul object and its split into blocks. Sizes are in elements.
struct Problem {
    TCubeTiling t;  ///< the tiling, with compile-time constants filled in
    int32_t orgM = 0, orgN = 0, orgKa = 0, orgKb = 0;
    int32_t orgKc = 0;  ///< distance between rows of C in elements; 0 means orgN
    int32_t singleM = 0, singleN = 0, singleK = 0;
    int32_t order = 0;     ///< 0: along M first, 1: along N first
    bool partial = false;  ///< each step of the walk is one K step, whose product is a C of its own

    int32_t BlocksM() const { return (singleM + t.baseM - 1) / t.baseM; }
    int32_t BlocksN() const { return (singleN + t.baseN - 1) / t.baseN; }
    int32_t StepsK() const { return (singleK + t.baseK - 1) / t.baseK; }
};

/// How a Matmul object uses L1. Its configuration and types decide this at compile time.
enum class L1Form : uint8_t {
    Norm,      ///< base blocks, each copied separately; depth is their number
    Mdl,       ///< one or two buffers of step * stepK base blocks, each filled by one copy
    OneBlock,  ///< constant sizes, with C of one base block and one K step: one base block
    Batch,     ///< matrices of a batch; the library does not read the depths
};

/// Returns the form of a Norm or BasicBlock configuration. `layout`: the operands have a layout of
/// a batch.
constexpr L1Form FormOf(const MatmulConfig& c, bool layout) {
    if (layout && c.batchMode != BatchMode::SINGLE_LARGE_THAN_L1) {
        return L1Form::Batch;
    }
    const bool one = c.singleCoreM != 0 && c.singleCoreN != 0 && c.singleCoreK != 0 &&
                     c.singleCoreM <= c.basicM && c.singleCoreN <= c.basicN &&
                     c.singleCoreK <= c.basicK;
    return one ? L1Form::OneBlock : L1Form::Norm;
}

/// The properties of a Matmul's types on which checks and sizes in memory depend.
struct ProblemTraits {
    uint32_t inputBits;
    uint32_t biasBytes;  ///< size of an element of the bias in bytes
    bool transA;         ///< A may be set transposed
    bool transB;
    bool inL1A;  ///< the kernel keeps A in L1, so Matmul allocates no memory for it
    bool inL1B;
    L1Form form;
    int32_t copiesA;  ///< number of copies of A that Matmul keeps in L1: 2 with enableDoubleCache
    int32_t copiesB;

    int32_t C0() const { return static_cast<int32_t>(256 / inputBits); }
};

/// Fails if a sparse B has no index (T489) or is not set transposed (T455).
TWIN_API void CheckIndex(bool given, bool transposed);
/// Fails (T455): sparse products of vector cores compile, but Matmul does not have them.
[[noreturn]] TWIN_API void RefuseSparse(Location where);
/// Records a call of Init, which takes microseconds. `constant`: the tiling is constant.
TWIN_API void RecordInit(bool constant);

/// Replaces fields of the tiling by the constants of a configuration.
TWIN_API void Override(TCubeTiling& tiling, const MatmulApiStaticTiling& constants);
TWIN_API void Override(TCubeTiling& tiling, const MatmulConfig& config);
/// Fails if a field of the tiling is illegal (T480) or a memory is too small for the tiling (T481).
TWIN_API void CheckTiling(const TCubeTiling& tiling, const ProblemTraits& traits, Location where);
/// Returns true if L1 has room for the bias and, behind it, `more` bytes. Without room, the kernel
/// must not set a bias.
TWIN_API bool BiasFits(const TCubeTiling& tiling, const ProblemTraits& traits, uint64_t more = 0);
/// Fails if a bias is set, but the tiling has none or the output is partial (T487), or if L1 has no
/// room for the bias (T481).
TWIN_API void CheckBias(const Problem& problem, const ProblemTraits& traits);
/// Returns the Problem for Init. The tiling gives the core's share (singleM, singleN, singleK).
TWIN_API Problem MakeProblem(const TCubeTiling& tiling, const MatmulConfig& config);
/// Replaces the core's share by other sizes from the kernel; fails if a size is illegal (T482).
TWIN_API void SetShare(Problem& problem, int32_t m, int32_t n, int32_t k, Location where);

/// Fails if an operand is set transposed, but its MatmulType forbids transposed operands (T488).
TWIN_API void CheckTranspose(bool wanted, bool declared, const char* operand);
/// Fails if an operand comes from GM, but the position of its MatmulType is in L1 (T488).
TWIN_API void CheckHome(bool declaredInL1, bool local, const char* operand);
/// Fails in strict mode if a row of the core's share is longer than a row of the matrix (T482).
TWIN_API void CheckRow(const char* matrix, int64_t row, int64_t taken);

/// The buffers in L1 for one operand.
struct L1Plan {
    int32_t blocks = 1;  ///< number of base blocks of a buffer along M or N
    int32_t steps = 1;   ///< number of base blocks of a buffer along K
    int32_t count = 1;   ///< number of buffers
    /// Number of base blocks for which the library reserves addresses. The chip does not check this
    /// number; the kernel may reserve more than L1 has if no copy goes to an address behind L1.
    int32_t reserved = 1;
    /// Norm: number of base blocks that stay in L1. All others take turns in the last two blocks.
    int32_t kept = 1;
};
/// `loads` is the number of K steps of the core's share in the tiling; `copies` is 1 or 2.
TWIN_API L1Plan PlanOf(L1Form form, int32_t step, int32_t stepK, int32_t depth, int32_t loads,
                       int32_t copies);

/// A range of addresses in L1.
struct L1Range {
    uint64_t begin = 0, end = 0;
};
/// Returns the part of L1 in which Matmul objects place their buffers.
TWIN_API L1Range RoomInL1(const AscendC::TPipe& pipe);
/// Fails (T481): a copy of operand `name` would end behind `end`, the end of the usable L1.
[[noreturn]] TWIN_API void RefuseL1(char name, const L1Range& copy, uint64_t end);
/// Distances between the matrices of a batch, in elements; 0: the layout decides.
struct MatrixStrides {
    uint32_t a, b, c;
};

/// Layout of the matrices of one operand in a batch.
struct BatchLayout {
    int64_t pitch = 0;   ///< distance between rows in elements
    int64_t stride = 0;  ///< distance between matrices in elements
    int32_t rows = 0;    ///< number of rows of one matrix
};

/// Computes the number of the matrix that product `i` of a batch uses: i % mod + i / divisor.
struct BatchIndex {
    int64_t mod = 1, divisor = 1;
    int64_t Of(int64_t i) const { return i % mod + i / divisor; }
};

/// What one IterateBatch computes: `products` matrix products. The sum of each `reduce` consecutive
/// products is one C.
struct BatchPlan {
    int64_t products = 0;
    int64_t reduce = 1;
    BatchIndex a, b, bias;
};

/// Sizes of the axes of an operand's layout, from the tiling.
struct LayoutAxes {
    int32_t b, s, n, g, d;
};

/// Returns the layout of an operand in a batch. `rows` x `columns`, the size of a stored matrix,
/// matters in the NORMAL layout only. If `matrixStride` is 0, the layout gives the distance of
/// matrices. Fails if axes are not set (T486).
TWIN_API BatchLayout LayoutOf(LayoutMode mode, const LayoutAxes& axes, int32_t rows,
                              int32_t columns, uint32_t matrixStride, const char* operand,
                              Location where);
/// Returns what an IterateBatch computes; fails if batchA and batchB do not fit together (T486).
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
