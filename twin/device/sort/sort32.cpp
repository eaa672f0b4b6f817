// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cinttypes>

#include "device/sort/engine.h"
#include "device/sort/pairs.h"

namespace twin::sort {
namespace {

/// What stands between score and index of a half pair: the chip leaves it undefined.
constexpr uint16_t kUndefined = kPoison >> 16;

void SortGroup(uint8_t* dst, const uint8_t* score, const uint8_t* index, Dtype dtype) {
    const uint32_t size = SizeOf(dtype);
    struct Entry {
        int32_t key;
        uint8_t place;
    };
    Entry entries[kGroup];
    for (uint32_t i = 0; i < kGroup; ++i) {
        entries[i] = Entry{KeyOf(score + i * size, dtype), static_cast<uint8_t>(i)};
    }
    std::sort(entries, entries + kGroup, [](const Entry& a, const Entry& b) {
        return a.key > b.key || (a.key == b.key && a.place < b.place);
    });
    uint8_t pairs[kGroup * kPairBytes];  // dst may lie over the sources in hardware mode
    for (uint32_t i = 0; i < kGroup; ++i) {
        uint8_t* pair = pairs + i * kPairBytes;
        std::memcpy(pair + sizeof(uint16_t), &kUndefined, sizeof(kUndefined));
        std::memcpy(pair, score + entries[i].place * size, size);
        std::memcpy(pair + sizeof(uint32_t), index + entries[i].place * sizeof(uint32_t),
                    sizeof(uint32_t));
    }
    std::memcpy(dst, pairs, sizeof(pairs));
}

}  // namespace

void RefuseOverlap(const Core& core, const char* api, const Operand& dst, uint64_t dstBytes,
                   const char* srcName, const Operand& src, uint64_t srcBytes) {
    const uint64_t d = dst.address;
    const uint64_t s = src.address;
    if (core.strict && d < s + srcBytes && s < d + dstBytes) {
        Fail("T405",
             "operands overlap: %s writes UB+0x%" PRIx64 " (%" PRIu64
             " B) over its source %s at UB+0x%" PRIx64 " (%" PRIu64 " B)\n  try: separate buffers",
             api, d, dstBytes, srcName, s, srcBytes);
    }
}

uint8_t NarrowRepeats(const char* api, int32_t repeats, Location where) {
    Core& core = Self();
    if (!core.BeginOn(CoreKind::Aiv, where)) {
        return 0;
    }
    if (core.strict && (repeats < 0 || repeats > static_cast<int32_t>(kMaxRepeat))) {
        Fail("T430",
             "repeat count out of range: %s with repeatTime = %d, expected 0 to %u: the chip keeps "
             "the low 8 bits\n  try: several calls of at most 255 repeats",
             api, repeats, kMaxRepeat);
    }
    return static_cast<uint8_t>(repeats);
}

void RunSort32(const char* api, Dtype dtype, const Operand& dst, const Operand& score,
               const Operand& index, int32_t repeats, Location where) {
    Core& core = Self();
    const uint32_t groups = NarrowRepeats(api, repeats, where);
    if (groups == 0) {
        return;
    }
    const uint32_t scoreStep = kGroup * SizeOf(dtype);
    const uint32_t indexStep = kGroup * sizeof(uint32_t);
    const uint32_t dstStep = kGroup * kPairBytes;
    CheckOperand(core, dst, uint64_t{groups} * dstStep, kBlockBytes, api, "dst");
    CheckOperand(core, score, uint64_t{groups} * scoreStep, kBlockBytes, api, "src0");
    CheckOperand(core, index, uint64_t{groups} * indexStep, kBlockBytes, api, "src1");
    RefuseOverlap(core, api, dst, uint64_t{groups} * dstStep, "src0", score, groups * scoreStep);
    RefuseOverlap(core, api, dst, uint64_t{groups} * dstStep, "src1", index, groups * indexStep);
    if (core.Recording()) {
        LegacyInstruction instruction;
        instruction.pipe = Pipe::V;
        instruction.opcode = api;
        instruction.dtype = dtype;
        instruction.elements = groups * kGroup;
        instruction.repeats = groups;
        instruction.Add(core.Local(Memory::Ub, dst.address, groups * dstStep, true));
        instruction.Add(core.Local(Memory::Ub, score.address, groups * scoreStep, false));
        instruction.Add(core.Local(Memory::Ub, index.address, groups * indexStep, false));
        core.Record(instruction);
    }
    for (uint32_t group = 0; group < groups; ++group) {
        SortGroup(core.ub + dst.address + group * dstStep,
                  core.ub + score.address + group * scoreStep,
                  core.ub + index.address + group * indexStep, dtype);
    }
}

}  // namespace twin::sort
