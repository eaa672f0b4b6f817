// SPDX-License-Identifier: Apache-2.0
#include "device/reduce/engine.h"

namespace twin::reduce {
namespace {

void RecordRead(Core& core, const char* api) {
    if (core.Recording()) {
        Instruction instruction;
        instruction.pipe = Pipe::S;
        instruction.opcode = api;
        core.Record(instruction);
    }
}

}  // namespace

BestResult ReadBest(const char* api, Location where) {
    Core& core = Self();
    if (!core.BeginOn(CoreKind::Aiv, where)) {
        return BestResult();
    }
    if (core.strict && !core.results.bestKnown) {
        Fail(
            "T434",
            "register undefined: %s, but no WholeReduceMax, WholeReduceMin, ReduceMax or ReduceMin "
            "over contiguous repeats in normal mask mode comes before it\n  try: srcBlkStride 1 "
            "and srcRepStride 8, or read the result from dst",
            api);
    }
    RecordRead(core, api);
    return BestResult{core.results.bestValue, core.results.bestIndex};
}

uint32_t ReadSum(const char* api, Location where) {
    Core& core = Self();
    if (!core.BeginOn(CoreKind::Aiv, where)) {
        return 0;
    }
    if (core.strict && !core.results.sumKnown) {
        Fail("T434",
             "register undefined: %s, but no ReduceSum with an element count comes before it\n"
             "  try: ReduceSum(dst, src, sharedTmpBuffer, count)",
             api);
    }
    RecordRead(core, api);
    return core.results.sum;
}

}  // namespace twin::reduce
