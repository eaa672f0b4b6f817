// SPDX-License-Identifier: Apache-2.0
// This file lists the calls of the advanced API that are one record each. Their steps are beside
// their effects.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <vector>

#include "core/library_steps.h"
#include "device/library/call.h"

// In the order of names.
// clang-format off
#define TWIN_LIBRARY_CALLS(X) \
    X(Acos) X(Acosh) X(AdjustSoftMaxRes) X(AscendAntiQuant) X(AscendDequant) X(AscendQuant) \
    X(Asin) X(Asinh) X(Atan) X(Atanh) X(Axpy) X(BatchNorm) X(BroadCast) X(Broadcast) X(Ceil) \
    X(ClampMax) X(ClampMin) X(ConfusionTranspose) X(Cos) X(Cosh) X(CumSum) X(DeepNorm) \
    X(Digamma) X(DropOut) X(Erf) X(Erfc) X(Exp) X(FasterGelu) X(FasterGeluV2) X(Floor) \
    X(Fmod) X(Frac) X(GeGLU) X(Gelu) X(GroupNorm) X(LayerNorm) X(LayerNormGrad) \
    X(LayerNormGradBeta) X(Lgamma) X(Log) X(Log10) X(Log2) X(LogSoftMax) X(Mean) \
    X(Normalize) X(Pad) X(Power) X(ReGlu) X(ReduceXorSum) X(RmsNorm) X(Round) \
    X(SelectWithBytesMask) X(Sigmoid) X(Sign) X(Silu) X(SimpleSoftMax) X(Sin) X(Sinh) \
    X(SoftMax) X(SoftmaxFlash) X(SoftmaxFlashV2) X(SoftmaxGrad) X(SoftmaxGradFront) X(Sum) \
    X(SwiGLU) X(Swish) X(Tan) X(Tanh) X(TopK) X(Trunc) X(UnPad) X(WelfordFinalize) \
    X(WelfordUpdate) X(Xor)
// clang-format on

namespace twin {

#define TWIN_DECLARE_STEPS(NAME) void NAME##Steps(CallSteps s);
TWIN_LIBRARY_CALLS(TWIN_DECLARE_STEPS)
#undef TWIN_DECLARE_STEPS

namespace advanced {
namespace {

#define TWIN_LIBRARY_CALL(NAME) {#NAME, NAME##Steps},
const LibraryCall kCalls[] = {TWIN_LIBRARY_CALLS(TWIN_LIBRARY_CALL)};
#undef TWIN_LIBRARY_CALL

}  // namespace

const LibraryCall& FindLibraryCall(const char* name) {
    const LibraryCall* const found =
        std::lower_bound(std::begin(kCalls), std::end(kCalls), name,
                         [](const LibraryCall& call, const char* wanted) {
                             return std::strcmp(call.name, wanted) < 0;
                         });
    if (found == std::end(kCalls) || std::strcmp(found->name, name) != 0) {
        std::fprintf(stderr, "cannery: the library has no call %s (device/library/calls.cpp)\n",
                     name);
        std::abort();
    }
    return *found;
}

}  // namespace advanced

namespace {

/// Returns a record of the call with a usual shape.
struct UsualCall {
    UsualCall(const LibraryCall& call, Dtype dtype, uint32_t form) {
        static const char* const kNames[] = {"0", "1", "2", "3", "4", "5", "6"};
        constexpr uint32_t kRows = 16, kColumns = 256, kBytes = 32768;
        shape = {kBytes, form, kRows, kColumns, kColumns, kRows / 2, 1};
        record.library = &call;
        record.shape = &shape;
        record.dtype = dtype;
        record.elements = uint64_t{kRows} * kColumns;
        for (const char* const name : kNames) {
            record.ranges.emplace_back();
            record.ranges.back().operand = name;
        }
    }

    CallShape shape;
    Instruction record;
};

}  // namespace

// The tool that lists the calls in the documentation uses these.
extern "C" {

/// Returns null after the last one.
TWIN_API const char* CanneryLibraryCall(uint32_t index) {
    return index < std::size(advanced::kCalls) ? advanced::kCalls[index].name : nullptr;
}

/// Returns bits: the call begins with a barrier; it ends with one; a barrier comes before its first
/// operand; its steps are listed.
TWIN_API uint32_t CanneryLibraryOrder(uint32_t index, uint32_t dtype, uint32_t form) {
    const UsualCall call(advanced::kCalls[index], static_cast<Dtype>(dtype), form);
    const CallOrder order = OrderOf(call.record);
    std::vector<Instruction> steps;
    return (order.begins ? 1U : 0U) | (order.ends ? 2U : 0U) | (order.late & 1) << 2 |
           (ListSteps(call.record, &steps) ? 8U : 0U);
}

}  // extern "C"
}  // namespace twin
