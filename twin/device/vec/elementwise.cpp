// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cinttypes>
#include <cstring>

#include "device/vec/bitwise.h"
#include "device/vec/cast.h"
#include "device/vec/execute.h"
#include "device/vec/extent.h"
#include "device/vec/fused.h"

namespace twin::vec {
namespace {

/// Runs an instruction with one source; call(entry, pointers, count) computes one contiguous piece.
template <typename Function, typename Call>
void RunOneSource(Opcode api, Function entry, bool accumulates, Dtype to, Dtype from,
                  const Operand& dst, const Operand& src, const Extent& extent,
                  const AscendC::UnaryRepeatParams& strides, Location where, Call call) {
    Issue issue(api, CoreKind::Aiv, where);
    if (!issue) {
        return;
    }
    const Function function = Require(entry, api, from);
    VecOperand operands[] = {
        {Arg::Dst, dst, to, strides.dstBlkStride, strides.dstRepStride, true},
        {Arg::Src, src, from, strides.srcBlkStride, strides.srcRepStride, false}};
    operands[0].accumulates = accumulates;
    Execute(issue, operands, 2, extent,
            [function, call](uint8_t* const* p, uint64_t n) { call(function, p, n); });
}

void RunTwoSources(Opcode api, lanes::BinaryFn entry, bool accumulates, Dtype to, Dtype from,
                   const Operand& dst, const Operand& src0, const Operand& src1,
                   const Extent& extent, const AscendC::BinaryRepeatParams& strides,
                   Location where) {
    Issue issue(api, CoreKind::Aiv, where);
    if (!issue) {
        return;
    }
    const auto function = Require(entry, api, from);
    VecOperand operands[] = {
        {Arg::Dst, dst, to, strides.dstBlkStride, strides.dstRepStride, true},
        {Arg::Src0, src0, from, strides.src0BlkStride, strides.src0RepStride, false},
        {Arg::Src1, src1, from, strides.src1BlkStride, strides.src1RepStride, false}};
    operands[0].accumulates = accumulates;
    Execute(issue, operands, 3, extent,
            [function](uint8_t* const* p, uint64_t n) { function(p[0], p[1], p[2], n); });
}

/// Fills `count` elements of 4 B with poison, because the chip leaves other values in them.
void Poison(uint8_t* place, uint64_t count) {
    for (uint64_t i = 0; i < count; ++i) {
        std::memcpy(place + i * sizeof(kPoison), &kPoison, sizeof(kPoison));
    }
}

size_t Index(Dtype dtype) { return static_cast<size_t>(dtype); }

}  // namespace

void RunBinary(Opcode api, lanes::BinaryOp op, Dtype dtype, const Operand& dst, const Operand& src0,
               const Operand& src1, const Extent& extent,
               const AscendC::BinaryRepeatParams& strides, Location where) {
    RunTwoSources(api, lanes::BestArithmetic().binary[static_cast<size_t>(op)][Index(dtype)], false,
                  dtype, dtype, dst, src0, src1, extent, strides, where);
}

void RunFused(Opcode api, lanes::FusedOp op, Dtype dtype, const Operand& dst, const Operand& src0,
              const Operand& src1, const Extent& extent, const AscendC::BinaryRepeatParams& strides,
              Location where) {
    const bool accumulates = op != lanes::FusedOp::AddRelu && op != lanes::FusedOp::SubRelu;
    RunTwoSources(api, lanes::BestFused().same[static_cast<size_t>(op)][Index(dtype)], accumulates,
                  dtype, dtype, dst, src0, src1, extent, strides, where);
}

void RunMixed(Opcode api, lanes::MixedOp op, Dtype to, Dtype from, const Operand& dst,
              const Operand& src0, const Operand& src1, const Extent& extent,
              const AscendC::BinaryRepeatParams& strides, Location where) {
    RunTwoSources(api, lanes::BestFused().mixed[static_cast<size_t>(op)][Index(to)][Index(from)],
                  op == lanes::MixedOp::MulAddDst, to, from, dst, src0, src1, extent, strides,
                  where);
}

void RunUnary(Opcode api, lanes::UnaryOp op, Dtype dtype, const Operand& dst, const Operand& src,
              const Extent& extent, const AscendC::UnaryRepeatParams& strides, Location where) {
    RunOneSource(api, lanes::BestArithmetic().unary[static_cast<size_t>(op)][Index(dtype)], false,
                 dtype, dtype, dst, src, extent, strides, where,
                 [](auto function, uint8_t* const* p, uint64_t n) { function(p[0], p[1], n); });
}

void RunScalar(Opcode api, lanes::ScalarOp op, Dtype dtype, const Operand& dst, const Operand& src,
               const void* scalar, const Extent& extent, const AscendC::UnaryRepeatParams& strides,
               Location where) {
    RunOneSource(api, lanes::BestArithmetic().scalar[static_cast<size_t>(op)][Index(dtype)], false,
                 dtype, dtype, dst, src, extent, strides, where,
                 [scalar](auto function, uint8_t* const* p, uint64_t n) {
                     function(p[0], p[1], scalar, n);
                 });
}

void RunAxpy(Dtype to, Dtype from, const Operand& dst, const Operand& src, const void* scalar,
             const Extent& extent, const AscendC::UnaryRepeatParams& strides, Location where) {
    RunOneSource(Opcode::Axpy, lanes::BestFused().axpy[Index(to)][Index(from)], true, to, from, dst,
                 src, extent, strides, where,
                 [scalar](auto function, uint8_t* const* p, uint64_t n) {
                     function(p[0], p[1], scalar, n);
                 });
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
    issue.Ready();
    const auto clamp = core.CtrlBit(kCtrlInfNan)
                           ? nullptr
                           : lanes::BestCasts().clamp[static_cast<size_t>(Dtype::F16)];
    Walk(operands, 3, plan, [function, scale, clamp](uint8_t* const* p, uint64_t n) {
        function(p[0], p[1], p[2], scale, n);
        if (clamp != nullptr) {
            clamp(p[0], n);
        }
    });
    // The library stores intermediate results in the sources, so the sources become poison.
    Walk(operands, 3, plan, [&](uint8_t* const* p, uint64_t n) {
        for (uint32_t i = 1; i < 3; ++i) {
            if (operands[i].place.address != dst.address) {
                Poison(p[i], n);
            }
        }
    });
    issue.Done();
}

void RunDuplicate(Dtype dtype, const Operand& dst, const void* scalar, const Extent& extent,
                  uint32_t blockStride, uint32_t repeatStride, Location where) {
    Issue issue(Opcode::Duplicate, CoreKind::Aiv, where);
    if (!issue) {
        return;
    }
    const auto function =
        Require(lanes::BestArithmetic().fill[static_cast<size_t>(dtype)], Opcode::Duplicate, dtype);
    VecOperand operands[] = {{Arg::Dst, dst, dtype, blockStride, repeatStride, true}};
    Plan plan;
    if (Prepare(issue, operands, 1, extent, &plan)) {
        Walk(operands, 1, plan,
             [function, scalar](uint8_t* const* p, uint64_t n) { function(p[0], scalar, n); });
        issue.Done();
    }
}

void UseScratch(Issue& issue, uint64_t bytes) {
    const Core& core = issue.core();
    const uint64_t end = std::min(kScratchBegin + std::min(bytes, kScratchBytes), core.UbBytes());
    for (const BufferRecord& buffer : core.state->buffers) {
        if (core.strict && buffer.memory == Memory::Ub && buffer.begin < end &&
            buffer.begin + buffer.bytes > kScratchBegin) {
            Fail(
                "T415",
                "scratch in use: %s overwrites UB+0x%" PRIx64 " to 0x%" PRIx64
                ", where a %s buffer of %u B lies (UB+0x%x)\n  try: keep the buffers below 184 KiB",
                issue.api(), kScratchBegin, end, buffer.kind, buffer.bytes, buffer.begin);
        }
    }
    if (end > kScratchBegin) {
        const Operand region = UbPlace(kScratchBegin, end - kScratchBegin);
        std::memset(issue.Write(Arg::Scratch, region, Memory::Ub, Runs{region.bytes}), 0,
                    region.bytes);
    }
}

void RunBitwise32(Opcode api, lanes::BinaryOp op, const Operand& dst, const Operand& src0,
                  const Operand& src1, int32_t count, Location where) {
    Core& core = Self();
    core.Begin(where);
    if (core.strict) {
        Fail("T409",
             "half of the tensor: %s of %d 32-bit elements; the chip's library takes the count for "
             "16-bit elements and"
             " leaves the second half out\n  try: ReinterpretCast<int16_t>() and twice the count",
             Name(api), count);
    }
    RunBinary(api, op, Dtype::I16, dst, src0, src1, Extent::Elements(count),
              AscendC::BinaryRepeatParams(), where);
}

}  // namespace twin::vec
