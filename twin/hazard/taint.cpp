// SPDX-License-Identifier: Apache-2.0
// Bytes that are no data, and whether anybody takes them for data. Kernels compute on whole blocks
// and drop what is too much; so what counts is where the bytes end up.
#include <algorithm>

#include "core/launch_state.h"
#include "hazard/core_checker.h"

namespace twin::hazard {
namespace {

constexpr size_t kMostTaints = 4096;
constexpr uint64_t kMostRatio = 64;  // of elements that an element is computed from, or makes

/// Where byte `offset` of an operand stands, its runs behind each other.
uint64_t PlaceOf(const ByteRange& range, uint64_t offset) {
    const Runs& runs = range.runs;
    const uint64_t run = offset / runs.bytes;
    return range.begin + run / runs.block.count * runs.repeat.stride +
           run % runs.block.count * runs.block.stride + offset % runs.bytes;
}

}  // namespace

bool WritesGm(const Instruction& i) {
    for (const ByteRange& range : i.ranges) {
        if (range.write && range.memory == Memory::Gm) {
            return true;
        }
    }
    return false;
}

bool CoreChecker::PassesOn() const {
    return now_.lane != kScalarRead && !WritesGm(*instruction_) &&
           KindOf(instruction_->opcode) != OpcodeKind::Mixing;
}

uint16_t CoreChecker::NumberOf(bool filler, const ByteRange& range, uint64_t begin, uint64_t end) {
    const auto entry = taintNumbers_.emplace(std::make_pair(uint32_t{now_.site}, filler),
                                             static_cast<uint16_t>(0));
    if (entry.second && taints_.size() < kMostTaints) {
        taints_.push_back({filler, now_, range, begin, end});
        entry.first->second = static_cast<uint16_t>(taints_.size());
    }
    return entry.first->second;
}

/// The current instruction reads what stands in `tainted_` from `known` on, `unwritten` bytes of it
/// for the first time.
void CoreChecker::JudgeTaint(const ByteRange& range, size_t known, uint64_t unwritten) {
    const bool passesOn = PassesOn();
    const bool whole = unwritten == range.runs.TotalBytes();
    for (size_t i = known; i < tainted_.size(); ++i) {
        TaintRun& run = tainted_[i];
        const uint64_t begin = PlaceOf(range, run.offset);
        const uint64_t end = begin + run.bytes;
        if (run.taint != 0) {
            if (!passesOn) {
                UseTaint(taints_[run.taint - 1], range, begin, end);
            }
        } else if (Poisoned(range, begin, end)) {
            if (whole || !passesOn) {
                ReadUnwritten(range, begin, end);
            } else {
                run.taint = NumberOf(false, range, begin, end);
            }
        }
    }
}

void CoreChecker::ReadUnwritten(const ByteRange& range, uint64_t begin, uint64_t end) {
    Report("T820", "never written", nullptr, false, range, begin, end, false);
}

/// Somebody takes such bytes for data.
void CoreChecker::UseTaint(const Taint& taint, const ByteRange& range, uint64_t begin,
                           uint64_t end) {
    if (taint.filler) {
        Report("T822", "filler used as data", &taint.origin, true, range, begin, end, false);
        return;
    }
    // The mistake is where they were read.
    const Access user = now_;
    now_ = taint.origin;
    ReadUnwritten(taint.range, taint.begin, taint.end);
    now_ = user;
}

/// What a pointer has written is in no record: memory that holds something else than it did at the
/// start is not called unwritten. An instruction that works in place has changed it itself.
bool CoreChecker::Poisoned(const ByteRange& range, uint64_t begin, uint64_t end) const {
    for (const ByteRange& other : instruction_->ranges) {
        if (other.write && other.memory == range.memory && other.begin < end &&
            begin < other.begin + other.runs.Span()) {
            return true;
        }
    }
    const uint32_t poison = core_->launch->spec.localPoison;
    const uint8_t* const bytes = BytesAt(range, 0);
    for (uint64_t at = begin; at < end; ++at) {
        if (bytes[at] != static_cast<uint8_t>(poison >> (at % sizeof(poison) * 8))) {
            return false;
        }
    }
    return true;
}

/// Results that were computed from bytes that are no data are none either, element by element.
void CoreChecker::Spread() {
    const Instruction& i = *instruction_;
    // What mixes elements has been judged by what it read.
    const OpcodeKind kind = KindOf(i.opcode);
    if (i.pipe != Pipe::V || kind == OpcodeKind::Moving || kind == OpcodeKind::Mixing) {
        return;
    }
    for (const ByteRange& range : i.ranges) {
        if (!range.write || range.memory != Memory::Ub) {
            continue;
        }
        const uint64_t total = range.runs.TotalBytes();
        for (const TaintRun& run : tainted_) {
            if (run.taint == 0 || total > run.total * kMostRatio ||
                run.total > total * kMostRatio) {
                continue;
            }
            const uint64_t first = run.offset * total / run.total;
            const uint64_t last = (run.offset + run.bytes) * total / run.total;
            for (uint64_t at = first; at < last;) {
                const uint64_t end = std::min(last, at + range.runs.bytes - at % range.runs.bytes);
                const uint64_t begin = PlaceOf(range, at);
                local_[static_cast<size_t>(range.memory)].Visit(
                    begin, begin + end - at,
                    [&](Cell& cell, uint64_t, uint64_t) { cell.taint = run.taint; });
                at = end;
            }
        }
    }
}

}  // namespace twin::hazard
