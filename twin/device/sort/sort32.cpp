// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "device/issue/issue.h"
#include "device/issue/operand.h"
#include "device/sort/sort.h"
#include "device/sync/events.h"

namespace twin::sort {
namespace {

/// Poison for the two bytes after a half score, which the hardware leaves undefined.
constexpr uint16_t kUndefined = kPoison >> 16;

/// The places of a group's elements, in the order of the sorted scores.
struct GroupOrder {
    uint8_t places[kGroup];

    GroupOrder(const uint8_t* score, Dtype dtype) {
        struct Entry {
            int32_t key;
            uint8_t place;
        };
        Entry entries[kGroup];
        for (uint32_t i = 0; i < kGroup; ++i) {
            entries[i] = Entry{KeyOf(score + i * SizeOf(dtype), dtype), static_cast<uint8_t>(i)};
        }
        std::sort(entries, entries + kGroup, [](const Entry& a, const Entry& b) {
            return a.key > b.key || (a.key == b.key && a.place < b.place);
        });
        for (uint32_t i = 0; i < kGroup; ++i) {
            places[i] = entries[i].place;
        }
    }
};

void SortGroup(uint8_t* dst, const uint8_t* score, const uint8_t* index, Dtype dtype) {
    const uint32_t size = SizeOf(dtype);
    const GroupOrder order(score, dtype);
    uint8_t pairs[kGroup * kPairBytes];  // dst may overlap the sources in hardware mode
    for (uint32_t i = 0; i < kGroup; ++i) {
        uint8_t* pair = pairs + i * kPairBytes;
        const uint32_t place = order.places[i];
        std::memcpy(pair + sizeof(uint16_t), &kUndefined, sizeof(kUndefined));
        std::memcpy(pair, score + place * size, size);
        std::memcpy(pair + sizeof(uint32_t), index + place * sizeof(uint32_t), sizeof(uint32_t));
    }
    std::memcpy(dst, pairs, sizeof(pairs));
}

/// Moves marks (see ByteMarks) of one group. If a score has a mark, all pairs of the group get this
/// mark, because all places depend on the score. Otherwise, marks of indices move with the indices.
void MarkGroup(const ByteMarks& marks, uint8_t* dst, const uint8_t* score, const uint8_t* index,
               Dtype dtype) {
    const uint8_t mark =
        ByteMarks::First(marks.Of(Memory::Ub, score), uint64_t{kGroup} * SizeOf(dtype));
    const uint8_t* const from = marks.Of(Memory::Ub, index);
    uint8_t pairs[kGroup * kPairBytes];
    std::memset(pairs, mark, sizeof(pairs));
    if (mark == 0) {
        const GroupOrder order(score, dtype);
        for (uint32_t i = 0; i < kGroup; ++i) {
            std::memcpy(pairs + i * kPairBytes + sizeof(uint32_t),
                        from + order.places[i] * sizeof(uint32_t), sizeof(uint32_t));
        }
    }
    std::memcpy(marks.Of(Memory::Ub, dst), pairs, sizeof(pairs));
}

/// Issues one GatherMask, which packs the element at byte `offset` of every pair into `dst`.
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
    // GatherMask leaves an empty mask in the mask register.
    issue.Writes(Register::Mask);
    issue.Writes(Register::GatherKept);
    issue.Ready(Overlap::Apart);
    const auto move = [&](const auto& bytes) {
        const uint8_t* const source = bytes.Of(Memory::Ub, from);
        uint8_t* const results = bytes.Of(Memory::Ub, to);
        for (uint64_t i = 0; i < pairs; ++i) {
            std::memmove(results + i * size, source + i * kPairBytes, size);
        }
    };
    issue.Moves(move);
    core.mask = MaskState{false, 0, 0};
    core.gatherKept = pairs;
    issue.Done();
}

Operand After(const Operand& operand, uint64_t pairs) {
    return Advance(operand, pairs * kPairBytes);
}

void Barrier(Location where) { IssueBarrier(Opcode::PipeBarrier, Pipe::V, where); }

/// Issues one DataCopy of `bytes` bytes in UB.
void Move(Arg dstName, const Operand& dst, Arg srcName, const Operand& src, uint64_t bytes) {
    Issue issue(Opcode::Sort, Self());
    issue.RecordAs(Opcode::DataCopy);
    issue.Work(1, bytes);
    uint8_t* to = issue.Write(dstName, dst, Memory::Ub, Runs{bytes});
    const uint8_t* from = issue.Read(srcName, src, Memory::Ub, Runs{bytes});
    issue.Ready(Overlap::Apart);
    std::memmove(to, from, bytes);
    issue.Done();
}

/// Merges the remaining `left` pairs at `tmp`, in lists of `run` pairs, into one list at `dst`. The
/// last list at `tmp` may be shorter.
void MergeTail(Dtype dtype, const Operand& dst, const Operand& tmp, uint32_t run, uint32_t left,
               Location where) {
    const uint32_t lists = (left + run - 1) / run;
    if (lists == 1) {
        Move(Arg::Dst, dst, Arg::Tmp, tmp, uint64_t{left} * kPairBytes);
        return;
    }
    Merge merge = {};
    merge.dtype = dtype;
    merge.dst = dst;
    for (uint32_t i = 0; i < lists; ++i) {
        merge.src[i] = After(tmp, i * run);
        merge.lengths[i] = static_cast<uint16_t>(std::min(run, left - i * run));
    }
    merge.validBit = static_cast<uint16_t>((1U << lists) - 1);
    merge.repeats = 1;
    RunMerge(merge, where);
}

/// Merges every four lists of `run` pairs at `tmp` into one list at `dst`.
void Round(Dtype dtype, const Operand& dst, const Operand& tmp, uint32_t run, uint32_t total,
           Location where) {
    const uint32_t whole = total / (kLists * run);
    if (whole > 0) {
        Merge merge = {};
        merge.dtype = dtype;
        merge.dst = dst;
        for (uint32_t i = 0; i < kLists; ++i) {
            merge.src[i] = After(tmp, i * run);
            merge.lengths[i] = static_cast<uint16_t>(run);
        }
        merge.validBit = 0b1111;
        merge.repeats = static_cast<int32_t>(whole);
        RunMerge(merge, where);
        Barrier(where);
    }
    const uint32_t done = whole * kLists * run;
    if (total > done) {
        MergeTail(dtype, After(dst, done), After(tmp, done), run, total - done, where);
        Barrier(where);
    }
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
    issue.core().ComputesWith(dtype);
    issue.Work(groups, uint64_t{groups} * kGroup);
    uint8_t* to = issue.Write(Arg::Dst, dst, Memory::Ub, Runs{groups * dstStep});
    const uint8_t* scores = issue.Read(Arg::Src0, score, Memory::Ub, Runs{groups * scoreStep});
    const uint8_t* indices = issue.Read(Arg::Src1, index, Memory::Ub, Runs{groups * indexStep});
    issue.As(Dtype::U32);
    issue.Ready(Overlap::Apart);
    for (uint32_t group = 0; group < groups; ++group) {
        SortGroup(to + group * dstStep, scores + group * scoreStep, indices + group * indexStep,
                  dtype);
    }
    const auto follow = [&](const ByteMarks& marks) {
        for (uint32_t group = 0; group < groups; ++group) {
            MarkGroup(marks, to + group * dstStep, scores + group * scoreStep,
                      indices + group * indexStep, dtype);
        }
    };
    issue.Follow(follow);
    issue.Done();
}

void RunExtract(Dtype dtype, const Operand& value, const Operand& index, const Operand& sorted,
                int32_t repeats, Location where) {
    const uint32_t pairs = NarrowRepeats("Extract", repeats, where) * kGroup;
    if (pairs == 0) {
        return;
    }
    Core& core = Self();
    // For half, the library gathers 2 * pairs indices: the gather reads beyond the end of `sorted`
    // and writes beyond the end of `dstIndex`. Strict mode gathers the documented number.
    const uint32_t indices = dtype == Dtype::F16 && !core.strict ? 2 * pairs : pairs;
    const Steps steps(core, Opcode::Extract);
    Gather(core, dtype, Arg::DstValue, value, sorted, pairs, 0);
    IssueBarrier(Opcode::PipeBarrier, Pipe::V, where);
    Gather(core, Dtype::U32, Arg::DstIndex, index, sorted, indices, sizeof(uint32_t));
}

void RunFullSort(Dtype dtype, const Operand& dst, const Operand& tmp, int32_t repeats,
                 Location where) {
    const uint32_t total = NarrowRepeats("Sort", repeats, where) * kGroup;
    if (total == 0) {
        return;
    }
    const uint64_t bytes = uint64_t{total} * kPairBytes;
    Barrier(where);
    Move(Arg::Tmp, tmp, Arg::Dst, dst, bytes);
    Barrier(where);
    for (uint32_t run = kGroup; run < total; run *= kLists) {
        Round(dtype, dst, tmp, run, total, where);
        Move(Arg::Tmp, tmp, Arg::Dst, dst, bytes);
        Barrier(where);
    }
}

}  // namespace twin::sort
