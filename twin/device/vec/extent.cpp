// SPDX-License-Identifier: Apache-2.0
#include "device/vec/extent.h"

#include <algorithm>
#include <cinttypes>
#include <cstring>

#include "device/vec/bitwise.h"
#include "device/vec/execute.h"

namespace twin::vec {
void RunBinary(Opcode api, lanes::BinaryOp op, Dtype dtype, const Operand& dst, const Operand& src0,
               const Operand& src1, const Extent& extent,
               const AscendC::BinaryRepeatParams& strides, Location where) {
    Issue issue(api, CoreKind::Aiv, where);
    if (!issue) {
        return;
    }
    const auto function =
        Require(lanes::BestArithmetic().binary[static_cast<size_t>(op)][static_cast<size_t>(dtype)],
                api, dtype);
    VecOperand operands[] = {
        {Arg::Dst, dst, dtype, strides.dstBlkStride, strides.dstRepStride, true},
        {Arg::Src0, src0, dtype, strides.src0BlkStride, strides.src0RepStride, false},
        {Arg::Src1, src1, dtype, strides.src1BlkStride, strides.src1RepStride, false}};
    Execute(issue, operands, 3, extent,
            [function](uint8_t* const* p, uint64_t n) { function(p[0], p[1], p[2], n); });
}

void RunUnary(Opcode api, lanes::UnaryOp op, Dtype dtype, const Operand& dst, const Operand& src,
              const Extent& extent, const AscendC::UnaryRepeatParams& strides, Location where) {
    Issue issue(api, CoreKind::Aiv, where);
    if (!issue) {
        return;
    }
    const auto function =
        Require(lanes::BestArithmetic().unary[static_cast<size_t>(op)][static_cast<size_t>(dtype)],
                api, dtype);
    VecOperand operands[] = {
        {Arg::Dst, dst, dtype, strides.dstBlkStride, strides.dstRepStride, true},
        {Arg::Src, src, dtype, strides.srcBlkStride, strides.srcRepStride, false}};
    Execute(issue, operands, 2, extent,
            [function](uint8_t* const* p, uint64_t n) { function(p[0], p[1], n); });
}

void RunScalar(Opcode api, lanes::ScalarOp op, Dtype dtype, const Operand& dst, const Operand& src,
               const void* scalar, const Extent& extent, const AscendC::UnaryRepeatParams& strides,
               Location where) {
    Issue issue(api, CoreKind::Aiv, where);
    if (!issue) {
        return;
    }
    const auto function =
        Require(lanes::BestArithmetic().scalar[static_cast<size_t>(op)][static_cast<size_t>(dtype)],
                api, dtype);
    VecOperand operands[] = {
        {Arg::Dst, dst, dtype, strides.dstBlkStride, strides.dstRepStride, true},
        {Arg::Src, src, dtype, strides.srcBlkStride, strides.srcRepStride, false}};
    Execute(issue, operands, 2, extent,
            [function, scalar](uint8_t* const* p, uint64_t n) { function(p[0], p[1], scalar, n); });
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
    for (const BufferRecord& buffer : core.buffers) {
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
