// SPDX-License-Identifier: Apache-2.0
#include "device/library/elementwise.h"

#include "core/tmp_size.h"
#include "device/lanes/arithmetic.h"
#include "device/library/call.h"
#include "device/vec/execute.h"
#include "device/vec/extent.h"

namespace twin::advanced {
namespace {

bool IsClamp(ElementaryOp op) {
    return op == ElementaryOp::ClampMax || op == ElementaryOp::ClampMin;
}

TmpNeed NeedOf(const Function& function, uint32_t size, uint64_t count) {
    const TmpSize said = IsClamp(function.op)
                             ? ClampTmp(size, count)
                             : ElementaryTmp(function.op, size, count, function.reuseSource);
    return {said.min, said.max};
}

/// As twin/library_steps.toml has it.
void Describe(const Function& function, Call& call) {
    const bool precise = function.op == ElementaryOp::GeluPrecise ||
                         function.op == ElementaryOp::FasterGeluPrecise ||
                         function.op == ElementaryOp::FasterGeluV2Precise;
    CallShape& shape = call.shape();
    shape.form =
        (function.reuseSource ? 1U : 0U) | (precise ? 2U : 0U) | (function.scalar != 0 ? 4U : 0U);
    shape.level =
        function.op == ElementaryOp::ExpTaylor ? static_cast<uint32_t>(function.scalar) : 0;
}

/// With isReuseSource, some functions use float sources as scratch.
bool LosesSource(const Function& function) {
    const ElementaryRule& rule = RuleOf(function.op);
    return function.reuseSource && function.dtype == Dtype::F32 &&
           rule.reuseBuffers != rule.floatBuffers;
}

Overlap OverlapOf(const Function& function) {
    const ElementaryRule& rule = RuleOf(function.op);
    const bool works = function.dtype == Dtype::F32 ? rule.floatInPlace && !LosesSource(function)
                                                    : rule.halfInPlace;
    return works ? Overlap::InPlace : Overlap::Library;
}

}  // namespace

void RunUnary(const Function& function, const Operand& dst, const Operand& src, const Tmp& tmp,
              uint32_t count, Location where) {
    Call call(function.api, where);
    if (!call || count == 0) {
        return;
    }
    Describe(function, call);
    const uint32_t size = SizeOf(function.dtype);
    const auto row = static_cast<size_t>(function.dtype);
    const lanes::ElementaryFn run =
        vec::Require(lanes::BestElementary().run[static_cast<size_t>(function.op)][row],
                     function.api, function.dtype);
    const uint64_t bytes = uint64_t{count} * size;
    uint8_t* to = call.Write(Arg::DstTensor, dst, bytes);
    const uint8_t* from = call.Read(Arg::SrcTensor, src, bytes, LosesSource(function));
    call.Take(tmp, NeedOf(function, size, count));
    if (IsClamp(function.op)) {
        vec::UseScratch(call.issue(), uint64_t{kBlockBytes} * size);  // Select's scalar
    }
    if (!call.Ready(function.dtype, count, OverlapOf(function))) {
        return;
    }
    run(to, from, nullptr, &function.scalar, count);
    call.Saturate(to, function.dtype, count);
    call.Done();
}

void RunBinary(const Function& function, const Operand& dst, const Operand& src0,
               const Operand& src1, const Tmp& tmp, uint32_t count, Location where) {
    Call call(function.api, where);
    if (!call || count == 0) {
        return;
    }
    Describe(function, call);
    const uint32_t size = SizeOf(function.dtype);
    const auto row = static_cast<size_t>(function.dtype);
    const lanes::ElementaryFn run =
        vec::Require(lanes::BestElementary().run[static_cast<size_t>(function.op)][row],
                     function.api, function.dtype);
    const uint64_t bytes = uint64_t{count} * size;
    uint8_t* to = call.Write(Arg::DstTensor, dst, bytes);
    const uint8_t* from0 = call.Read(Arg::SrcTensor0, src0, bytes);
    const uint8_t* from1 = call.Read(Arg::SrcTensor1, src1, bytes);
    call.Take(tmp, NeedOf(function, size, count));
    if (!call.Ready(function.dtype, count, OverlapOf(function))) {
        return;
    }
    run(to, from0, from1, &function.scalar, count);
    call.Saturate(to, function.dtype, count);
    call.Done();
}

}  // namespace twin::advanced
