// SPDX-License-Identifier: Apache-2.0
#include "device/matmul/walk.h"

#include <algorithm>

namespace twin::matmul {
namespace {

/// The axes of the walk: `fast` goes through all its blocks for every group of `slow`.
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

bool Walk::Next(const Problem& problem) {
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
