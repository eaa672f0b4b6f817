// SPDX-License-Identifier: Apache-2.0
// The list of all advanced API calls that are recorded as one instruction. The function XSteps
// lists the instructions that the library executes for call X; it is in the file that computes X.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <vector>

#include "core/library_steps.h"
#include "device/library/call.h"

namespace twin {

#define TWIN_CALL(API, KIND) void API##Steps(CallSteps s);
#include "core/opcodes.def"
// TWIN_CALL does not include Axpy and Exp, because core/opcodes.def lists them as instructions.
void AxpySteps(CallSteps s);
void ExpSteps(CallSteps s);

namespace advanced {
namespace {

const LibraryCall kCalls[] = {
#define TWIN_CALL(API, KIND) {Opcode::API, API##Steps},
#include "core/opcodes.def"
    {Opcode::Axpy, AxpySteps},
    {Opcode::Exp, ExpSteps},
};

}  // namespace

const LibraryCall& FindLibraryCall(Opcode opcode) {
    const LibraryCall* const found =
        std::find_if(std::begin(kCalls), std::end(kCalls),
                     [opcode](const LibraryCall& call) { return call.opcode == opcode; });
    if (found == std::end(kCalls)) {
        std::fprintf(stderr, "cannery: the library has no call %s (device/library/calls.cpp)\n",
                     Name(opcode));
        std::abort();
    }
    return *found;
}

}  // namespace advanced

namespace {

/// An instruction record that describes a library call with a typical shape.
struct UsualCall {
    UsualCall(const LibraryCall& call, Dtype dtype, uint32_t form) {
        constexpr uint32_t kRows = 16, kColumns = 256, kBytes = 32768;
        constexpr uint8_t kOperands = 7;
        shape = {kBytes, form, kRows, kColumns, kColumns, kRows / 2, 1};
        record.opcode = call.opcode;
        record.kind = record::Call{&call, &shape};
        record.dtype = dtype;
        record.elements = uint64_t{kRows} * kColumns;
        for (uint8_t operand = 1; operand <= kOperands; ++operand) {
            record.ranges.emplace_back();
            record.ranges.back().operand = static_cast<Arg>(operand);  // the name does not matter
        }
    }

    CallShape shape;
    Instruction record;
};

}  // namespace

// tools/library_calls.py, which lists the calls in the documentation, calls these functions.
extern "C" {

/// Returns the name of call number `index`; returns null after the last call.
TWIN_API const char* CanneryLibraryCall(uint32_t index) {
    return index < std::size(advanced::kCalls) ? Name(advanced::kCalls[index].opcode) : nullptr;
}

/// Returns a sum of: 1 if the call begins with a barrier, 2 if the call ends with a barrier, 4 if a
/// barrier comes before the first use of operand 0, 8 if ListSteps can list the instructions.
TWIN_API uint32_t CanneryLibraryOrder(uint32_t index, uint32_t dtype, uint32_t form) {
    const UsualCall call(advanced::kCalls[index], static_cast<Dtype>(dtype), form);
    const CallOrder order = OrderOf(call.record);
    std::vector<Instruction> steps;
    return (order.begins ? 1U : 0U) | (order.ends ? 2U : 0U) | (order.late & 1) << 2 |
           (ListSteps(call.record, &steps) ? 8U : 0U);
}

}  // extern "C"
}  // namespace twin
