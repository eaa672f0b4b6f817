// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "device/matmul/walk.h"

namespace twin::matmul {
namespace {

void RequireAxes(const LayoutAxes& axes, const char* operand) {
    if (axes.b <= 0 || axes.s <= 0 || axes.n <= 0 || axes.g <= 0 || axes.d <= 0) {
        Fail("T486",
             "batch layout not set: %s has the axes B %d, S %d, N %d, G %d, D %d\n  try: "
             "SetALayout, "
             "SetBLayout, SetCLayout and SetBatchNum before GetTiling",
             operand, axes.b, axes.s, axes.n, axes.g, axes.d);
    }
}

/// Returns which matrix of `own` each product uses. If `own` has only one matrix along an axis
/// where `other` has several, the products share this matrix.
BatchIndex Broadcast(const LayoutAxes& own, const LayoutAxes& other) {
    if (own.g == 1 && other.g != 1) {
        return {1, other.g};
    }
    if (own.n == 1 && other.n != 1) {
        return {other.g, int64_t{other.g} * other.n};
    }
    if (own.b == 1 && other.b != 1) {
        const int64_t inner = int64_t{other.g} * other.n;
        return {inner, inner * other.b};
    }
    return {};
}

/// The two axes of `Walk`. For each group of the slow axis, `Walk` goes along the whole fast axis.
struct Axes {
    int32_t fastBlocks, slowBlocks, fastStep, slowStep;
};

Axes AxesOf(const Problem& p) {
    if (p.order == 0) {
        return {p.BlocksM(), p.BlocksN(), p.t.stepM, p.t.stepN};
    }
    return {p.BlocksN(), p.BlocksM(), p.t.stepN, p.t.stepM};
}

}  // namespace

BatchLayout LayoutOf(LayoutMode mode, const LayoutAxes& axes, int32_t rows, int32_t columns,
                     uint32_t matrixStride, const char* operand, Location where) {
    Self().Begin(where);
    if (mode != LayoutMode::NORMAL) {
        RequireAxes(axes, operand);
    }
    const int64_t d = axes.d, heads = int64_t{axes.n} * axes.g;
    BatchLayout layout;
    switch (mode) {
        case LayoutMode::BSNGD:
            layout = {heads * d, d, axes.s};
            break;
        case LayoutMode::SBNGD:
            layout = {axes.b * heads * d, d, axes.s};
            break;
        case LayoutMode::BNGS1S2:
            layout = {d, axes.s * d, axes.s};
            break;
        default:
            layout = {columns, int64_t{rows} * columns, rows};
    }
    if (matrixStride != 0) {
        layout.stride = matrixStride;
    }
    return layout;
}

BatchPlan PlanBatch(LayoutMode mode, const TCubeTiling& t, int32_t batchA, int32_t batchB,
                    Location where) {
    Self().Begin(where);
    if (batchA <= 0 || batchB <= 0 || std::max(batchA, batchB) % std::min(batchA, batchB) != 0) {
        Fail("T486",
             "batches do not fit: IterateBatch of %d matrices A and %d matrices B, expected "
             "positive "
             "numbers of which one divides the other",
             batchA, batchB);
    }
    BatchPlan plan;
    plan.products = std::max(batchA, batchB);
    if (mode == LayoutMode::NORMAL) {
        plan.a = {1, plan.products / batchA};
        plan.b = {1, plan.products / batchB};
        return plan;
    }
    const LayoutAxes a = AxesOfA(t), b = AxesOfB(t), c = AxesOfC(t);
    RequireAxes(a, "A");
    RequireAxes(b, "B");
    RequireAxes(c, "C");
    plan.a = Broadcast(a, b);
    plan.b = Broadcast(b, a);
    const int32_t g = std::max(a.g, b.g);
    if (c.g == 1 && g != 1) {
        plan.reduce = g;
        plan.bias = {1, g};
    } else if (c.n < std::max(a.n, b.n) || c.b < std::max(a.b, b.b)) {
        Fail("T486",
             "sum not modelled: C has fewer N or B than A and B; sums run over the G axis only");
    }
    return plan;
}

bool Walk::Next(const Problem& problem) {
    if (problem.partial && started_ && ++stepK_ < problem.StepsK()) {
        return true;
    }
    stepK_ = 0;
    const Axes axes = AxesOf(problem);
    int64_t& passFast = problem.order == 0 ? passA_ : passB_;
    int64_t& passSlow = problem.order == 0 ? passB_ : passA_;
    if (!started_) {
        started_ = true;
        outer_ = inner_ = fast_ = slow_ = 0;
        ++passA_;
        ++passB_;
    } else if (++slow_ < std::min(outer_ + axes.slowStep, axes.slowBlocks)) {
    } else {
        slow_ = outer_;
        if (++fast_ >= std::min(inner_ + axes.fastStep, axes.fastBlocks)) {
            ++passFast;
            inner_ = fast_;
        }
        if (fast_ >= axes.fastBlocks) {
            fast_ = inner_ = 0;
            ++passSlow;
            outer_ += axes.slowStep;
            slow_ = outer_;
            if (outer_ >= axes.slowBlocks) {
                started_ = false;
                return false;
            }
        }
    }
    Place(problem);
    return true;
}

void Walk::Place(const Problem& p) {
    block_.m = p.order == 0 ? fast_ : slow_;
    block_.n = p.order == 0 ? slow_ : fast_;
    block_.rows = std::min(p.t.baseM, p.singleM - block_.m * p.t.baseM);
    block_.columns = std::min(p.t.baseN, p.singleN - block_.n * p.t.baseN);
}

}  // namespace twin::matmul
