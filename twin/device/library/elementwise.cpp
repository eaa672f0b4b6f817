// SPDX-License-Identifier: Apache-2.0
#include "device/library/elementwise.h"

#include <cinttypes>
#include <cmath>
#include <cstring>
#include <vector>

#include "core/core.h"
#include "core/float16.h"
#include "core/tmp_size.h"
#include "device/lanes/arithmetic.h"
#include "device/lanes/reduce.h"
#include "device/library/call.h"
#include "device/library/tmp.h"
#include "device/vec/execute.h"
#include "device/vec/extent.h"

namespace twin::advanced {
namespace {

void Unary(lanes::UnaryOp op, float* dst, const float* src, size_t elements) {
    lanes::BestArithmetic().unary[static_cast<size_t>(op)][kF32](dst, src, elements);
}

void Binary(lanes::BinaryOp op, float* dst, const float* a, const float* b, size_t elements) {
    lanes::BestArithmetic().binary[static_cast<size_t>(op)][kF32](dst, a, b, elements);
}

void Scalar(lanes::ScalarOp op, float* dst, const float* src, float scalar, size_t elements) {
    lanes::BestArithmetic().scalar[static_cast<size_t>(op)][kF32](dst, src, &scalar, elements);
}

bool IsClamp(ElementaryOp op) {
    return op == ElementaryOp::ClampMax || op == ElementaryOp::ClampMin;
}

TmpNeed NeedOf(const Function& function, uint32_t size, uint64_t count) {
    const TmpSize said = IsClamp(function.op)
                             ? ClampTmp(size, count)
                             : ElementaryTmp(function.op, size, count, function.reuseSource);
    return {said.min, said.max};
}

void Describe(const Function& function, Call& call) {
    const bool precise = function.op == ElementaryOp::GeluPrecise ||
                         function.op == ElementaryOp::FasterGeluPrecise ||
                         function.op == ElementaryOp::FasterGeluV2Precise;
    CallShape& shape = call.shape();
    shape.form = (function.reuseSource ? ElementwiseForm::kReuse : 0) |
                 (precise ? ElementwiseForm::kPrecise : 0) |
                 (function.scalar != 0 ? ElementwiseForm::kFast : 0);
    shape.level =
        function.op == ElementaryOp::ExpTaylor ? static_cast<uint32_t>(function.scalar) : 0;
}

/// Returns true if the call uses a float source as scratch, which isReuseSource allows.
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

/// Runs one elementwise call; `src1` is null for a function of one source.
void Run(const Function& function, const Operand& dst, const Operand& src, const Operand* src1,
         const Tmp& tmp, uint32_t count, Location where) {
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
    const bool two = src1 != nullptr;
    uint8_t* to = call.Write(Arg::DstTensor, dst, bytes);
    const uint8_t* from = call.Read(two ? Arg::SrcTensor0 : Arg::SrcTensor, src, bytes,
                                    !two && LosesSource(function));
    const uint8_t* from1 = two ? call.Read(Arg::SrcTensor1, *src1, bytes) : nullptr;
    call.Take(tmp, NeedOf(function, size, count));
    if (IsClamp(function.op)) {
        vec::UseScratch(call.issue(), uint64_t{kBlockBytes} * size);  // for Select's scalar
    }
    call.Run(function.dtype, count, OverlapOf(function), [&] {
        run(to, from, from1, &function.scalar, count);
        call.Saturate(to, function.dtype, count);
    });
}

}  // namespace

void Load(float* row, const uint8_t* src, Dtype dtype, size_t elements) {
    if (dtype == Dtype::F32) {
        std::memcpy(row, src, elements * sizeof(float));
        return;
    }
    lanes::BestCasts().cast[kF32][static_cast<size_t>(dtype)](row, src, elements,
                                                              lanes::Round::None);
}

void Store(uint8_t* dst, Dtype dtype, const float* row, size_t elements, lanes::Round round) {
    if (dtype == Dtype::F32) {
        std::memcpy(dst, row, elements * sizeof(float));
        return;
    }
    lanes::BestCasts().cast[static_cast<size_t>(dtype)][kF32](dst, row, elements, round);
}

float LoadOne(const uint8_t* src, Dtype dtype, size_t index) {
    float value;
    Load(&value, src + index * SizeOf(dtype), dtype, 1);
    return value;
}

void StoreOne(uint8_t* dst, Dtype dtype, size_t index, float value, lanes::Round round) {
    Store(dst + index * SizeOf(dtype), dtype, &value, 1, round);
}

void Exp(float* dst, const float* src, size_t elements) {
    Unary(lanes::UnaryOp::Exp, dst, src, elements);
}
void Ln(float* dst, const float* src, size_t elements) {
    Unary(lanes::UnaryOp::Ln, dst, src, elements);
}
void Add(float* dst, const float* a, const float* b, size_t elements) {
    Binary(lanes::BinaryOp::Add, dst, a, b, elements);
}
void Sub(float* dst, const float* a, const float* b, size_t elements) {
    Binary(lanes::BinaryOp::Sub, dst, a, b, elements);
}
void Mul(float* dst, const float* a, const float* b, size_t elements) {
    Binary(lanes::BinaryOp::Mul, dst, a, b, elements);
}
void Adds(float* dst, const float* src, float scalar, size_t elements) {
    Scalar(lanes::ScalarOp::Adds, dst, src, scalar, elements);
}
void Muls(float* dst, const float* src, float scalar, size_t elements) {
    Scalar(lanes::ScalarOp::Muls, dst, src, scalar, elements);
}
void Divs(float* dst, const float* src, float scalar, size_t elements) {
    for (size_t i = 0; i < elements; ++i) {
        dst[i] = src[i] / scalar;
    }
}

float ExpOf(float x) {
    Exp(&x, &x, 1);
    return x;
}
float LnOf(float x) {
    Ln(&x, &x, 1);
    return x;
}
float RsqrtByLn(float x) { return ExpOf(-0.5F * LnOf(x)); }
float Rsqrt(float x) { return 1.0F / std::sqrt(x); }
float SumOf(const float* row, size_t elements) { return lanes::BestRows().sum(row, elements); }
float MaxOf(const float* row, size_t elements) { return lanes::BestRows().max(row, elements); }

float Larger(float a, float b) {
    const float both[2] = {a, b};
    return MaxOf(both, 2);
}

float* Row(uint32_t slot, size_t elements) {
    thread_local std::vector<float> buffers[kSlots];
    if (buffers[slot].size() < elements) {
        buffers[slot].resize(elements);
    }
    return buffers[slot].data();
}

void CheckFields(const char* api, std::initializer_list<FieldRule> rules) {
    for (const FieldRule& rule : rules) {
        if (rule.value != rule.expected) {
            Fail("T720",
                 "tiling does not fit: %s with %s = %" PRIu64 " in its tiling, expected %" PRIu64
                 "\n  try: fill it with the host's tiling function, for the shape, type and "
                 "template "
                 "arguments of this call",
                 api, rule.field, rule.value, rule.expected);
        }
    }
}

void RunUnary(const Function& function, const Operand& dst, const Operand& src, const Tmp& tmp,
              uint32_t count, Location where) {
    Run(function, dst, src, nullptr, tmp, count, where);
}

void RunBinary(const Function& function, const Operand& dst, const Operand& src0,
               const Operand& src1, const Tmp& tmp, uint32_t count, Location where) {
    Run(function, dst, src0, &src1, tmp, count, where);
}

}  // namespace twin::advanced
