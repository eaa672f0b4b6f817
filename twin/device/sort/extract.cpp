// SPDX-License-Identifier: Apache-2.0
#include "device/sort/engine.h"
#include "device/sort/pairs.h"
#include "device/sync/events.h"

namespace twin::sort {
namespace {

void RecordHalf(Core& core, Dtype dtype, const Operand& dst, const Operand& sorted,
                uint32_t pairs) {
    if (!core.Recording()) {
        return;
    }
    LegacyInstruction instruction;
    instruction.pipe = Pipe::V;
    instruction.opcode = "Extract";
    instruction.dtype = dtype;
    instruction.elements = pairs;
    instruction.repeats = pairs / kGroup;
    instruction.Add(core.Local(Memory::Ub, dst.address, uint64_t{pairs} * SizeOf(dtype), true));
    instruction.Add(core.Local(Memory::Ub, sorted.address, uint64_t{pairs} * kPairBytes, false));
    core.Record(instruction);
}

/// `size` bytes at `offset` of every pair, packed.
void Gather(Core& core, const Operand& dst, const Operand& sorted, uint32_t pairs, uint32_t offset,
            uint32_t size) {
    for (uint32_t i = 0; i < pairs; ++i) {
        std::memmove(core.ub + dst.address + i * size,
                     core.ub + sorted.address + i * kPairBytes + offset, size);
    }
}

}  // namespace

void RunExtract(Dtype dtype, const Operand& value, const Operand& index, const Operand& sorted,
                int32_t repeats, Location where) {
    Core& core = Self();
    const uint32_t pairs = NarrowRepeats("Extract", repeats, where) * kGroup;
    if (pairs == 0) {
        return;
    }
    // For half the library gathers twice as many indices as there are: what lies behind `sorted`
    // goes behind `dstIndex`. Strict mode keeps to the documented effect.
    const uint32_t indices = dtype == Dtype::F16 && !core.strict ? 2 * pairs : pairs;
    const uint64_t valueBytes = uint64_t{pairs} * SizeOf(dtype);
    const uint64_t indexBytes = uint64_t{indices} * sizeof(uint32_t);
    const uint64_t sortedBytes = uint64_t{indices} * kPairBytes;
    CheckOperand(core, value, valueBytes, kBlockBytes, "Extract", "dstValue");
    CheckOperand(core, index, indexBytes, kBlockBytes, "Extract", "dstIndex");
    CheckOperand(core, sorted, sortedBytes, kBlockBytes, "Extract", "sorted");
    RefuseOverlap(core, "Extract", value, valueBytes, "sorted", sorted, sortedBytes);
    RefuseOverlap(core, "Extract", index, indexBytes, "sorted", sorted, sortedBytes);
    RecordHalf(core, dtype, value, sorted, pairs);
    Gather(core, value, sorted, pairs, 0, SizeOf(dtype));
    IssueBarrier("PipeBarrier", Pipe::V, where);
    RecordHalf(core, Dtype::U32, index, sorted, indices);
    Gather(core, index, sorted, indices, sizeof(uint32_t), sizeof(uint32_t));
    // Both steps are a GatherMask with mask 0, which stays in the mask register.
    core.mask = MaskState{false, 0, 0};
    core.gatherKept = indices;
}

}  // namespace twin::sort
