// SPDX-License-Identifier: Apache-2.0
#include "device/issue/issue.h"
#include "device/reduce/request.h"

namespace twin::reduce {
BestResult ReadBest(Opcode api, Location where) {
    Issue issue(api, CoreKind::Aiv, where);
    const Core& core = issue.core();
    if (!issue) {
        return BestResult();
    }
    if (core.strict && !core.results.bestKnown) {
        Fail(
            "T434",
            "register undefined: %s, but no WholeReduceMax, WholeReduceMin, ReduceMax or ReduceMin "
            "over contiguous repeats in normal mask mode comes before it\n  try: srcBlkStride 1 "
            "and srcRepStride 8, or read the result from dst",
            Name(api));
    }
    issue.Reads(Register::Best);
    issue.Done();
    return BestResult{core.results.bestValue, core.results.bestIndex};
}

uint32_t ReadSum(Opcode api, Location where) {
    Issue issue(api, CoreKind::Aiv, where);
    const Core& core = issue.core();
    if (!issue) {
        return 0;
    }
    if (core.strict && !core.results.sumKnown) {
        Fail("T434",
             "register undefined: %s, but no ReduceSum with an element count comes before it\n"
             "  try: ReduceSum(dst, src, sharedTmpBuffer, count)",
             Name(api));
    }
    issue.Reads(Register::Sum);
    issue.Done();
    return core.results.sum;
}

}  // namespace twin::reduce
