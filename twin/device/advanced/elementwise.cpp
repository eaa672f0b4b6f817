// SPDX-License-Identifier: Apache-2.0
#include "device/advanced/elementwise.h"

#include "core/tmp_size.h"
#include "device/lanes/cast.h"
#include "device/vec/execute.h"
#include "device/vec/scratch.h"

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

/// With isReuseSource float sources are scratch in some functions.
bool LosesSource(const Function& function) {
    const ElementaryRule& rule = RuleOf(function.op);
    return function.reuseSource && function.dtype == Dtype::F32 &&
           rule.reuseBuffers != rule.floatBuffers;
}

InPlace InPlaceOf(const Function& function) {
    const ElementaryRule& rule = RuleOf(function.op);
    const bool works = function.dtype == Dtype::F32 ? rule.floatInPlace && !LosesSource(function)
                                                    : rule.halfInPlace;
    return works ? InPlace::Works : InPlace::Breaks;
}

}  // namespace

void RunUnary(const Function& function, const Operand& dst, const Operand& src, const Tmp& tmp,
              uint32_t count, Location where) {
    Call call(function.api, where);
    if (!call || count == 0) {
        return;
    }
    Core& core = call.core();
    const uint32_t size = SizeOf(function.dtype);
    const auto row = static_cast<size_t>(function.dtype);
    const lanes::ElementaryFn run =
        vec::Require(lanes::BestElementary().run[static_cast<size_t>(function.op)][row],
                     function.api, function.dtype);
    call.Add({"dstTensor", dst, uint64_t{count} * size, true});
    call.Add({"srcTensor", src, uint64_t{count} * size, false, LosesSource(function)});
    const bool sound = call.Check(InPlaceOf(function));
    call.Take(tmp, NeedOf(function, size, count));
    if (IsClamp(function.op)) {
        Issue scratch(function.api, Pipe::V, core);
        vec::UseScratch(scratch, uint64_t{kBlockBytes} * size);  // Select's scalar
    }
    if (sound) {
        run(call.At(0), call.At(1), nullptr, &function.scalar, count);
        call.Saturate(function.dtype, count);
    } else {
        call.Spoil();
    }
    call.Finish(function.dtype, count);
}

void RunBinary(const Function& function, const Operand& dst, const Operand& src0,
               const Operand& src1, const Tmp& tmp, uint32_t count, Location where) {
    Call call(function.api, where);
    if (!call || count == 0) {
        return;
    }
    const uint32_t size = SizeOf(function.dtype);
    const auto row = static_cast<size_t>(function.dtype);
    const lanes::ElementaryFn run =
        vec::Require(lanes::BestElementary().run[static_cast<size_t>(function.op)][row],
                     function.api, function.dtype);
    call.Add({"dstTensor", dst, uint64_t{count} * size, true});
    call.Add({"srcTensor0", src0, uint64_t{count} * size});
    call.Add({"srcTensor1", src1, uint64_t{count} * size});
    const bool sound = call.Check(InPlaceOf(function));
    call.Take(tmp, NeedOf(function, size, count));
    if (sound) {
        run(call.At(0), call.At(1), call.At(2), &function.scalar, count);
        call.Saturate(function.dtype, count);
    } else {
        call.Spoil();
    }
    call.Finish(function.dtype, count);
}

}  // namespace twin::advanced
