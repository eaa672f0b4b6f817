// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "device/issue/issue.h"
#include "device/sort/lists.h"
#include "device/sort/pairs.h"

namespace twin::sort {
namespace {

/// The bytes between score and index of a half pair: the chip leaves them undefined.
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
    uint8_t pairs[kGroup * kPairBytes];  // dst may overlap the sources in hardware mode
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

void RunSort32(Opcode api, Dtype dtype, const Operand& dst, const Operand& score,
               const Operand& index, int32_t repeats, Location where) {
    const uint32_t groups = NarrowRepeats(Name(api), repeats, where);
    if (groups == 0) {
        return;
    }
    const uint64_t scoreStep = kGroup * SizeOf(dtype);
    const uint64_t indexStep = kGroup * sizeof(uint32_t);
    const uint64_t dstStep = kGroup * kPairBytes;
    Issue issue(api, Self());
    issue.Type(dtype);
    issue.Work(groups, uint64_t{groups} * kGroup);
    uint8_t* to = issue.Write(Arg::Dst, dst, Memory::Ub, Runs{groups * dstStep});
    const uint8_t* scores = issue.Read(Arg::Src0, score, Memory::Ub, Runs{groups * scoreStep});
    const uint8_t* indices = issue.Read(Arg::Src1, index, Memory::Ub, Runs{groups * indexStep});
    issue.As(Dtype::U32);
    if (!issue.Ready(Overlap::Apart)) {
        return;
    }
    for (uint32_t group = 0; group < groups; ++group) {
        SortGroup(to + group * dstStep, scores + group * scoreStep, indices + group * indexStep,
                  dtype);
    }
    issue.Done();
}

}  // namespace twin::sort
