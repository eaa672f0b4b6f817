// SPDX-License-Identifier: Apache-2.0
#include "device/compare/compare.h"

#include <cinttypes>
#include <cstring>

#include "device/lanes/reduce.h"
#include "device/vec/walk.h"

namespace twin::compare {
namespace {

using AscendC::CMPMODE;

constexpr uint32_t kBlocks = kRepeatBytes / kBlockBytes;
const char* const kModeNames[] = {"LT", "GT", "EQ", "LE", "GE", "NE"};

/// One source tensor of a comparison, with its strides in blocks of 32 B.
struct Source {
    Arg name;
    const Operand* place;
    uint32_t block;
    uint32_t repeat;
    const uint8_t* start = nullptr;

    Runs Frame(uint32_t repeats) const {
        return Runs{kBlockBytes,
                    {kBlocks, uint64_t{block} * kBlockBytes},
                    {repeats, uint64_t{repeat} * kBlockBytes}};
    }
};

/// Returns the hardware's mode: for int32_t always EQ. Strict mode refuses other modes (T421).
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
    if (bytes > core.UbBytes()) {
        Fail("T402", "count out of range: %s of %u elements, the unified buffer has %" PRIu64 " B",
             api, shape.count, core.UbBytes());
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

/// Calls run(bits, src0, src1, count) for each group of elements that has no gaps in any source.
template <typename Run>
void WalkBits(uint8_t* dst, const Source* sources, uint32_t sourceCount, uint32_t repeats,
              uint32_t size, Run run) {
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
            from[i] = sources[i].start + blocks * kBlockBytes;
        }
        run(dst + piece * count / 8, from[0], from[1], count);
    }
}

template <typename Run>
void RunCompare(Issue& issue, Dtype dtype, const Operand& dst, Source* sources,
                uint32_t sourceCount, const Shape& shape, Run run) {
    const uint32_t size = SizeOf(dtype);
    const uint32_t repeats = Repeats(issue.core(), issue.api(), size, shape);
    if (repeats == 0) {
        return;
    }
    const uint64_t perRepeat = kRepeatBytes / size / 8;  // bytes of result bits in a repeat
    Runs bits;
    bits.bytes = repeats * perRepeat;
    bits.pace = perRepeat;
    issue.Type(dtype);
    issue.core().ComputesWith(dtype);
    issue.Work(repeats, bits.bytes * 8);
    uint8_t* to = issue.Write(Arg::Dst, dst, Memory::Ub, bits);
    issue.As(Dtype::U8);
    for (uint32_t i = 0; i < sourceCount; ++i) {
        sources[i].start =
            issue.Read(sources[i].name, *sources[i].place, Memory::Ub, sources[i].Frame(repeats));
    }
    issue.Ready();
    if (!issue.Mixed()) {
        WalkBits(to, sources, sourceCount, repeats, size, run);
        issue.Done();
        return;
    }
    for (uint32_t repeat = 0; repeat < repeats; ++repeat, to += perRepeat) {
        uint8_t stage[kRepeatBytes / 8];  // a repeat reads all elements before it writes
        WalkBits(stage, sources, sourceCount, 1, size, run);
        std::memcpy(to, stage, perRepeat);
        for (uint32_t i = 0; i < sourceCount; ++i) {
            sources[i].start += uint64_t{sources[i].repeat} * kBlockBytes;
        }
    }
    issue.Done();
}

}  // namespace

void RunTensor(Dtype dtype, const Operand& dst, const Operand& src0, const Operand& src1,
               CMPMODE mode, const Shape& shape, Location where) {
    Issue issue(Opcode::Compare, CoreKind::Aiv, where);
    if (!issue) {
        return;
    }
    const auto op = static_cast<size_t>(Effective(issue.core(), issue.api(), dtype, mode));
    const auto function = lanes::BestCompare().tensor[op][static_cast<size_t>(dtype)];
    Source sources[] = {{Arg::Src0, &src0, shape.block0, shape.repeat0},
                        {Arg::Src1, &src1, shape.block1, shape.repeat1}};
    RunCompare(issue, dtype, dst, sources, 2, shape, function);
}

void RunScalar(Opcode api, Dtype dtype, const Operand& dst, const Operand& src, const void* scalar,
               CMPMODE mode, const Shape& shape, Location where) {
    Issue issue(api, CoreKind::Aiv, where);
    if (!issue) {
        return;
    }
    const auto op = static_cast<size_t>(Effective(issue.core(), issue.api(), dtype, mode));
    const auto function = lanes::BestCompare().scalar[op][static_cast<size_t>(dtype)];
    Source sources[] = {{Arg::Src0, &src, shape.block0, shape.repeat0}};
    RunCompare(issue, dtype, dst, sources, 1, shape,
               [function, scalar](uint8_t* bits, const uint8_t* from, const uint8_t*,
                                  uint64_t count) { function(bits, from, scalar, count); });
}

void RunRegister(Dtype dtype, const Operand& src0, const Operand& src1, CMPMODE mode,
                 const vec::Extent& extent, const AscendC::BinaryRepeatParams& strides,
                 Location where) {
    Issue issue(Opcode::Compare, CoreKind::Aiv, where);
    if (!issue) {
        return;
    }
    Core& core = issue.core();
    const auto op = static_cast<size_t>(Effective(core, issue.api(), dtype, mode));
    vec::VecOperand operands[] = {
        {Arg::Src0, src0, dtype, strides.src0BlkStride, strides.src0RepStride, false},
        {Arg::Src1, src1, dtype, strides.src1BlkStride, strides.src1RepStride, false}};
    vec::Plan plan;
    if (!vec::Prepare(issue, operands, 2, extent, &plan)) {
        core.cmpMask[0] = core.cmpMask[1] = 0;
        return;
    }
    // This instruction processes only one repeat, even if the count of counter mode is larger.
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
        function(bits + block * perBlock / 8, operands[0].At(0, block * perBlock),
                 operands[1].At(0, block * perBlock), perBlock);
    }
    std::memcpy(core.cmpMask, bits, sizeof(bits));
    core.cmpMask[0] &= mask[0];
    core.cmpMask[1] &= mask[1];
    issue.Writes(Register::CmpMask);
    issue.Done();
}

}  // namespace twin::compare
