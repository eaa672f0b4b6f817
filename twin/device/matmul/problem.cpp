// SPDX-License-Identifier: Apache-2.0
#include "device/matmul/problem.h"

#include <algorithm>
#include <iterator>

#include "core/launch_state.h"
#include "device/issue/issue.h"
#include "device/matmul/copy_in.h"
#include "device/pipe/tpipe.h"

namespace twin::matmul {
namespace {

constexpr int32_t kFractal = 16;
constexpr int32_t kMaxMmad = 4095;

void Require(bool good, const char* what, int32_t given, const char* expected) {
    if (!good) {
        Fail("T480", "illegal tiling: %s is %d, expected %s\n  try: GetTiling of matmul_tiling",
             what, given, expected);
    }
}

void Fits(const char* memory, const char* formula, uint64_t bytes, uint64_t size) {
    if (bytes > size) {
        Fail("T481",
             "%s full: %s takes %llu B of %llu\n  try: a smaller base block, depth or step in the "
             "tiling",
             memory, formula, static_cast<unsigned long long>(bytes),
             static_cast<unsigned long long>(size));
    }
}

int64_t Up(int64_t value, int64_t unit) { return (value + unit - 1) / unit * unit; }

struct Blocks {
    uint64_t a, b;  ///< size of one base block in bytes
};

Blocks BlockBytes(const TCubeTiling& t, const ProblemTraits& traits) {
    const int64_t c0 = traits.C0();
    const int64_t unit = std::max<int64_t>(kFractal, c0);
    const int64_t k = Up(t.baseK, traits.transA || !traits.transB ? unit : c0);
    return {static_cast<uint64_t>(Up(t.baseM, traits.transA ? unit : kFractal) * k *
                                  traits.inputBits / 8),
            static_cast<uint64_t>(Up(t.baseN, traits.transB ? kFractal : unit) * k *
                                  traits.inputBits / 8)};
}

void CheckNumbers(const TCubeTiling& t, const ProblemTraits& traits) {
    static constexpr const char* kNames[] = {"singleCoreM", "singleCoreN", "singleCoreK", "baseM",
                                             "baseN",       "baseK",       "depthA1",     "depthB1",
                                             "stepM",       "stepN",       "stepKa",      "stepKb"};
    const int32_t sizes[] = {t.singleCoreM, t.singleCoreN, t.singleCoreK, t.baseM,
                             t.baseN,       t.baseK,       t.depthA1,     t.depthB1,
                             t.stepM,       t.stepN,       t.stepKa,      t.stepKb};
    for (size_t i = 0; i < std::size(sizes); ++i) {
        Require(sizes[i] > 0, kNames[i], sizes[i], "a positive number");
    }
    Require(t.baseM % kFractal == 0, "baseM", t.baseM, "a multiple of 16");
    Require(t.baseN % kFractal == 0, "baseN", t.baseN, "a multiple of 16");
    Require(t.baseK % std::min(kFractal, traits.C0()) == 0, "baseK", t.baseK, "whole fractals");
    const int32_t largest = std::max({t.baseM, t.baseN, t.baseK});
    Require(largest <= kMaxMmad, "the largest of baseM, baseN and baseK", largest,
            "at most 4095, the limit of one Mmad");
    Require(t.iterateOrder == 0 || t.iterateOrder == 1, "iterateOrder", t.iterateOrder, "0 or 1");
    Require(t.dbL0A == 1 || t.dbL0A == 2, "dbL0A", t.dbL0A, "1 or 2");
    Require(t.dbL0B == 1 || t.dbL0B == 2, "dbL0B", t.dbL0B, "1 or 2");
    Require(t.dbL0C == 1 || t.dbL0C == 2, "dbL0C", t.dbL0C, "1 or 2");
}

/// Checks a tiling for MDL: of the numbers of K loads of A and of B, one must divide the other.
void CheckMdl(const TCubeTiling& t) {
    Require(t.depthA1 % (t.stepM * t.stepKa) == 0, "depthA1", t.depthA1,
            "stepM * stepKa, once or twice");
    Require(t.depthB1 % (t.stepN * t.stepKb) == 0, "depthB1", t.depthB1,
            "stepN * stepKb, once or twice");
    const int32_t steps = (t.singleCoreK + t.baseK - 1) / t.baseK;
    Require(steps <= t.stepKa || t.stepM == 1, "stepM", t.stepM,
            "1 while A's K does not fit into L1");
    Require(steps <= t.stepKb || t.stepN == 1, "stepN", t.stepN,
            "1 while B's K does not fit into L1");
    const int32_t loadsA = (steps + t.stepKa - 1) / t.stepKa;
    const int32_t loadsB = (steps + t.stepKb - 1) / t.stepKb;
    Require(loadsA % loadsB == 0 || loadsB % loadsA == 0, "stepKb", t.stepKb,
            "one of A's and B's numbers of K loads to divide the other");
}

int32_t StepsOf(const TCubeTiling& t) { return (t.singleCoreK + t.baseK - 1) / t.baseK; }

/// Returns for how many bytes of L1 the library reserves addresses: A, then B, then any bias.
uint64_t L1BytesWithBias(const TCubeTiling& t, const ProblemTraits& traits) {
    const Blocks bytes = BlockBytes(t, traits);
    const L1Plan a = PlanOf(traits.form, t.stepM, t.stepKa, t.depthA1, StepsOf(t), traits.copiesA);
    const L1Plan b = PlanOf(traits.form, t.stepN, t.stepKb, t.depthB1, StepsOf(t), traits.copiesB);
    return (traits.inL1A ? 0 : bytes.a * a.reserved) + (traits.inL1B ? 0 : bytes.b * b.reserved) +
           (t.isBias != 0 ? uint64_t{traits.biasBytes} * t.baseN : 0);
}

/// Returns the size that the documentation allows to be as large as L1.
uint64_t DocumentedL1Bytes(const TCubeTiling& t, const ProblemTraits& traits) {
    const Blocks bytes = BlockBytes(t, traits);
    return (traits.inL1A ? 0 : bytes.a * t.depthA1) + (traits.inL1B ? 0 : bytes.b * t.depthB1);
}

}  // namespace

void RecordInit(bool constant) {
    Issue issue(constant ? Opcode::MatmulInitConst : Opcode::MatmulInit, Self());
    issue.Ready();
    issue.Done();
}

void RefuseSparse(Location where) {
    Self().Begin(where);
    Fail("T455",
         "not modelled: a product of SparseMatmulType that a vector core requests\n  try: "
         "ASCENDC_CUBE_ONLY");
}

void CheckIndex(bool given, bool transposed) {
    if (!given) {
        Fail("T489", "operand missing: Iterate before SetSparseIndex");
    }
    if (!transposed) {
        Fail("T455", "not modelled: a sparse B that SetTensorB does not set transposed");
    }
}

void Override(TCubeTiling& t, const MatmulApiStaticTiling& c) {
#define TWIN_TAKE(TYPE, NAME) t.NAME = c.NAME >= 0 ? c.NAME : t.NAME;
    TWIN_CUBE_TILING_SPLIT(TWIN_TAKE)
    TWIN_CUBE_TILING_LAYOUT(TWIN_TAKE)
#undef TWIN_TAKE
}

void Override(TCubeTiling& t, const MatmulConfig& config) {
    const auto take = [](int32_t& field, uint32_t constant) {
        if (constant != 0) {
            field = static_cast<int32_t>(constant);
        }
    };
    take(t.baseM, config.basicM);
    take(t.baseN, config.basicN);
    take(t.baseK, config.basicK);
    take(t.singleCoreM, config.singleCoreM);
    take(t.singleCoreN, config.singleCoreN);
    take(t.singleCoreK, config.singleCoreK);
    take(t.stepM, config.stepM);
    take(t.stepN, config.stepN);
    // Hand-written tilings may leave these fields at 0. The library then uses two buffers each in
    // L0A and L0B, and one block in L0C.
    const auto given = [](int32_t& field, int32_t usual) { field = field == 0 ? usual : field; };
    given(t.dbL0A, 2);
    given(t.dbL0B, 2);
    given(t.dbL0C, 1);
}

void CheckTiling(const TCubeTiling& t, const ProblemTraits& traits, Location where) {
    Core& core = Self();
    core.Begin(where);
    CheckNumbers(t, traits);
    if (traits.form == L1Form::Mdl) {
        CheckMdl(t);
    }
    const SocInfo& soc = *core.soc;
    const Blocks bytes = BlockBytes(t, traits);
    Fits("L0A", "baseM * baseK * dbL0A", bytes.a * t.dbL0A, soc.l0aBytes);
    Fits("L0B", "baseN * baseK * dbL0B", bytes.b * t.dbL0B, soc.l0bBytes);
    Fits("L0C", "baseM * baseN * 4 B * dbL0C", uint64_t{4} * t.baseM * t.baseN * t.dbL0C,
         soc.l0cBytes);
    if (t.isBias != 0) {
        Fits("bias table", "baseN * 4 B", uint64_t{4} * t.baseN, soc.btBytes);
    }
    if (core.pedantic && traits.form != L1Form::Batch) {
        Fits("L1", "depthA1 and depthB1 base blocks", DocumentedL1Bytes(t, traits), soc.l1Bytes);
    }
}

bool BiasFits(const TCubeTiling& t, const ProblemTraits& traits, uint64_t more) {
    return L1BytesWithBias(t, traits) + more <= Self().soc->l1Bytes;
}

void CheckBias(const Problem& p, const ProblemTraits& traits) {
    if (p.partial) {
        Fail("T487",
             "no bias: SetBias with isPartialOutput, where each K step gives a C of its own\n  "
             "try: add the bias to the sum of the parts");
    }
    if (p.t.isBias == 0) {
        Fail("T487",
             "bias without room: SetBias, but the tiling's isBias is 0\n  try: EnableBias(true) "
             "before GetTiling");
    }
    Fits("L1", "depthA1 and depthB1 base blocks and the bias", L1BytesWithBias(p.t, traits),
         Self().soc->l1Bytes);
}

Problem MakeProblem(const TCubeTiling& tiling, const MatmulConfig& config) {
    Problem p;
    p.t = tiling;
    p.orgM = tiling.M;
    p.orgN = tiling.N;
    p.orgKa = tiling.Ka;
    p.orgKb = tiling.Kb;
    p.singleM = tiling.singleCoreM;
    p.singleN = tiling.singleCoreN;
    p.singleK = tiling.singleCoreK;
    p.order = config.iterateOrder == IterateOrder::UNDEF
                  ? tiling.iterateOrder
                  : static_cast<int32_t>(config.iterateOrder);
    p.partial = config.isPartialOutput;
    return p;
}

void SetShare(Problem& p, int32_t m, int32_t n, int32_t k, Location where) {
    Self().Begin(where);
    const auto set = [](const char* name, int32_t& field, int32_t value) {
        if (value == -1) {
            return;
        }
        if (value <= 0) {
            Fail("T482",
                 "illegal share: SetSingleShape or SetTail gives %s = %d, expected a positive "
                 "number, or -1 to keep it\n  try: skip blocks without work before they reach "
                 "Matmul",
                 name, value);
        }
        field = value;
    };
    set("M", p.singleM, m);
    set("N", p.singleN, n);
    set("K", p.singleK, k);
}

void CheckTranspose(bool wanted, bool declared, const char* operand) {
    if (wanted && !declared) {
        Fail("T488",
             "transpose not declared: SetTensor%s asks for it, but its MatmulType has ISTRANS "
             "false\n  try: MatmulType<position, format, type, true>",
             operand);
    }
}

void CheckHome(bool declaredInL1, bool local, const char* operand) {
    if (declaredInL1 && !local) {
        Fail("T488",
             "operand not in L1: SetTensor%s is given a GlobalTensor, but the position of its "
             "MatmulType is in L1 (TSCM)\n  try: DataCopy into a tensor of a TSCM queue first",
             operand);
    }
}

void CheckRow(const char* matrix, int64_t row, int64_t taken) {
    if (!Self().strict || taken <= row) {
        return;
    }
    Fail("T482",
         "share wider than a row: a row of %s has %lld elements, one share takes %lld, so that "
         "rows run "
         "into each other\n  try: the whole matrix in M, N, Ka, Kb of the tiling or SetOrgShape, "
         "one core's part in singleCore* or SetTail",
         matrix, static_cast<long long>(row), static_cast<long long>(taken));
}

void RefusePitch(int64_t pitch) {
    Fail("T495",
         "rows too far apart: %lld elements from row to row, one copy from ND to fractals takes up "
         "to 65535\n  try: a configuration with intrinsicsCheck, which copies row by row",
         static_cast<long long>(pitch));
}

L1Plan PlanOf(L1Form form, int32_t step, int32_t stepK, int32_t depth, int32_t loads,
              int32_t copies) {
    if (form == L1Form::OneBlock) {
        return {};
    }
    L1Plan plan;
    if (form == L1Form::Mdl) {
        // The library keeps only the last bit of the number of buffers.
        plan.count = ((std::max(depth / (step * stepK), 1) - 1) & 1) + 1;
        plan.blocks = step;
        plan.steps = stepK;
        plan.reserved = plan.kept = plan.count * step * stepK;
        return plan;
    }
    plan.blocks = std::min(step, depth);
    plan.steps = std::max(std::min(stepK, depth / plan.blocks), 1);
    plan.count = std::max(depth / (plan.blocks * plan.steps), 1);
    // There are events for two buffers only, so two larger buffers replace three or more buffers.
    if (plan.count > 2) {
        plan.steps *= plan.count / 2;
        plan.count = 2;
    }
    plan.reserved = depth * copies;
    // With one K step, two buffers take turns, so that a copy runs beside the product before it.
    const bool all = depth >= loads * step && !(loads == 1 && depth == 2);
    plan.kept = all ? depth : std::max(depth - 2, 0);
    return plan;
}

L1Range RoomInL1(const AscendC::TPipe& pipe) {
    return {PipeEndAddress(pipe, Memory::L1), Self().launch->LibraryL1() - PipeTscmBytes(pipe)};
}

void RefuseL1(char name, const L1Range& copy, uint64_t end) {
    Fail(
        "T481",
        "L1 full: Matmul copies a part of %c to L1+0x%llx, end 0x%llx > 0x%llx. The buffers for A "
        "come first, as large as depthA1 says, then those for B\n  try: a smaller depthA1, depthB1 "
        "or base block in the tiling",
        name, static_cast<unsigned long long>(copy.begin),
        static_cast<unsigned long long>(copy.end), static_cast<unsigned long long>(end));
}

}  // namespace twin::matmul
