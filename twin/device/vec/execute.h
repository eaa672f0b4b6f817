// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/lanes/arithmetic.h"
#include "device/vec/walk.h"

namespace twin::vec {

/// Returns `function`, or fails if it is null (T404). The headers already refuse wrong types at
/// compile time.
template <typename Function>
Function Require(Function function, Opcode api, Dtype dtype) {
    if (function == nullptr) {
        Fail("T404", "dtype not supported: the vector unit has no %s for %s", Name(api),
             Name(dtype));
    }
    return function;
}

/// Runs a whole arithmetic instruction: `run(pointers, count)` computes results. Execute then
/// applies the core's saturation mode to these results.
template <typename Run>
void Execute(Issue& issue, VecOperand* operands, uint32_t operandCount, const Extent& extent,
             Run run) {
    Plan plan;
    if (!Prepare(issue, operands, operandCount, extent, &plan)) {
        return;
    }
    issue.Reads(Register::Ctrl);
    const lanes::ClampFn clamp =
        issue.core().CtrlBit(kCtrlInfNan)
            ? nullptr
            : lanes::BestCasts().clamp[static_cast<size_t>(operands[0].dtype)];
    if (__builtin_expect(clamp == nullptr, 1)) {
        Walk(operands, operandCount, plan, run);
    } else {
        Walk(operands, operandCount, plan, [run, clamp](uint8_t* const* p, uint64_t n) {
            run(p, n);
            clamp(p[0], n);
        });
    }
    issue.Done();
}

}  // namespace twin::vec
