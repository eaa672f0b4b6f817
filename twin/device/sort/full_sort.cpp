// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "device/issue/issue.h"
#include "device/sort/lists.h"
#include "device/sync/events.h"

namespace twin::sort {
namespace {

Operand After(const Operand& operand, uint64_t pairs) {
    return Advance(operand, pairs * kPairBytes);
}

void Barrier(Location where) { IssueBarrier(Opcode::PipeBarrier, Pipe::V, where); }

/// One DataCopy.
void Move(Arg dstName, const Operand& dst, Arg srcName, const Operand& src, uint64_t bytes) {
    Issue issue(Opcode::Sort, Self());
    issue.RecordAs(Opcode::DataCopy);
    issue.Work(1, bytes);
    uint8_t* to = issue.Write(dstName, dst, Memory::Ub, Runs{bytes});
    const uint8_t* from = issue.Read(srcName, src, Memory::Ub, Runs{bytes});
    if (issue.Ready(Overlap::Apart)) {
        std::memmove(to, from, bytes);
        issue.Done();
    }
}

/// Merges lists of `run` pairs at `tmp` into one at dst; the last list is shorter if `left` is not
/// a multiple of `run`.
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

/// One round: every four lists of `run` pairs at `tmp` become one at `dst`.
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
