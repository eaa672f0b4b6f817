// SPDX-License-Identifier: Apache-2.0
#include "hazard/taint.h"

#include <algorithm>

#include "core/launch_state.h"
#include "hazard/memories.h"
#include "hazard/operand_elements.h"

namespace twin::hazard {
namespace {

constexpr size_t kMostTaints = 4096;
constexpr uint64_t kMaskBits = 128;  // bits of CMPMASK
constexpr auto kUb = static_cast<size_t>(Memory::Ub);

bool IsIndex(const ByteRange& range) {
    return range.operand == Arg::SrcOffset || range.operand == Arg::Offset;
}

/// Returns true if invalid bytes of the operand only make results in UB invalid. Returns false if
/// the instruction uses the bytes as data: it copies them to GM or uses them as offsets, or reads
/// them by the scalar unit, or a result depends on all elements.
bool PassesOn(const CurrentAccess& now) {
    return now.access.lane != kScalarRead && !WritesGm(now.instruction) && !IsIndex(now.range) &&
           KindOf(now.instruction.opcode) != OpcodeKind::Mixing;
}

/// Calls visit(first, last) for each run [first, last) of the operand's elements that contain
/// invalid bits of `run`.
template <typename Visit>
void EachElements(const TaintedRun& run, const OperandElements& of, Visit&& visit) {
    const uint64_t begin = of.Begin(*run.range) + run.offset * 8;
    const uint64_t size = of.Bits();
    if (run.bits == kAllBits) {
        visit(begin / size, (begin + run.bytes * 8 + size - 1) / size);
        return;
    }
    for (uint64_t bit = 0; bit < 8; ++bit) {
        if ((run.bits >> bit & 1U) != 0) {
            visit((begin + bit) / size, (begin + bit) / size + 1);
        }
    }
}

/// Returns the names of the operands that the instruction writes in UB, each name once. Leaves out
/// the scratch memory of a library call, which contains no results.
std::vector<Arg> ResultsOf(const Instruction& i) {
    std::vector<Arg> found;
    for (const ByteRange& range : i.ranges) {
        if (range.write && range.memory == Memory::Ub && range.operand != Arg::SharedTmpBuffer &&
            std::find(found.begin(), found.end(), range.operand) == found.end()) {
            found.push_back(range.operand);
        }
    }
    return found;
}

bool HasOperand(const Instruction& i, Arg operand) {
    return std::any_of(i.ranges.begin(), i.ranges.end(),
                       [&](const ByteRange& range) { return range.operand == operand; });
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

uint16_t Taint::NumberOf(Source source, const CurrentAccess& now, uint64_t begin, uint64_t end) {
    const auto entry = numbers_.emplace(std::make_pair(uint32_t{now.access.site}, source),
                                        static_cast<uint16_t>(0));
    if (entry.second && origins_.size() < kMostTaints) {
        origins_.push_back({source, now.access, now.range, begin, end});
        entry.first->second = static_cast<uint16_t>(origins_.size());
    }
    return entry.first->second;
}

void Taint::Judge(const std::vector<TaintedRun>& runs, const CurrentAccess& now, const Core& core,
                  CoreFindings* findings) {
    const bool passesOn = PassesOn(now);
    for (TaintedRun run : runs) {
        const uint64_t begin = PlaceOf(now.range, run.offset);
        const uint64_t end = begin + run.bytes;
        if (run.taint != 0) {
            // A kernel cannot copy less than a byte of a mask, so it may copy some invalid bits.
            if (!passesOn && run.bits == kAllBits) {
                Use(origins_[run.taint - 1], now, begin, end, findings);
            }
        } else if (HoldsPoison(core, now.instruction, now.range, begin, end)) {
            if (passesOn) {
                run.taint = NumberOf(Source::Unwritten, now, begin, end);
            } else {
                findings->AddUnwritten(now.access, now.range, begin, end);
            }
        }
        if (run.taint != 0) {
            runs_.push_back(run);
        }
    }
}

/// Reports that the instruction uses invalid bytes as data. For bytes that nothing had written, the
/// finding names their first reader.
void Taint::Use(const Origin& origin, const CurrentAccess& now, uint64_t begin, uint64_t end,
                CoreFindings* findings) const {
    if (origin.source == Source::Filler) {
        findings->Add("T822", "filler used as data", &origin.access, true, now.access,
                      {now.range, begin, end, false});
    } else {
        findings->AddUnwritten(origin.access, origin.range, origin.begin, origin.end);
    }
}

void Taint::SpreadAll(const Instruction& i, const Core& core, LocalMemory* memory) {
    // Instructions that mix elements were already checked when they read the bytes.
    if (i.pipe != Pipe::V || KindOf(i.opcode) == OpcodeKind::Mixing) {
        return;
    }
    if (i.follow) {
        if (!runs_.empty()) {
            Follow(i, core, memory);
        }
    } else {
        SpreadElements(i, memory);
    }
    if (i.reads.Has(Register::CmpMask) && cmpMask_.invalid && !HasOperand(i, Arg::SelMask)) {
        UseCmpMask(i, memory);
    }
    if (i.writes.Has(Register::CmpMask)) {
        SetCmpMask(i);
    }
}

/// Marks as invalid the results that depend on invalid elements, by the numbers of the elements.
void Taint::SpreadElements(const Instruction& i, LocalMemory* memory) const {
    for (const Arg name : ResultsOf(i)) {
        const OperandElements to(i, name, true);
        for (const TaintedRun& run : runs_) {
            const OperandElements from(i, run.range->operand, false);
            const Dependence dependence(i, from, to);
            EachElements(run, from, [&](uint64_t first, uint64_t last) {
                dependence.Each(first, last, [&](uint64_t one, uint64_t other) {
                    to.Mark(one, other, run.taint, memory);
                });
            });
        }
    }
}

/// Marks the results that the instruction selects by invalid bits of CMPMASK. Each repeat uses the
/// same bits.
void Taint::UseCmpMask(const Instruction& i, LocalMemory* memory) const {
    for (const Arg name : ResultsOf(i)) {
        const OperandElements to(i, name, true);
        const uint64_t step = to.PerRepeat();
        for (uint64_t bit = 0; bit < std::min(kMaskBits, step); ++bit) {
            for (uint64_t at = bit; cmpMask_.taints[bit] != 0 && at < to.Count(); at += step) {
                to.Mark(at, at + 1, cmpMask_.taints[bit], memory);
            }
        }
    }
}

/// Notes which bits of CMPMASK the instruction computes from invalid bytes.
void Taint::SetCmpMask(const Instruction& i) {
    cmpMask_ = Mask();
    for (const TaintedRun& run : runs_) {
        const OperandElements from(i, run.range->operand, false);
        EachElements(run, from, [&](uint64_t first, uint64_t last) {
            for (uint64_t bit = first; bit < std::min(last, kMaskBits); ++bit) {
                cmpMask_.invalid = true;
                cmpMask_.taints[bit] = run.taint;
            }
        });
    }
}

/// Lets the instruction move the marks of the invalid bytes, as it moves the bytes.
void Taint::Follow(const Instruction& i, const Core& core, LocalMemory* memory) {
    marks_.resize(core.memoryBytes[kUb]);
    bits_.resize(core.memoryBytes[kUb], kAllBits);
    std::vector<uint16_t> taints;  // the mark i + 1 stands for taints[i]
    for (const TaintedRun& run : runs_) {
        auto found = std::find(taints.begin(), taints.end(), run.taint);
        if (found == taints.end() && taints.size() < UINT8_MAX) {
            found = taints.insert(taints.end(), run.taint);
        }
        const auto mark =
            static_cast<uint8_t>(std::min<ptrdiff_t>(found - taints.begin() + 1, UINT8_MAX));
        for (uint64_t byte = 0; byte < run.bytes; ++byte) {
            const uint64_t place = PlaceOf(*run.range, run.offset + byte);
            marks_[place] = mark;
            bits_[place] = run.bits;
        }
    }
    ByteMarks marks;
    marks.marks[kUb] = marks_.data();
    marks.bytes[kUb] = core.memory[kUb];
    marks.invalidBits = bits_.data();
    i.follow(marks);
    for (const ByteRange& range : i.ranges) {
        if (range.memory != Memory::Ub) {
            continue;
        }
        EachRun(range, [&](uint64_t begin, uint64_t end) {
            for (uint64_t at = begin; range.write && at < end;) {
                uint64_t stop = at + 1;
                while (stop < end && marks_[stop] == marks_[at]) {
                    ++stop;
                }
                if (marks_[at] != 0) {
                    memory->Taint(Memory::Ub, at, stop, taints[marks_[at] - 1U]);
                }
                at = stop;
            }
        });
    }
    for (const ByteRange& range : i.ranges) {
        if (range.memory == Memory::Ub) {
            EachRun(range, [&](uint64_t begin, uint64_t end) {
                std::fill(marks_.begin() + static_cast<ptrdiff_t>(begin),
                          marks_.begin() + static_cast<ptrdiff_t>(end), uint8_t{0});
                std::fill(bits_.begin() + static_cast<ptrdiff_t>(begin),
                          bits_.begin() + static_cast<ptrdiff_t>(end), kAllBits);
            });
        }
    }
}

}  // namespace twin::hazard
