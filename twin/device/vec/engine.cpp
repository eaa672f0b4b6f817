// SPDX-License-Identifier: Apache-2.0
#include "device/vec/engine.h"

#include "device/vec/walk.h"

namespace twin::vec {
namespace {

/// The headers refuse wrong types at compile time; this guards the table against a header that
/// forgot one.
template <typename Function>
Function Require(Function function, const char* api, Dtype dtype) {
    if (function == nullptr) {
        Fail("T404", "dtype not supported: the vector unit has no %s for %s", api, Name(dtype));
    }
    return function;
}

const char* RoundName(AscendC::RoundMode mode) {
    static const char* const kNames[] = {"CAST_NONE",  "CAST_RINT",  "CAST_FLOOR", "CAST_CEIL",
                                         "CAST_ROUND", "CAST_TRUNC", "CAST_ODD"};
    const auto index = static_cast<size_t>(mode);
    return index < 7 ? kNames[index] : "?";
}

/// Bit m of a pair: RoundMode m is accepted. Source: the Cast page's table for A2/A3.
uint32_t AcceptedRounding(Dtype to, Dtype from) {
    constexpr uint32_t kNone = 1U << 0;
    constexpr uint32_t kDirected = 0x3EU;  // RINT FLOOR CEIL ROUND TRUNC
    constexpr uint32_t kOdd = 1U << 6;
    if (from == Dtype::F32) {
        return to == Dtype::F16 ? kNone | kDirected | kOdd : kDirected;
    }
    if (from == Dtype::I32 && to == Dtype::F32) {
        return kNone | kDirected;
    }
    return to == Dtype::F32 ? kNone : kDirected;
}

void CheckRounding(Dtype to, Dtype from, AscendC::RoundMode mode) {
    if ((AcceptedRounding(to, from) >> static_cast<uint32_t>(mode) & 1U) != 0) {
        return;
    }
    Fail("T406",
         "rounding mode not supported: Cast from %s to %s with %s; the chip issues no instruction "
         "for it and"
         " the destination keeps its old data\n  try: %s",
         Name(from), Name(to), RoundName(mode), to == Dtype::F32 ? "CAST_NONE" : "CAST_RINT");
}

}  // namespace

void RunBinary(const char* api, lanes::BinaryOp op, Dtype dtype, const Operand& dst,
               const Operand& src0, const Operand& src1, const Extent& extent,
               const AscendC::BinaryRepeatParams& strides, Location where) {
    Core& core = Self();
    core.Begin(where);
    const auto function = Require(
        lanes::BestArithmetic().binary[static_cast<size_t>(op)][static_cast<size_t>(dtype)], api, dtype);
    const VecOperand operands[] = {
        {"dst", dst, dtype, strides.dstBlkStride, strides.dstRepStride, true},
        {"src0", src0, dtype, strides.src0BlkStride, strides.src0RepStride, false},
        {"src1", src1, dtype, strides.src1BlkStride, strides.src1RepStride, false}};
    Plan plan;
    if (Prepare(core, api, operands, 3, extent, &plan)) {
        Walk(core, operands, 3, plan,
             [function](uint8_t* const* p, uint64_t n) { function(p[0], p[1], p[2], n); });
    }
}

void RunUnary(const char* api, lanes::UnaryOp op, Dtype dtype, const Operand& dst,
              const Operand& src, const Extent& extent, const AscendC::UnaryRepeatParams& strides,
              Location where) {
    Core& core = Self();
    core.Begin(where);
    const auto function = Require(
        lanes::BestArithmetic().unary[static_cast<size_t>(op)][static_cast<size_t>(dtype)], api, dtype);
    const VecOperand operands[] = {
        {"dst", dst, dtype, strides.dstBlkStride, strides.dstRepStride, true},
        {"src", src, dtype, strides.srcBlkStride, strides.srcRepStride, false}};
    Plan plan;
    if (Prepare(core, api, operands, 2, extent, &plan)) {
        Walk(core, operands, 2, plan,
             [function](uint8_t* const* p, uint64_t n) { function(p[0], p[1], n); });
    }
}

void RunScalar(const char* api, lanes::ScalarOp op, Dtype dtype, const Operand& dst,
               const Operand& src, const void* scalar, const Extent& extent,
               const AscendC::UnaryRepeatParams& strides, Location where) {
    Core& core = Self();
    core.Begin(where);
    const auto function = Require(
        lanes::BestArithmetic().scalar[static_cast<size_t>(op)][static_cast<size_t>(dtype)], api, dtype);
    const VecOperand operands[] = {
        {"dst", dst, dtype, strides.dstBlkStride, strides.dstRepStride, true},
        {"src", src, dtype, strides.srcBlkStride, strides.srcRepStride, false}};
    Plan plan;
    if (Prepare(core, api, operands, 2, extent, &plan)) {
        Walk(core, operands, 2, plan, [function, scalar](uint8_t* const* p, uint64_t n) {
            function(p[0], p[1], scalar, n);
        });
    }
}

void RunCast(Dtype to, Dtype from, AscendC::RoundMode mode, const Operand& dst, const Operand& src,
             const Extent& extent, const AscendC::UnaryRepeatParams& strides, Location where) {
    Core& core = Self();
    core.Begin(where);
    const auto function = Require(
        lanes::BestArithmetic().cast[static_cast<size_t>(to)][static_cast<size_t>(from)], "Cast", from);
    CheckRounding(to, from, mode);
    const VecOperand operands[] = {
        {"dst", dst, to, strides.dstBlkStride, strides.dstRepStride, true},
        {"src", src, from, strides.srcBlkStride, strides.srcRepStride, false}};
    Plan plan;
    if (Prepare(core, "Cast", operands, 2, extent, &plan)) {
        const auto round = static_cast<lanes::Round>(mode);
        Walk(core, operands, 2, plan,
             [function, round](uint8_t* const* p, uint64_t n) { function(p[0], p[1], n, round); });
    }
}

void RunDuplicate(Dtype dtype, const Operand& dst, const void* scalar, const Extent& extent,
                  uint32_t blockStride, uint32_t repeatStride, Location where) {
    Core& core = Self();
    core.Begin(where);
    const auto function =
        Require(lanes::BestArithmetic().fill[static_cast<size_t>(dtype)], "Duplicate", dtype);
    const VecOperand operands[] = {{"dst", dst, dtype, blockStride, repeatStride, true}};
    Plan plan;
    if (Prepare(core, "Duplicate", operands, 1, extent, &plan)) {
        Walk(core, operands, 1, plan,
             [function, scalar](uint8_t* const* p, uint64_t n) { function(p[0], scalar, n); });
    }
}

}  // namespace twin::vec
