// SPDX-License-Identifier: Apache-2.0
#include "device/vec/fused.h"

#include <cinttypes>
#include <cstring>

#include "device/vec/cast.h"
#include "device/vec/execute.h"
#include "device/vec/extent.h"

namespace twin::vec {
namespace {

void RunTwoSources(Issue& issue, bool accumulates, lanes::BinaryFn function, Dtype to, Dtype from,
                   const Operand& dst, const Operand& src0, const Operand& src1,
                   const Extent& extent, const AscendC::BinaryRepeatParams& strides) {
    VecOperand operands[] = {
        {Arg::Dst, dst, to, strides.dstBlkStride, strides.dstRepStride, true},
        {Arg::Src0, src0, from, strides.src0BlkStride, strides.src0RepStride, false},
        {Arg::Src1, src1, from, strides.src1BlkStride, strides.src1RepStride, false}};
    operands[0].accumulates = accumulates;
    Execute(issue, operands, 3, extent,
            [function](uint8_t* const* p, uint64_t n) { function(p[0], p[1], p[2], n); });
}

/// Fills the operand's active elements with poison, which nobody may read.
void Poison(uint8_t* place, uint64_t count) {
    for (uint64_t i = 0; i < count; ++i) {
        std::memcpy(place + i * sizeof(kPoison), &kPoison, sizeof(kPoison));
    }
}

}  // namespace

void RunFused(Opcode api, lanes::FusedOp op, Dtype dtype, const Operand& dst, const Operand& src0,
              const Operand& src1, const Extent& extent, const AscendC::BinaryRepeatParams& strides,
              Location where) {
    Issue issue(api, CoreKind::Aiv, where);
    if (!issue) {
        return;
    }
    const auto function = Require(
        lanes::BestFused().same[static_cast<size_t>(op)][static_cast<size_t>(dtype)], api, dtype);
    const bool accumulates = op != lanes::FusedOp::AddRelu && op != lanes::FusedOp::SubRelu;
    RunTwoSources(issue, accumulates, function, dtype, dtype, dst, src0, src1, extent, strides);
}

void RunMixed(Opcode api, lanes::MixedOp op, Dtype to, Dtype from, const Operand& dst,
              const Operand& src0, const Operand& src1, const Extent& extent,
              const AscendC::BinaryRepeatParams& strides, Location where) {
    Issue issue(api, CoreKind::Aiv, where);
    if (!issue) {
        return;
    }
    const auto function = Require(
        lanes::BestFused()
            .mixed[static_cast<size_t>(op)][static_cast<size_t>(to)][static_cast<size_t>(from)],
        api, from);
    RunTwoSources(issue, op == lanes::MixedOp::MulAddDst, function, to, from, dst, src0, src1,
                  extent, strides);
}

void RunAxpy(Dtype to, Dtype from, const Operand& dst, const Operand& src, const void* scalar,
             const Extent& extent, const AscendC::UnaryRepeatParams& strides, Location where) {
    Issue issue(Opcode::Axpy, CoreKind::Aiv, where);
    if (!issue) {
        return;
    }
    const auto function =
        Require(lanes::BestFused().axpy[static_cast<size_t>(to)][static_cast<size_t>(from)],
                Opcode::Axpy, from);
    VecOperand operands[] = {
        {Arg::Dst, dst, to, strides.dstBlkStride, strides.dstRepStride, true},
        {Arg::Src, src, from, strides.srcBlkStride, strides.srcRepStride, false}};
    operands[0].accumulates = true;
    Execute(issue, operands, 2, extent,
            [function, scalar](uint8_t* const* p, uint64_t n) { function(p[0], p[1], scalar, n); });
}

void RunAddDeqRelu(const Operand& dst, const Operand& src0, const Operand& src1,
                   const Extent& extent, const AscendC::BinaryRepeatParams& strides,
                   Location where) {
    Issue issue(Opcode::AddDeqRelu, CoreKind::Aiv, where);
    if (!issue) {
        return;
    }
    const Core& core = issue.core();
    const float scale = RequireHalfScale(core, issue.api());
    issue.Reads(Register::DeqScale);
    issue.Reads(Register::Ctrl);
    const auto function = lanes::BestFused().addDeqRelu;
    VecOperand operands[] = {
        {Arg::Dst, dst, Dtype::F16, strides.dstBlkStride, strides.dstRepStride, true},
        {Arg::Src0, src0, Dtype::I32, strides.src0BlkStride, strides.src0RepStride, true},
        {Arg::Src1, src1, Dtype::I32, strides.src1BlkStride, strides.src1RepStride, true}};
    operands[1].accumulates = operands[2].accumulates = true;
    Plan plan;
    if (!Resolve(issue, operands, 3, extent, &plan)) {
        return;
    }
    UseScratch(issue,
               plan.contiguous ? plan.elements * sizeof(int32_t) : plan.repeats * kRepeatBytes);
    if (!issue.Ready()) {
        return;
    }
    const auto clamp = core.CtrlBit(kCtrlInfNan)
                           ? nullptr
                           : lanes::BestCasts().clamp[static_cast<size_t>(Dtype::F16)];
    Walk(operands, 3, plan, [function, scale, clamp](uint8_t* const* p, uint64_t n) {
        function(p[0], p[1], p[2], scale, n);
        if (clamp != nullptr) {
            clamp(p[0], n);
        }
    });
    // The library keeps its intermediate results in the sources.
    Walk(operands, 3, plan, [&](uint8_t* const* p, uint64_t n) {
        for (uint32_t i = 1; i < 3; ++i) {
            if (operands[i].place.address != dst.address) {
                Poison(p[i], n);
            }
        }
    });
    issue.Done();
}

void RunShift(Opcode api, lanes::ShiftOp op, Dtype dtype, const Operand& dst, const Operand& src,
              int64_t distance, const Extent& extent, const AscendC::UnaryRepeatParams& strides,
              Location where) {
    Issue issue(api, CoreKind::Aiv, where);
    if (!issue) {
        return;
    }
    const uint32_t bits = BitWidth(dtype);
    const Core& core = issue.core();
    if (core.strict && (distance < 0 || distance > bits)) {
        Fail("T411", "shift out of range: %s of %s by %" PRId64 ", expected 0 to %u", issue.api(),
             Name(dtype), distance, bits);
    }
    const bool isSigned = dtype == Dtype::I16 || dtype == Dtype::I32;
    if (core.strict && op == lanes::ShiftOp::RightRounded && !isSigned) {
        Fail("T412",
             "rounding shift of an unsigned type: %s of %s with roundEn, which only int16_t and "
             "int32_t have\n  try: roundEn = false",
             issue.api(), Name(dtype));
    }
    const auto function = Require(
        lanes::BestFused().shift[static_cast<size_t>(op)][static_cast<size_t>(dtype)], api, dtype);
    const auto by = static_cast<uint32_t>(distance < 0 || distance > bits ? bits + 1 : distance);
    VecOperand operands[] = {
        {Arg::Dst, dst, dtype, strides.dstBlkStride, strides.dstRepStride, true},
        {Arg::Src, src, dtype, strides.srcBlkStride, strides.srcRepStride, false}};
    Execute(issue, operands, 2, extent,
            [function, by](uint8_t* const* p, uint64_t n) { function(p[0], p[1], by, n); });
}

}  // namespace twin::vec
