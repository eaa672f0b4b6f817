// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cinttypes>
#include <cstring>
#include <iterator>

#include "device/fill/engine.h"

namespace twin::fill {
namespace {

constexpr uint32_t kBlocks = kRepeatBytes / kBlockBytes;

void CheckApart(const Operand& dst, uint64_t dstBytes, const Operand& src, uint64_t srcBytes) {
    if (uint64_t{dst.address} + dstBytes <= src.address ||
        uint64_t{src.address} + srcBytes <= dst.address) {
        return;
    }
    Fail("T405",
         "operands overlap: Brcb writes dst at UB+0x%x (%" PRIu64
         " B) over its source at UB+0x%x (%" PRIu64 " B)\n  try: separate buffers",
         dst.address, dstBytes, src.address, srcBytes);
}

uint64_t BlockStride(const Core& core, uint16_t stride) {
    if (stride == 0 && core.strict) {
        Fail("T426",
             "undefined stride: Brcb with dstBlkStride 0; the chip's result is undefined\n  try: "
             "dstBlkStride 1 for blocks behind one another");
    }
    return stride == 0 ? 1 : stride;
}

void RecordBrcb(Core& core, Dtype dtype, const Operand& src, uint64_t srcBytes, LegacyRange range,
                uint8_t repeats, uint64_t step) {
    LegacyInstruction instruction;
    instruction.pipe = Pipe::V;
    instruction.opcode = "Brcb";
    instruction.dtype = dtype;
    instruction.repeats = repeats;
    instruction.elements = uint64_t{repeats} * kRepeatBytes / SizeOf(dtype);
    range.count = repeats;
    range.stride = step;
    instruction.Add(range);
    instruction.Add(core.Local(Memory::Ub, src.address, srcBytes, false));
    core.Record(instruction);
}

template <typename T>
void Spread(uint8_t* dst, const uint8_t* src, uint32_t repeats, uint64_t step, uint64_t block) {
    for (uint32_t i = 0; i < repeats * kBlocks; ++i) {
        T value;
        std::memcpy(&value, src + i * sizeof(T), sizeof(T));
        T row[kBlockBytes / sizeof(T)];
        std::fill(std::begin(row), std::end(row), value);
        std::memcpy(dst + i / kBlocks * step + i % kBlocks * block, row, sizeof(row));
    }
}

}  // namespace

void RunBrcb(Dtype dtype, const Operand& dst, const Operand& src, uint8_t repeats,
             const AscendC::BrcbRepeatParams& strides, Location where) {
    Core& core = Self();
    if (!core.BeginOn(CoreKind::Aiv, where)) {
        return;
    }
    core.mask.low = core.mask.high = UINT64_MAX;  // the library resets the mask first
    if (repeats == 0) {
        return;
    }
    const uint32_t size = SizeOf(dtype);
    const uint64_t block = BlockStride(core, strides.dstBlkStride) * kBlockBytes;
    const uint64_t step = uint64_t{strides.dstRepStride} * kBlockBytes;
    const uint64_t one = (kBlocks - 1) * block + kBlockBytes;
    const uint64_t dstBytes = (repeats - 1) * step + one;
    const uint64_t srcBytes = uint64_t{repeats} * kBlocks * size;
    CheckOperand(core, dst, dstBytes, kBlockBytes, "Brcb", "dst");
    CheckOperand(core, src, srcBytes, kBlockBytes, "Brcb", "src0");
    if (core.strict) {
        CheckApart(dst, dstBytes, src, srcBytes);
    }
    if (core.Recording()) {
        RecordBrcb(core, dtype, src, srcBytes, core.Local(Memory::Ub, dst.address, one, true),
                   repeats, step);
    }
    const auto spread = size == 2 ? Spread<uint16_t> : Spread<uint32_t>;
    spread(core.ub + dst.address, core.ub + src.address, repeats, step, block);
}

}  // namespace twin::fill
