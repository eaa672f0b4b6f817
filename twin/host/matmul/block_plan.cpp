// SPDX-License-Identifier: Apache-2.0
#include "host/matmul/block_plan.h"

#include <algorithm>

namespace twin::host::matmul {
namespace {

// Rates for the comparison of plans: cube work per cycle, bytes per cycle from L1 and from GM.
constexpr double kCubeBytes = 16.0 * 16 * 32;  // one fractal product, in bytes of K of one operand
constexpr double kL0aRate = 256;
constexpr double kL0bRate = 128;
constexpr double kGmRate = 64;
constexpr double kIssueCycles = 24;  // cost of an Mmad that is too small to hide its start
constexpr int64_t kLineBytes = 128;
constexpr double kMisaligned = 1.02;
constexpr int64_t kWidestM = 512;
constexpr int64_t kWidestN = 1024;

/// Largest K of a base block, or 0 if not even one fractal fits.
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
    // L0A and L0B have two halves, so that loads overlap with the product.
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
    // K steps are equal, so that the last one is not very short.
    const int64_t steps = CeilDiv(CeilDiv(r.k, unit), units);
    const int64_t even = CeilDiv(CeilDiv(r.k, unit), steps) * unit;
    return r.minBaseK != kUnset && even < r.minBaseK ? units * unit : even;
}

/// GM is fastest for whole lines: if the rows of a copy are not multiples of them, it loses some
/// bandwidth.
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

/// The values of baseM or baseN to try.
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

}  // namespace twin::host::matmul
