// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <numeric>
#include <vector>

#include "host/matmul/block_plan.h"

namespace twin::host::matmul {
namespace {

using matmul_tiling::CubeFormat;
using matmul_tiling::DataType;
using matmul_tiling::MatTilingType;

template <typename T>
bool OneOf(T value, std::initializer_list<T> list) {
    return std::find(list.begin(), list.end(), value) != list.end();
}

DataType Canonical(DataType type) {
    return type == DataType::DT_BFLOAT16 ? DataType::DT_BF16 : type;
}

bool ProductFits(DataType input, DataType output) {
    using D = DataType;
    switch (input) {
        case D::DT_FLOAT16:
        case D::DT_BF16:
            return OneOf(output, {D::DT_FLOAT, D::DT_FLOAT16, D::DT_BF16, D::DT_INT8});
        case D::DT_FLOAT:
            return OneOf(output, {D::DT_FLOAT, D::DT_FLOAT16, D::DT_BF16});
        case D::DT_INT8:
            return OneOf(output, {D::DT_INT32, D::DT_FLOAT16, D::DT_INT8, D::DT_UINT8});
        case D::DT_INT4:
            return OneOf(output, {D::DT_INT32, D::DT_FLOAT16, D::DT_INT8});
        default:
            return false;
    }
}

bool BiasFits(DataType input, DataType bias) {
    using D = DataType;
    if (OneOf(input, {D::DT_INT8, D::DT_INT4})) {
        return bias == D::DT_INT32;
    }
    return OneOf(bias, {D::DT_FLOAT, D::DT_FLOAT16});
}

/// Returns the sizes of a core's part to try along an axis: one for each number of cores. If `even`
/// is true, only equal parts, as the toolkit divides K: kernels rely on it.
std::vector<int64_t> Shares(int64_t whole, int32_t fixed, int32_t low, int32_t high, int64_t unit,
                            int32_t cores, bool even = false) {
    if (fixed != kUnset) {
        return {std::min<int64_t>(fixed, whole)};
    }
    std::vector<int64_t> shares;
    for (int64_t count = 1; count <= cores; ++count) {
        int64_t share = AlignUp(CeilDiv(whole, count), unit);
        if (count == 1) {
            share = whole;
        } else if (even && share * count != whole) {
            continue;
        }
        if ((high != kUnset && share > high) ||
            (low != kUnset && share < std::min<int64_t>(low, whole))) {
            continue;
        }
        if (shares.empty() || share < shares.back()) {
            shares.push_back(share);
        }
    }
    return shares;
}

class Search {
public:
    explicit Search(const SplitRequest& request) : s_(request) {}

    const char* Run(CoreSplit* split) {
        const PlanRequest& w = s_.whole;
        const auto unit = [](int64_t fractal, int32_t wish) {
            return std::lcm(fractal, int64_t{wish});
        };
        const auto ms = Shares(w.m, Whole(w.inL1A, s_.singleM, w.m), s_.minM, s_.maxM,
                               unit(w.UnitM(), s_.alignM),
                               Cores(CeilDiv(w.m, 3 * SideOr(w.baseM, 128))), w.nBuffer33);
        const auto ns =
            Shares(w.n, Whole(w.inL1B, s_.singleN, w.n), s_.minN, s_.maxN,
                   unit(w.UnitN(), s_.alignN), Cores(w.n / SideOr(w.baseN, 256)), w.nBuffer33);
        const auto ks = s_.splitK ? Shares(w.k, s_.singleK, s_.minK, s_.maxK,
                                           unit(w.UnitK(), s_.alignK), s_.cores, true)
                                  : std::vector<int64_t>{FixedK()};
        for (const int64_t m : ms) {
            for (const int64_t n : ns) {
                for (const int64_t k : ks) {
                    Consider(m, n, k);
                }
            }
        }
        if (best_.mDim == 0) {
            return why_;
        }
        PlanRequest share = s_.whole;
        share.m = best_.singleM;
        share.n = best_.singleN;
        share.k = best_.singleK;
        *split = best_;
        return PlanL1(share, &split->plan);
    }

private:
    /// Returns the user's size of a core's part. By default, a matrix in L1 (TSCM) is not divided.
    static int32_t Whole(bool inL1, int32_t wish, int64_t size) {
        return inL1 && wish == kUnset ? static_cast<int32_t>(size) : wish;
    }
    static int64_t SideOr(int32_t fixed, int64_t usual) { return fixed == kUnset ? usual : fixed; }
    /// Returns among how many cores an axis may be divided. With N_BUFFER_33 the toolkit divides M
    /// and N into equal parts of three base blocks and of at least one.
    int32_t Cores(int64_t parts) const {
        const int64_t most = s_.whole.nBuffer33 ? std::max<int64_t>(parts, 1) : s_.cores;
        return static_cast<int32_t>(std::min<int64_t>(most, s_.cores));
    }
    int64_t FixedK() const {
        return s_.singleK == kUnset ? s_.whole.k : std::min<int64_t>(s_.singleK, s_.whole.k);
    }

    void Consider(int64_t m, int64_t n, int64_t k) {
        const int64_t mDim = CeilDiv(s_.whole.m, m), nDim = CeilDiv(s_.whole.n, n);
        const int64_t kDim = s_.splitK ? CeilDiv(s_.whole.k, k) : 1;
        // With more parts than cores, a core computes several parts one after the other. Only
        // SetSingleShape asks for this.
        const bool given = (s_.singleM != kUnset || mDim == 1) &&
                           (s_.singleN != kUnset || nDim == 1) &&
                           (s_.singleK != kUnset || kDim == 1);
        if (mDim * nDim * kDim > s_.cores && !given) {
            return;
        }
        PlanRequest share = s_.whole;
        share.m = m;
        share.n = n;
        share.k = k;
        CoreSplit split;
        if (const char* why = PlanBase(share, &split.plan)) {
            why_ = why;
            return;
        }
        // Each core adds a small cost, so that fewer cores are used if the speed is the same.
        const double cost =
            Work(share, split.plan) * (1 + 1e-4 * static_cast<double>(mDim * nDim * kDim));
        const bool tie = std::abs(cost - bestCost_) <= 1e-9 * bestCost_;
        const int64_t reach = Reach(mDim, nDim);
        if (best_.mDim != 0 && (tie ? reach >= bestReach_ : cost > bestCost_)) {
            return;
        }
        split.singleM = static_cast<int32_t>(m);
        split.singleN = static_cast<int32_t>(n);
        split.singleK = static_cast<int32_t>(k);
        split.mDim = static_cast<int32_t>(mDim);
        split.nDim = static_cast<int32_t>(nDim);
        split.kDim = static_cast<int32_t>(kDim);
        best_ = split;
        bestCost_ = cost;
        bestReach_ = reach;
    }

    bool HasFixedBlock() const { return s_.whole.baseM != kUnset && s_.whole.baseN != kUnset; }
    /// Returns the time of a core. With a fixed base block it is the number of blocks, as in the
    /// toolkit: kernels with a fixed base block rely on how the toolkit divides C among the cores.
    double Work(const PlanRequest& share, const BlockPlan& plan) const {
        if (!HasFixedBlock()) {
            return plan.cycles;
        }
        return static_cast<double>(CeilDiv(share.m, plan.baseM) * CeilDiv(share.n, plan.baseN) *
                                   CeilDiv(share.k, plan.baseK));
    }
    /// Of two divisions with the same cost, the toolkit takes the one for which this is smaller.
    /// Without a fixed base block it compares blocks of 128 x 256, or 256 x 128 if both operands
    /// are transposed.
    int64_t Reach(int64_t mDim, int64_t nDim) const {
        const PlanRequest& w = s_.whole;
        const bool turned = w.transA && w.transB;
        return mDim * SideOr(w.baseM, turned ? 256 : 128) +
               nDim * SideOr(w.baseN, turned ? 128 : 256);
    }

    const SplitRequest& s_;
    CoreSplit best_;
    double bestCost_ = 0;
    int64_t bestReach_ = 0;
    const char* why_ =
        "no split within SetDim's cores satisfies SetSingleShape, SetSingleRange and SetAlignSplit";
};

}  // namespace

int32_t Bits(DataType type) {
    const auto found = matmul_tiling::DTYPE_BIT_TAB.find(type);
    return found == matmul_tiling::DTYPE_BIT_TAB.end() ? 0 : static_cast<int32_t>(found->second);
}

const char* CheckTypes(const MatTilingType& a, const MatTilingType& b, const MatTilingType& c,
                       const MatTilingType* bias) {
    const DataType input = Canonical(a.dataType);
    if (input != Canonical(b.dataType)) {
        return "A and B must have one data type";
    }
    if (!OneOf(input, {DataType::DT_FLOAT16, DataType::DT_BF16, DataType::DT_FLOAT,
                       DataType::DT_INT8, DataType::DT_INT4})) {
        return "A and B are float16, bfloat16, float32, int8 or int4";
    }
    if (!ProductFits(input, Canonical(c.dataType))) {
        return "C cannot have this type for these A and B";
    }
    if (bias != nullptr && !BiasFits(input, Canonical(bias->dataType))) {
        return "a bias is float32 or float16, and int32 for int8 and int4 operands";
    }
    if (!OneOf(a.type, {CubeFormat::ND, CubeFormat::NZ, CubeFormat::VECTOR, CubeFormat::SCALAR})) {
        return "A is ND, NZ, VECTOR or SCALAR";
    }
    if (!OneOf(b.type, {CubeFormat::ND, CubeFormat::NZ, CubeFormat::SCALAR})) {
        return "B is ND, NZ or SCALAR";
    }
    for (const MatTilingType* const operand : {&a, &b}) {
        if (operand->pos == matmul_tiling::TPosition::TSCM && operand->type != CubeFormat::NZ) {
            return "an operand in TSCM is NZ";
        }
    }
    if (!OneOf(c.type, {CubeFormat::ND, CubeFormat::NZ, CubeFormat::ND_ALIGN})) {
        return "C is ND, NZ or ND_ALIGN";
    }
    if (bias != nullptr && bias->type != CubeFormat::ND) {
        return "a bias is ND";
    }
    return nullptr;
}

void DescribeOperands(const MatTilingType& a, const MatTilingType& b, const MatTilingType* bias,
                      const matmul_tiling::BufferPool& pool, PlanRequest* request) {
    request->inputBits = Bits(a.dataType);
    request->transA = a.isTrans;
    request->transB = b.isTrans;
    request->inL1A = a.pos == matmul_tiling::TPosition::TSCM;
    request->inL1B = b.pos == matmul_tiling::TPosition::TSCM;
    request->biasBytes = bias == nullptr ? 0 : Bits(bias->dataType) / 8;
    request->l1 = pool.l1Size;
    request->l0a = pool.l0ASize;
    request->l0b = pool.l0BSize;
    request->l0c = pool.l0CSize;
    request->bt = pool.btSize;
}

const char* SplitCores(const SplitRequest& request, CoreSplit* split) {
    return Search(request).Run(split);
}

}  // namespace twin::host::matmul
