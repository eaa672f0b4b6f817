// SPDX-License-Identifier: Apache-2.0
#include "device/issue/issue.h"
#include "device/sort/sort.h"

namespace twin::sort {
namespace {

constexpr uint16_t kMaxLength = 4095;
constexpr Opcode kApi = Opcode::MrgSort;
constexpr Arg kListNames[kLists] = {Arg::Src1, Arg::Src2, Arg::Src3, Arg::Src4};

uint64_t BytesOf(const Merge& merge, uint32_t list) {
    return uint64_t{merge.lengths[list]} * kPairBytes;
}

/// Returns the number of lists, 2 to 4. Fails if validBit is not 3, 7 or 15 (T435).
uint32_t ListCount(const Merge& merge) {
    switch (merge.validBit) {
        case 0b0011:
            return 2;
        case 0b0111:
            return 3;
        case 0b1111:
            return 4;
        default:
            Fail("T435",
                 "merge parameters: MrgSort with validBit = 0x%x, expected 3, 7 or 15 for the "
                 "first two, three or four lists",
                 merge.validBit);
    }
}

void CheckLengths(const Core& core, const Merge& merge, uint32_t lists) {
    for (uint32_t i = 0; i < lists; ++i) {
        if (merge.lengths[i] > kMaxLength) {
            Fail("T435",
                 "merge parameters: MrgSort with elementLengths[%u] = %u, expected 0 to %u pairs",
                 i, merge.lengths[i], kMaxLength);
        }
        if (core.strict && merge.suspend && merge.lengths[i] == 0) {
            Fail("T437",
                 "empty list: MrgSort with ifExhaustedSuspension and elementLengths[%u] = 0: "
                 "whether the chip stops at once is not documented\n  try: leave the list out of "
                 "validBit",
                 i);
        }
    }
}

/// Returns how many repeats have an effect: all for four adjacent lists of one length, else one.
uint32_t EffectiveRepeats(const Core& core, const Merge& merge) {
    const uint32_t repeats = NarrowRepeats(Name(kApi), merge.repeats, core.where);
    bool regular = merge.validBit == 0b1111 && !merge.suspend;
    for (uint32_t i = 1; i < kLists; ++i) {
        regular = regular && merge.lengths[i] == merge.lengths[0] &&
                  merge.src[i].address == merge.src[i - 1].address + BytesOf(merge, i - 1);
    }
    if (repeats <= 1 || regular) {
        return repeats;
    }
    if (core.strict) {
        Fail("T436",
             "repeats without effect: MrgSort with %u repeats needs four lists of one length that "
             "follow each other in memory, validBit 15 and no ifExhaustedSuspension; it has "
             "lengths %u, %u, %u, %u, validBit %u%s\n  try: one call per merge",
             repeats, merge.lengths[0], merge.lengths[1], merge.lengths[2], merge.lengths[3],
             merge.validBit, merge.suspend ? ", suspension" : "");
    }
    return 1;
}

/// Merges the lists that start `offset` bytes after `from`; if `dst` is null, only counts the
/// pairs. Returns the number of pairs; `taken` receives how many of them come from each list.
uint64_t MergeOnce(const Merge& merge, uint32_t lists, const uint8_t* const* from, uint64_t offset,
                   uint8_t* dst, uint16_t taken[kLists]) {
    const uint8_t* next[kLists];
    int32_t keys[kLists];
    const auto load = [&](uint32_t list) {
        keys[list] = taken[list] < merge.lengths[list] ? KeyOf(next[list], merge.dtype) : INT32_MIN;
    };
    bool exhausted = false;
    for (uint32_t i = 0; i < lists; ++i) {
        taken[i] = 0;
        next[i] = from[i] + offset;
        load(i);
        exhausted = exhausted || merge.lengths[i] == 0;
    }
    uint64_t total = 0;
    while (!(merge.suspend && exhausted)) {
        uint32_t best = 0;
        for (uint32_t i = 1; i < lists; ++i) {
            best = keys[i] > keys[best] ? i : best;
        }
        if (keys[best] == INT32_MIN) {
            break;
        }
        if (dst != nullptr) {
            std::memcpy(dst + total * kPairBytes, next[best], kPairBytes);
        }
        ++total;
        ++taken[best];
        next[best] += kPairBytes;
        load(best);
        exhausted = taken[best] == merge.lengths[best];
    }
    return total;
}

}  // namespace

void RunMerge(const Merge& merge, Location where) {
    Issue issue(kApi, CoreKind::Aiv, where);
    if (!issue) {
        return;
    }
    Core& core = issue.core();
    const uint32_t lists = ListCount(merge);
    CheckLengths(core, merge, lists);
    const uint32_t repeats = EffectiveRepeats(core, merge);
    if (repeats == 0) {
        return;
    }
    uint64_t step = 0;
    for (uint32_t i = 0; i < lists; ++i) {
        step += BytesOf(merge, i);
    }
    const uint8_t* from[kLists] = {};
    for (uint32_t i = 0; i < lists; ++i) {
        from[i] = issue.Read(kListNames[i], merge.src[i], Memory::Ub,
                             Runs{BytesOf(merge, i), Level(), {repeats, step}}, kPairBytes);
    }
    uint16_t taken[kLists] = {};
    const uint64_t bytes = merge.suspend
                               ? MergeOnce(merge, lists, from, 0, nullptr, taken) * kPairBytes
                               : repeats * step;
    uint8_t* dst = issue.Write(Arg::Dst, merge.dst, Memory::Ub, Runs{bytes});
    issue.Type(merge.dtype);
    issue.Work(repeats, bytes / kPairBytes);
    issue.Writes(Register::Merged);
    issue.Ready(Overlap::Apart);
    for (uint32_t repeat = 0; repeat < repeats; ++repeat) {
        MergeOnce(merge, lists, from, repeat * step, dst + repeat * step, taken);
    }
    std::memcpy(core.results.merged, taken, sizeof(taken));
    core.results.mergedKnown = merge.suspend;
    issue.Done();
}

void ReadMerged(uint16_t counts[kLists], Location where) {
    Issue issue(Opcode::GetMrgSortResult, CoreKind::Aiv, where);
    if (!issue) {
        return;
    }
    const Core& core = issue.core();
    if (core.strict && !core.results.mergedKnown) {
        Fail("T434",
             "register undefined: GetMrgSortResult, but the last MrgSort had no "
             "ifExhaustedSuspension, or there was none\n  try: MrgSort4Info with "
             "ifExhaustedSuspension = true");
    }
    std::memcpy(counts, core.results.merged, sizeof(core.results.merged));
    issue.Reads(Register::Merged);
    issue.Done();
}

}  // namespace twin::sort
