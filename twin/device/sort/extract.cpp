// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "device/issue/issue.h"
#include "device/issue/steps.h"
#include "device/sort/lists.h"
#include "device/sync/events.h"

namespace twin::sort {
namespace {

/// One GatherMask: packs the element at `offset` of every pair.
void Gather(Core& core, Dtype dtype, Arg name, const Operand& dst, const Operand& sorted,
            uint32_t pairs, uint32_t offset) {
    const uint64_t size = SizeOf(dtype);
    Issue issue(Opcode::Extract, core);
    issue.Type(dtype);
    issue.Work(pairs / kGroup, pairs);
    uint8_t* to = issue.Write(name, dst, Memory::Ub, Runs{pairs * size});
    const uint8_t* from =
        issue.Read(Arg::Sorted, Advance(sorted, offset), Memory::Ub,
                   Runs{size, Level{pairs, kPairBytes}}, offset == 0 ? kBlockBytes : offset);
    // Afterwards the mask register has the mask 0.
    issue.Writes(Register::Mask);
    issue.Writes(Register::GatherKept);
    if (!issue.Ready(Overlap::Apart)) {
        return;
    }
    for (uint64_t i = 0; i < pairs; ++i) {
        std::memmove(to + i * size, from + i * kPairBytes, size);
    }
    core.mask = MaskState{false, 0, 0};
    core.gatherKept = pairs;
    issue.Done();
}

}  // namespace

void RunExtract(Dtype dtype, const Operand& value, const Operand& index, const Operand& sorted,
                int32_t repeats, Location where) {
    const uint32_t pairs = NarrowRepeats("Extract", repeats, where) * kGroup;
    if (pairs == 0) {
        return;
    }
    Core& core = Self();
    // For half the library gathers twice as many indices as there are: it reads after the end of
    // `sorted` and writes after that of `dstIndex`. Strict mode does what the documentation says.
    const uint32_t indices = dtype == Dtype::F16 && !core.strict ? 2 * pairs : pairs;
    const Steps steps(core, Opcode::Extract);
    Gather(core, dtype, Arg::DstValue, value, sorted, pairs, 0);
    IssueBarrier(Opcode::PipeBarrier, Pipe::V, where);
    Gather(core, Dtype::U32, Arg::DstIndex, index, sorted, indices, sizeof(uint32_t));
}

}  // namespace twin::sort
