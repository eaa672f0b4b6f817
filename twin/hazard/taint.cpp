// SPDX-License-Identifier: Apache-2.0
#include "hazard/taint.h"

#include <algorithm>

#include "core/launch_state.h"

namespace twin::hazard {
namespace {

constexpr size_t kMostTaints = 4096;
constexpr uint64_t kMostRatio = 64;  // of elements that an element is computed from, or makes

/// Returns the address of byte `offset` of an operand, whose runs are counted one after another.
uint64_t PlaceOf(const ByteRange& range, uint64_t offset) {
    const Runs& runs = range.runs;
    const uint64_t run = offset / runs.bytes;
    return range.begin + run / runs.block.count * runs.repeat.stride +
           run % runs.block.count * runs.block.stride + offset % runs.bytes;
}

bool PassesOn(const CurrentAccess& now) {
    return now.access.lane != kScalarRead && !WritesGm(now.instruction) &&
           KindOf(now.instruction.opcode) != OpcodeKind::Mixing;
}

}  // namespace

bool WritesGm(const Instruction& i) {
    return std::any_of(i.ranges.begin(), i.ranges.end(), [](const ByteRange& range) {
        return range.write && range.memory == Memory::Gm;
    });
}

bool HoldsPoison(const Core& core, const Instruction& i, const ByteRange& range, uint64_t begin,
                 uint64_t end) {
    for (const ByteRange& other : i.ranges) {
        if (other.write && other.memory == range.memory && other.begin < end &&
            begin < other.begin + other.runs.Span()) {
            return true;
        }
    }
    const uint32_t poison = core.launch->spec.localPoison;
    const uint8_t* const bytes = core.memory[static_cast<size_t>(range.memory)];
    for (uint64_t at = begin; at < end; ++at) {
        if (bytes[at] != static_cast<uint8_t>(poison >> (at % sizeof(poison) * 8))) {
            return false;
        }
    }
    return true;
}

uint16_t Taint::NumberOf(bool filler, const CurrentAccess& now, uint64_t begin, uint64_t end) {
    const auto entry = numbers_.emplace(std::make_pair(uint32_t{now.access.site}, filler),
                                        static_cast<uint16_t>(0));
    if (entry.second && origins_.size() < kMostTaints) {
        origins_.push_back({filler, now.access, now.range, begin, end});
        entry.first->second = static_cast<uint16_t>(origins_.size());
    }
    return entry.first->second;
}

void Taint::Judge(const std::vector<TaintedRun>& runs, const CurrentAccess& now, const Core& core,
                  CoreFindings* findings) {
    uint64_t unwritten = 0;
    for (const TaintedRun& run : runs) {
        unwritten += run.taint == 0 ? run.bytes : 0;
    }
    const bool passesOn = PassesOn(now);
    const bool whole = unwritten == now.range.runs.TotalBytes();
    for (TaintedRun run : runs) {
        const uint64_t begin = PlaceOf(now.range, run.offset);
        const uint64_t end = begin + run.bytes;
        if (run.taint != 0) {
            if (!passesOn) {
                Use(origins_[run.taint - 1], now, begin, end, findings);
            }
        } else if (HoldsPoison(core, now.instruction, now.range, begin, end)) {
            if (whole || !passesOn) {
                findings->AddUnwritten(now.access, now.range, begin, end);
            } else {
                run.taint = NumberOf(false, now, begin, end);
            }
        }
        if (run.taint != 0) {
            runs_.push_back(run);
        }
    }
}

/// The instruction takes such bytes for data. If nothing had written them, the mistake is at their
/// first reader.
void Taint::Use(const Origin& origin, const CurrentAccess& now, uint64_t begin, uint64_t end,
                CoreFindings* findings) const {
    if (origin.filler) {
        findings->Add("T822", "filler used as data", &origin.access, true, now.access,
                      {now.range, begin, end, false});
    } else {
        findings->AddUnwritten(origin.access, origin.range, origin.begin, origin.end);
    }
}

void Taint::Spread(const Instruction& i, LocalMemory* memory) const {
    // Instructions that mix elements were judged when they read.
    const OpcodeKind kind = KindOf(i.opcode);
    if (runs_.empty() || i.pipe != Pipe::V || kind == OpcodeKind::Moving ||
        kind == OpcodeKind::Mixing) {
        return;
    }
    for (const ByteRange& range : i.ranges) {
        if (!range.write || range.memory != Memory::Ub) {
            continue;
        }
        const uint64_t total = range.runs.TotalBytes();
        for (const TaintedRun& run : runs_) {
            if (total > run.total * kMostRatio || run.total > total * kMostRatio) {
                continue;
            }
            const uint64_t first = run.offset * total / run.total;
            const uint64_t last = (run.offset + run.bytes) * total / run.total;
            for (uint64_t at = first; at < last;) {
                const uint64_t end = std::min(last, at + range.runs.bytes - at % range.runs.bytes);
                const uint64_t begin = PlaceOf(range, at);
                memory->Taint(range.memory, begin, begin + end - at, run.taint);
                at = end;
            }
        }
    }
}

}  // namespace twin::hazard
