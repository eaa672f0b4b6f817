// SPDX-License-Identifier: Apache-2.0
#include "device/lanes/compare.h"

#include <cinttypes>
#include <cstring>

#include "device/compare/engine.h"
#include "device/lanes/select.h"
#include "device/vec/walk.h"

TWIN_LANES_SELECT(CompareTable, CompareLanes, BestCompare)

namespace twin::compare {
namespace {

using AscendC::CMPMODE;

constexpr uint32_t kBlocks = kRepeatBytes / kBlockBytes;
const char* const kModeNames[] = {"LT", "GT", "EQ", "LE", "GE", "NE"};

/// One source, null data for a scalar.
struct Source {
    const char* name;
    const Operand* place;
    uint32_t block;
    uint32_t repeat;

    uint64_t Span(uint32_t repeats) const {
        return (static_cast<uint64_t>(repeats - 1) * repeat + (kBlocks - 1) * block + 1) *
               kBlockBytes;
    }
};

/// The comparison that the chip makes; int32_t is compared for equality whatever the mode says.
CMPMODE Effective(const Core& core, const char* api, Dtype dtype, CMPMODE mode) {
    const auto index = static_cast<uint32_t>(mode);
    if (index >= lanes::kCompareOps) {
        Fail("T421",
             "compare mode not supported: %s with mode %u, expected LT, GT, EQ, LE, GE or NE", api,
             index);
    }
    if (dtype != Dtype::I32 || mode == CMPMODE::EQ) {
        return mode;
    }
    if (core.strict) {
        Fail(
            "T421",
            "compare mode not supported: %s of int32_t with CMPMODE::%s; the chip compares int32_t "
            "for equality only, and does so whatever the mode says\n  try: CMPMODE::EQ, or Cast to "
            "float first",
            api, kModeNames[index]);
    }
    return CMPMODE::EQ;
}

uint32_t Repeats(const Core& core, const char* api, uint32_t size, const Shape& shape) {
    if (!shape.counted) {
        return shape.repeats;
    }
    const uint64_t bytes = static_cast<uint64_t>(shape.count) * size;
    if (bytes > core.ubBytes) {
        Fail("T402", "count out of range: %s of %u elements, the unified buffer has %" PRIu64 " B",
             api, shape.count, core.ubBytes);
    }
    const auto dropped = static_cast<uint32_t>(bytes % kRepeatBytes / size);
    if (dropped != 0 && core.strict) {
        Fail("T420",
             "count is not whole repeats: %s of %u elements; a repeat has %u elements of this type "
             "and the chip leaves the last %u uncompared\n  try: round the count up to %u, and let "
             "the tensors be that long",
             api, shape.count, kRepeatBytes / size, dropped,
             shape.count - dropped + kRepeatBytes / size);
    }
    return static_cast<uint32_t>(bytes / kRepeatBytes);
}

void CheckApart(const char* api, const Operand& dst, uint64_t dstBytes, const Source& source,
                uint64_t bytes) {
    const uint64_t d = dst.address;
    const uint64_t s = source.place->address;
    if (d == s || d + dstBytes <= s || s + bytes <= d) {
        return;
    }
    Fail("T405",
         "operands overlap: %s writes dst at UB+0x%" PRIx64 " (%" PRIu64
         " B) over its source %s at UB+0x%" PRIx64 " (%" PRIu64 " B)\n  try: separate buffers",
         api, d, dstBytes, source.name, s, bytes);
}

void RecordCompare(Core& core, const char* api, Dtype dtype, const Operand& dst,
                   const Source* sources, uint32_t sourceCount, uint32_t repeats) {
    Instruction instruction;
    instruction.pipe = Pipe::V;
    instruction.opcode = api;
    instruction.dtype = dtype;
    instruction.repeats = repeats;
    instruction.elements = static_cast<uint64_t>(repeats) * kRepeatBytes / SizeOf(dtype);
    instruction.Add(core.Local(Memory::Ub, dst.address, instruction.elements / 8, true));
    for (uint32_t i = 0; i < sourceCount; ++i) {
        ByteRange range =
            core.Local(Memory::Ub, sources[i].place->address, sources[i].Span(1), false);
        range.count = repeats;
        range.stride = static_cast<uint64_t>(sources[i].repeat) * kBlockBytes;
        instruction.Add(range);
    }
    core.Record(instruction);
}

/// Calls run(bits, src0, src1, count) for contiguous pieces.
template <typename Run>
void WalkBits(Core& core, const Operand& dst, const Source* sources, uint32_t sourceCount,
              uint32_t repeats, uint32_t size, Run run) {
    bool contiguous = true;
    for (uint32_t i = 0; i < sourceCount; ++i) {
        contiguous =
            contiguous && sources[i].block == 1 && (repeats == 1 || sources[i].repeat == kBlocks);
    }
    const uint32_t pieces = contiguous ? 1 : repeats * kBlocks;
    const uint64_t count =
        contiguous ? static_cast<uint64_t>(repeats) * kRepeatBytes / size : kBlockBytes / size;
    for (uint32_t piece = 0; piece < pieces; ++piece) {
        const uint8_t* from[2] = {};
        for (uint32_t i = 0; i < sourceCount; ++i) {
            const uint64_t blocks = static_cast<uint64_t>(piece / kBlocks) * sources[i].repeat +
                                    static_cast<uint64_t>(piece % kBlocks) * sources[i].block;
            from[i] = core.ub + sources[i].place->address + blocks * kBlockBytes;
        }
        run(core.ub + dst.address + piece * count / 8, from[0], from[1], count);
    }
}

template <typename Run>
void RunCompare(Core& core, const char* api, Dtype dtype, const Operand& dst, const Source* sources,
                uint32_t sourceCount, const Shape& shape, Run run) {
    const uint32_t size = SizeOf(dtype);
    const uint32_t repeats = Repeats(core, api, size, shape);
    if (repeats == 0) {
        return;
    }
    const uint64_t dstBytes = static_cast<uint64_t>(repeats) * kRepeatBytes / size / 8;
    CheckOperand(core, dst, dstBytes, kBlockBytes, api, "dst");
    for (uint32_t i = 0; i < sourceCount; ++i) {
        const uint64_t span = sources[i].Span(repeats);
        CheckOperand(core, *sources[i].place, span, kBlockBytes, api, sources[i].name);
        if (core.strict) {
            CheckApart(api, dst, dstBytes, sources[i], span);
        }
    }
    if (core.Recording()) {
        RecordCompare(core, api, dtype, dst, sources, sourceCount, repeats);
    }
    WalkBits(core, dst, sources, sourceCount, repeats, size, run);
}

}  // namespace

void RunTensor(Dtype dtype, const Operand& dst, const Operand& src0, const Operand& src1,
               CMPMODE mode, const Shape& shape, Location where) {
    Core& core = Self();
    if (!core.BeginOn(CoreKind::Aiv, where)) {
        return;
    }
    const auto op = static_cast<size_t>(Effective(core, "Compare", dtype, mode));
    const auto function = lanes::BestCompare().tensor[op][static_cast<size_t>(dtype)];
    const Source sources[] = {{"src0", &src0, shape.block0, shape.repeat0},
                              {"src1", &src1, shape.block1, shape.repeat1}};
    RunCompare(core, "Compare", dtype, dst, sources, 2, shape, function);
}

void RunScalar(const char* api, Dtype dtype, const Operand& dst, const Operand& src,
               const void* scalar, CMPMODE mode, const Shape& shape, Location where) {
    Core& core = Self();
    if (!core.BeginOn(CoreKind::Aiv, where)) {
        return;
    }
    const auto op = static_cast<size_t>(Effective(core, api, dtype, mode));
    const auto function = lanes::BestCompare().scalar[op][static_cast<size_t>(dtype)];
    const Source sources[] = {{"src0", &src, shape.block0, shape.repeat0}};
    RunCompare(core, api, dtype, dst, sources, 1, shape,
               [function, scalar](uint8_t* bits, const uint8_t* from, const uint8_t*,
                                  uint64_t count) { function(bits, from, scalar, count); });
}

void RunRegister(Dtype dtype, const Operand& src0, const Operand& src1, CMPMODE mode,
                 const vec::Extent& extent, const AscendC::BinaryRepeatParams& strides,
                 Location where) {
    Core& core = Self();
    if (!core.BeginOn(CoreKind::Aiv, where)) {
        return;
    }
    const auto op = static_cast<size_t>(Effective(core, "Compare", dtype, mode));
    const vec::VecOperand operands[] = {
        {"src0", src0, dtype, strides.src0BlkStride, strides.src0RepStride, false},
        {"src1", src1, dtype, strides.src1BlkStride, strides.src1RepStride, false}};
    vec::Plan plan;
    if (!vec::Prepare(core, "Compare", operands, 2, extent, &plan)) {
        core.cmpMask[0] = core.cmpMask[1] = 0;
        return;
    }
    // Counter mode counts from the first element; the instruction has one repeat all the same.
    uint32_t last = plan.lastElement;
    uint64_t mask[2] = {plan.low, plan.high};
    if (plan.lastCount != 0) {
        last = (plan.repeats > 1 ? plan.perRepeat : plan.lastCount) - 1;
        mask[0] = last >= 63 ? UINT64_MAX : (uint64_t{2} << last) - 1;
        mask[1] = last < 64 ? 0 : last == 127 ? UINT64_MAX : (uint64_t{2} << (last - 64)) - 1;
    }
    uint8_t bits[16] = {};
    const auto function = lanes::BestCompare().tensor[op][static_cast<size_t>(dtype)];
    const uint32_t perBlock = kBlockBytes / SizeOf(dtype);
    for (uint32_t block = 0; block <= last / perBlock; ++block) {
        function(bits + block * perBlock / 8,
                 core.ub + src0.address + uint64_t{block} * strides.src0BlkStride * kBlockBytes,
                 core.ub + src1.address + uint64_t{block} * strides.src1BlkStride * kBlockBytes,
                 perBlock);
    }
    std::memcpy(core.cmpMask, bits, sizeof(bits));
    core.cmpMask[0] &= mask[0];
    core.cmpMask[1] &= mask[1];
}

}  // namespace twin::compare
