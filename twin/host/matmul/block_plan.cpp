// SPDX-License-Identifier: Apache-2.0
#include "host/matmul/block_plan.h"

#include <algorithm>
#include <vector>

namespace twin::host::matmul {
namespace {

// Estimated rates per cycle, used to compare plans: multiplications, bytes from L1, bytes from GM.
constexpr double kCubeBytes = 16.0 * 16 * 32;  // multiplications for 16 x 16 of C and 32 B of K
constexpr double kL0aRate = 256;
constexpr double kL0bRate = 128;
constexpr double kGmRate = 64;
constexpr double kIssueCycles = 24;  // estimated cycles to start an Mmad
constexpr int64_t kLineBytes = 128;
constexpr double kMisaligned = 1.02;
constexpr int64_t kWidestM = 512;
constexpr int64_t kWidestN = 1024;
constexpr int64_t kBuffers33 = 3;  // most base blocks along M and along K with N_BUFFER_33

/// Returns baseK for a base block of baseM x baseN, or 0 if not even one fractal of K fits.
int64_t DepthFor(const PlanRequest& r, int64_t baseM, int64_t baseN) {
    const int64_t unit = r.UnitK();
    const int64_t bytesM = r.BytesA(baseM, unit);
    const int64_t bytesN = r.BytesB(unit, baseN);
    if (r.baseK != kUnset) {
        const int64_t units = CeilDiv(r.baseK, unit);
        const bool fits = units * bytesM <= r.l0a && units * bytesN <= r.l0b &&
                          units * (bytesM + bytesN) + baseN * r.biasBytes <= r.FreeL1();
        return fits ? r.baseK : 0;
    }
    // A block uses half of L0A and L0B, so that the next loads overlap with Mmad.
    int64_t units = std::min(r.l0a / 2 / bytesM, r.l0b / 2 / bytesN);
    units = std::max<int64_t>(units, std::min(r.l0a / bytesM, r.l0b / bytesN) > 0 ? 1 : 0);
    units = std::min(units, (r.FreeL1() - baseN * r.biasBytes) / (bytesM + bytesN));
    units = std::min(units, CeilDiv(r.k, unit));
    units = std::min<int64_t>(units, kMaxMmad / unit);
    if (r.maxBaseK != kUnset) {
        units = std::min<int64_t>(units, r.maxBaseK / unit);
    }
    if (units <= 0 || (r.minBaseK != kUnset && units * unit < r.minBaseK)) {
        return 0;
    }
    // Makes the parts of K nearly equal, so that the last part is not very short.
    const int64_t steps = CeilDiv(CeilDiv(r.k, unit), units);
    const int64_t even = CeilDiv(CeilDiv(r.k, unit), steps) * unit;
    return r.minBaseK != kUnset && even < r.minBaseK ? units * unit : even;
}

/// Returns a cost factor. It is above 1 if rows of GM copies are not multiples of a GM line.
double Alignment(const PlanRequest& r, const BlockPlan& plan) {
    const auto penalty = [&](int64_t inner, int64_t whole) {
        return inner < whole && inner * r.inputBits / 8 % kLineBytes != 0 ? kMisaligned : 1.0;
    };
    return penalty(r.transA ? plan.baseM : plan.baseK, r.transA ? r.m : r.k) *
           penalty(r.transB ? plan.baseK : plan.baseN, r.transB ? r.k : r.n);
}

double Estimate(const PlanRequest& r, const BlockPlan& plan) {
    const double bytesPerElement = r.inputBits / 8.0;
    const double m = AlignUp(r.m, r.UnitM()), n = AlignUp(r.n, r.UnitN());
    const double k = AlignUp(r.k, r.UnitK()) * bytesPerElement;
    const double blocksM = CeilDiv(r.m, plan.baseM), blocksN = CeilDiv(r.n, plan.baseN);
    const double mmads = blocksM * blocksN * CeilDiv(r.k, plan.baseK);
    const double cube = m * n * k / kCubeBytes + mmads * kIssueCycles;
    const double loadA = blocksN * m * k / kL0aRate + blocksM * n * k / kL0bRate;
    const double traffic = (blocksN * m * k + blocksM * n * k) / 2 / kGmRate;
    const double serial = plan.dbL0A == 2 ? 0 : loadA;
    const double cycles = std::max({cube, loadA, traffic}) + serial + 0.01 * (loadA + traffic);
    return cycles * Alignment(r, plan);
}

struct Span {
    int64_t first, last, step;
};

/// Returns the values of baseM or baseN to try.
Span Candidates(int32_t fixed, int32_t low, int32_t high, int64_t single, int64_t unit,
                int64_t widest) {
    if (fixed != kUnset) {
        return {fixed, fixed, 1};
    }
    int64_t last = std::min(AlignUp(single, unit), widest);
    if (high != kUnset) {
        last = std::min<int64_t>(last, high / unit * unit);
    }
    const int64_t first = low == kUnset ? unit : AlignUp(low, unit);
    return {first, last, unit};
}

void Consider(const PlanRequest& r, int64_t baseM, int64_t baseN, BlockPlan* best) {
    const int64_t l0cBytes = baseM * baseN * 4 * (r.outerProduct ? 2 : 1);
    if (l0cBytes > r.l0c || (r.biasBytes != 0 && baseN * 4 > r.bt)) {
        return;
    }
    const int64_t baseK = DepthFor(r, baseM, baseN);
    if (baseK == 0) {
        return;
    }
    if (r.nBuffer33 && (CeilDiv(r.m, baseM) > kBuffers33 || CeilDiv(r.k, baseK) > kBuffers33)) {
        return;
    }
    BlockPlan plan;
    plan.baseM = static_cast<int32_t>(baseM);
    plan.baseN = static_cast<int32_t>(baseN);
    plan.baseK = static_cast<int32_t>(baseK);
    plan.dbL0A = 2 * r.BytesA(baseM, baseK) <= r.l0a ? 2 : 1;
    plan.dbL0B = 2 * r.BytesB(baseK, baseN) <= r.l0b ? 2 : 1;
    plan.dbL0C = r.doubleC && 2 * l0cBytes <= r.l0c ? 2 : 1;
    plan.cycles = Estimate(r, plan);
    if (best->baseM == 0 || plan.cycles < best->cycles) {
        *best = plan;
    }
}

const char* CheckFixed(const PlanRequest& r) {
    const auto wrong = [](int32_t fixed, int64_t single, int64_t unit) {
        return fixed != kUnset && (fixed % kFractal != 0 || fixed > AlignUp(single, unit));
    };
    if (wrong(r.baseM, r.m, r.UnitM())) {
        return "baseM of SetFixSplit must be a multiple of 16 and not exceed the core's M, rounded "
               "up";
    }
    if (wrong(r.baseN, r.n, r.UnitN())) {
        return "baseN of SetFixSplit must be a multiple of 16 and not exceed the core's N, rounded "
               "up";
    }
    if (r.baseK != kUnset && (r.baseK % r.UnitK() != 0 || r.baseK > kMaxMmad)) {
        return "baseK of SetFixSplit must be a multiple of a fractal's K and at most 4095";
    }
    return nullptr;
}

constexpr int64_t kMostSteps = 64;  // the planner tries 1 to 64 base blocks of K in L1

/// One way to divide L1 into buffers for A and B.
struct Fill {
    int64_t stepM = 1, stepN = 1, stepKa = 1, stepKb = 1;
    int64_t buffersA = 1, buffersB = 1;
    int64_t bytes = 0;
    double traffic = 0;  ///< estimated bytes read from GM
    int64_t loads = 0;   ///< number of copies from GM
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

    /// Finds the best way to fill L1; returns false if nothing fits.
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
    /// Returns true if one loop over K can load A and B: loadsA must divide loadsB, or the reverse.
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

    /// Tries to store several blocks of one operand in L1, if L1 has room for the operand's full K.
    /// Then one load of a block of the other operand serves all these blocks.
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
        // With its whole K in L1, A is loaded once per stepN blocks of B (and B per stepM of A).
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
        // Without a second buffer, a copy waits until the cube has read the only buffer.
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

/// Places the base blocks of a kernel with NBuffer33MatmulPolicy in L1.
const char* PlanBuffers33(const PlanRequest& r, BlockPlan* plan) {
    plan->stepM = static_cast<int32_t>(CeilDiv(r.m, plan->baseM));
    plan->stepKa = plan->stepKb = static_cast<int32_t>(CeilDiv(r.k, plan->baseK));
    plan->stepN = 1;
    plan->depthA1 = plan->stepM * plan->stepKa;
    const int64_t fixed =
        plan->depthA1 * r.BytesA(plan->baseM, plan->baseK) + int64_t{r.biasBytes} * plan->baseN;
    const int64_t column = plan->stepKb * r.BytesB(plan->baseK, plan->baseN);
    if (fixed + column > r.FreeL1()) {
        return "L1 cannot hold the 3 x 3 base blocks of A and 3 of B that N_BUFFER_33 keeps";
    }
    const int32_t buffers = fixed + 2 * column <= r.FreeL1() ? 2 : 1;
    plan->depthB1 = plan->stepKb * buffers;
    plan->order = r.order == kUnset ? 0 : r.order;
    plan->l1Bytes = fixed + buffers * column;
    return nullptr;
}

}  // namespace

const char* PlanBase(const PlanRequest& request, BlockPlan* plan) {
    if (const char* why = CheckFixed(request)) {
        return why;
    }
    const Span rows = Candidates(request.baseM, request.minBaseM, request.maxBaseM, request.m,
                                 request.UnitM(), kWidestM);
    const Span columns = Candidates(request.baseN, request.minBaseN, request.maxBaseN, request.n,
                                    request.UnitN(), kWidestN);
    BlockPlan best;
    for (int64_t baseM = rows.first; baseM <= rows.last; baseM += rows.step) {
        for (int64_t baseN = columns.first; baseN <= columns.last; baseN += columns.step) {
            Consider(request, baseM, baseN, &best);
        }
    }
    if (best.baseM == 0) {
        return "no base block fits into L0A, L0B, L0C, L1 and the bias table with these wishes";
    }
    *plan = best;
    return nullptr;
}

const char* PlanL1(const PlanRequest& request, BlockPlan* plan) {
    if (request.nBuffer33) {
        return PlanBuffers33(request, plan);
    }
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
