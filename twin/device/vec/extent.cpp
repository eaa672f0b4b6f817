// SPDX-License-Identifier: Apache-2.0
#include "device/vec/extent.h"

#include "device/vec/execute.h"

namespace twin::vec {
void RunBinary(const char* api, lanes::BinaryOp op, Dtype dtype, const Operand& dst,
               const Operand& src0, const Operand& src1, const Extent& extent,
               const AscendC::BinaryRepeatParams& strides, Location where) {
    Issue issue(api, Pipe::V, CoreKind::Aiv, where);
    if (!issue) {
        return;
    }
    const auto function =
        Require(lanes::BestArithmetic().binary[static_cast<size_t>(op)][static_cast<size_t>(dtype)],
                api, dtype);
    VecOperand operands[] = {
        {"dst", dst, dtype, strides.dstBlkStride, strides.dstRepStride, true},
        {"src0", src0, dtype, strides.src0BlkStride, strides.src0RepStride, false},
        {"src1", src1, dtype, strides.src1BlkStride, strides.src1RepStride, false}};
    Execute(issue, operands, 3, extent,
            [function](uint8_t* const* p, uint64_t n) { function(p[0], p[1], p[2], n); });
}

void RunUnary(const char* api, lanes::UnaryOp op, Dtype dtype, const Operand& dst,
              const Operand& src, const Extent& extent, const AscendC::UnaryRepeatParams& strides,
              Location where) {
    Issue issue(api, Pipe::V, CoreKind::Aiv, where);
    if (!issue) {
        return;
    }
    const auto function =
        Require(lanes::BestArithmetic().unary[static_cast<size_t>(op)][static_cast<size_t>(dtype)],
                api, dtype);
    VecOperand operands[] = {
        {"dst", dst, dtype, strides.dstBlkStride, strides.dstRepStride, true},
        {"src", src, dtype, strides.srcBlkStride, strides.srcRepStride, false}};
    Execute(issue, operands, 2, extent,
            [function](uint8_t* const* p, uint64_t n) { function(p[0], p[1], n); });
}

void RunScalar(const char* api, lanes::ScalarOp op, Dtype dtype, const Operand& dst,
               const Operand& src, const void* scalar, const Extent& extent,
               const AscendC::UnaryRepeatParams& strides, Location where) {
    Issue issue(api, Pipe::V, CoreKind::Aiv, where);
    if (!issue) {
        return;
    }
    const auto function =
        Require(lanes::BestArithmetic().scalar[static_cast<size_t>(op)][static_cast<size_t>(dtype)],
                api, dtype);
    VecOperand operands[] = {
        {"dst", dst, dtype, strides.dstBlkStride, strides.dstRepStride, true},
        {"src", src, dtype, strides.srcBlkStride, strides.srcRepStride, false}};
    Execute(issue, operands, 2, extent,
            [function, scalar](uint8_t* const* p, uint64_t n) { function(p[0], p[1], scalar, n); });
}

void RunDuplicate(Dtype dtype, const Operand& dst, const void* scalar, const Extent& extent,
                  uint32_t blockStride, uint32_t repeatStride, Location where) {
    Issue issue("Duplicate", Pipe::V, CoreKind::Aiv, where);
    if (!issue) {
        return;
    }
    const auto function =
        Require(lanes::BestArithmetic().fill[static_cast<size_t>(dtype)], "Duplicate", dtype);
    VecOperand operands[] = {{"dst", dst, dtype, blockStride, repeatStride, true}};
    Plan plan;
    if (Prepare(issue, operands, 1, extent, &plan)) {
        Walk(operands, 1, plan,
             [function, scalar](uint8_t* const* p, uint64_t n) { function(p[0], scalar, n); });
        issue.Done();
    }
}

}  // namespace twin::vec
