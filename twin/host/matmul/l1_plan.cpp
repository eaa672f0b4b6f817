// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "host/matmul/block_plan.h"

namespace twin::host::matmul {
namespace {

constexpr int64_t kMostSteps =
    64;  // largest number of K steps of an L1 buffer that are tried one by one

/// One way to fill L1.
struct Fill {
    int64_t stepM = 1, stepN = 1, stepKa = 1, stepKb = 1;
    int64_t buffersA = 1, buffersB = 1;
    int64_t bytes = 0;
    double traffic = 0;  ///< bytes out of GM
    int64_t loads = 0;   ///< number of these copies
    int32_t order = 0;
};

std::vector<int64_t> StepChoices(int64_t kSteps) {
    std::vector<int64_t> steps;
    for (int64_t step = 1; step <= std::min(kSteps, kMostSteps); ++step) {
        steps.push_back(step);
    }
    if (kSteps > kMostSteps) {
        steps.push_back(kSteps);
    }
    return steps;
}

class Filler {
public:
    Filler(const PlanRequest& request, const BlockPlan& plan)
        : r_(request),
          plan_(plan),
          blocksM_(CeilDiv(request.m, plan.baseM)),
          blocksN_(CeilDiv(request.n, plan.baseN)),
          kSteps_(CeilDiv(request.k, plan.baseK)),
          bytesA_(request.BytesA(plan.baseM, plan.baseK)),
          bytesB_(request.BytesB(plan.baseK, plan.baseN)),
          biasBytes_(int64_t{plan.baseN} * request.biasBytes) {}

    /// Tries all legal ways; returns false if nothing fits.
    bool Best(Fill* best) {
        for (const int64_t stepKa : StepChoices(kSteps_)) {
            if (stepKa * bytesA_ > r_.FreeL1()) {
                break;
            }
            for (const int64_t stepKb : StepChoices(kSteps_)) {
                if (stepKa * bytesA_ + stepKb * bytesB_ > r_.FreeL1()) {
                    break;
                }
                if (CanShareK(stepKa, stepKb)) {
                    Steps(stepKa, stepKb);
                }
            }
        }
        *best = best_;
        return found_;
    }

private:
    /// A and B are loaded in one K loop: one of the two counts must divide the other.
    bool CanShareK(int64_t stepKa, int64_t stepKb) const {
        const int64_t loadsA = CeilDiv(kSteps_, stepKa), loadsB = CeilDiv(kSteps_, stepKb);
        return loadsA % loadsB == 0 || loadsB % loadsA == 0;
    }

    void Steps(int64_t stepKa, int64_t stepKb) {
        for (int32_t order = 0; order < 2; ++order) {
            if (r_.order != kUnset && r_.order != order) {
                continue;
            }
            Fill fill;
            fill.order = order;
            fill.stepKa = stepKa;
            fill.stepKb = stepKb;
            Widen(fill);
        }
    }

    /// If L1 holds all of K, it may hold several blocks of the resident operand: then the other
    /// operand is read once per group of blocks.
    void Widen(Fill fill) {
        const bool wideN = fill.order == 0;
        const bool whole = (wideN ? fill.stepKb : fill.stepKa) >= kSteps_;
        const int64_t most = whole ? (wideN ? blocksN_ : blocksM_) : 1;
        const int64_t one = (wideN ? fill.stepKb * bytesB_ : fill.stepKa * bytesA_);
        for (int64_t step = 1; step <= most && step * one <= r_.FreeL1(); ++step) {
            (wideN ? fill.stepN : fill.stepM) = step;
            Buffers(fill);
        }
    }

    void Buffers(Fill fill) {
        const int64_t mostA = r_.doubleA && !LoadedOnce(fill, true) ? 2 : 1;
        const int64_t mostB = r_.doubleB && !LoadedOnce(fill, false) ? 2 : 1;
        for (fill.buffersA = mostA; fill.buffersA > 0; --fill.buffersA) {
            for (fill.buffersB = mostB; fill.buffersB > 0; --fill.buffersB) {
                fill.bytes = fill.buffersA * fill.stepM * fill.stepKa * bytesA_ +
                             fill.buffersB * fill.stepN * fill.stepKb * bytesB_ + biasBytes_;
                if (fill.bytes > r_.FreeL1()) {
                    continue;
                }
                Rate(&fill, mostA * mostB);
                if (!found_ || Better(fill)) {
                    best_ = fill;
                }
                found_ = true;
            }
        }
    }

    bool LoadedOnce(const Fill& fill, bool a) const {
        if (a) {
            return fill.stepKa >= kSteps_ && fill.stepM >= blocksM_ && GroupsN(fill) == 1;
        }
        return fill.stepKb >= kSteps_ && fill.stepN >= blocksN_ && GroupsM(fill) == 1;
    }
    int64_t GroupsM(const Fill& fill) const { return CeilDiv(blocksM_, fill.stepM); }
    int64_t GroupsN(const Fill& fill) const { return CeilDiv(blocksN_, fill.stepN); }

    void Rate(Fill* fill, int64_t mostBuffers) const {
        const bool wholeA = fill->stepKa >= kSteps_, wholeB = fill->stepKb >= kSteps_;
        // The operand of the inner axis is loaded once per group of the outer one.
        int64_t passesA = wholeA ? GroupsN(*fill) : blocksN_;
        int64_t passesB = wholeB ? GroupsM(*fill) : blocksM_;
        if (fill->order == 0 && wholeB) {
            passesB = 1;
        }
        if (fill->order == 1 && wholeA) {
            passesA = 1;
        }
        const double a = static_cast<double>(passesA * blocksM_ * kSteps_ * bytesA_);
        const double b = static_cast<double>(passesB * blocksN_ * kSteps_ * bytesB_);
        // Without a second buffer the copies wait for the product.
        const double stall =
            static_cast<double>(mostBuffers) / static_cast<double>(fill->buffersA * fill->buffersB);
        fill->traffic = (a + b) * (1 + 0.5 * (stall - 1));
        fill->loads = passesA * blocksM_ * CeilDiv(kSteps_, fill->stepKa) +
                      passesB * blocksN_ * CeilDiv(kSteps_, fill->stepKb);
    }

    bool Better(const Fill& fill) const {
        if (fill.traffic != best_.traffic) {
            return fill.traffic < best_.traffic;
        }
        if (fill.loads != best_.loads) {
            return fill.loads < best_.loads;
        }
        return fill.bytes < best_.bytes;
    }

    const PlanRequest& r_;
    const BlockPlan& plan_;
    const int64_t blocksM_, blocksN_, kSteps_;
    const int64_t bytesA_, bytesB_, biasBytes_;
    Fill best_;
    bool found_ = false;
};

}  // namespace

const char* PlanL1(const PlanRequest& request, BlockPlan* plan) {
    Fill fill;
    if (!Filler(request, *plan).Best(&fill)) {
        return "L1 cannot hold one base block of A and of B";
    }
    plan->stepM = static_cast<int32_t>(fill.stepM);
    plan->stepN = static_cast<int32_t>(fill.stepN);
    plan->stepKa = static_cast<int32_t>(fill.stepKa);
    plan->stepKb = static_cast<int32_t>(fill.stepKb);
    plan->depthA1 = static_cast<int32_t>(fill.buffersA * fill.stepM * fill.stepKa);
    plan->depthB1 = static_cast<int32_t>(fill.buffersB * fill.stepN * fill.stepKb);
    plan->order = fill.order;
    plan->l1Bytes = fill.bytes;
    return nullptr;
}

}  // namespace twin::host::matmul
