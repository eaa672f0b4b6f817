// SPDX-License-Identifier: Apache-2.0
#include "hazard/taint.h"

#include <algorithm>
#include <cstring>

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
/// them by the scalar unit, or all results depend on all elements.
bool PassesOn(const CurrentAccess& now) {
    return now.access.lane != kScalarRead && !WritesGm(now.instruction) && !IsIndex(now.range) &&
           (KindOf(now.instruction.opcode) != OpcodeKind::Mixing || now.instruction.follow);
}

/// Returns true if the runs are invalid bits of a mask, but not all bits of the operand. The kernel
/// may read such a word, and then use only the valid bits.
bool IsPartOfMask(const std::vector<TaintedRun>& runs, const CurrentAccess& now,
                  const CoreFindings& findings) {
    uint64_t invalid = 0;
    for (const TaintedRun& run : runs) {
        const Opcode writer = findings.OpcodeOf(run.write);
        if (run.taint == 0 || !(IsCompare(writer) || IsBitwise(writer))) {
            return false;
        }
        invalid += run.bits == kAllBits ? run.bytes : 0;
    }
    return invalid < now.range.runs.TotalBytes();
}

/// Calls visit(from, to) for each run [from, to) of the invalid bits of `run`.
template <typename Visit>
void EachBits(const TaintedRun& run, Visit&& visit) {
    const uint64_t begin = PlaceOf(*run.range, run.offset) * 8;
    if (run.bits == kAllBits) {
        visit(begin, begin + run.bytes * 8);
        return;
    }
    for (uint64_t bit = 0; bit < 8; ++bit) {
        if ((run.bits >> bit & 1U) != 0) {
            visit(begin + bit, begin + bit + 1);
        }
    }
}

bool HasOperand(const Instruction& i, Arg operand) {
    return std::any_of(i.ranges.begin(), i.ranges.end(),
                       [&](const ByteRange& range) { return range.operand == operand; });
}

}  // namespace

bool IsPoison(const Core& core, uint64_t at, uint8_t byte) {
    const uint32_t poison = core.launch->spec.localPoison;
    return byte == static_cast<uint8_t>(poison >> (at % sizeof(poison) * 8));
}

bool WritesGm(const Instruction& i) {
    return std::any_of(i.ranges.begin(), i.ranges.end(), [](const ByteRange& range) {
        return range.write && range.memory == Memory::Gm;
    });
}

bool OverlapsResult(const Instruction& i, const ByteRange& operand) {
    return std::any_of(i.ranges.begin(), i.ranges.end(), [&](const ByteRange& range) {
        return range.write && range.memory == operand.memory &&
               range.begin < operand.begin + operand.runs.Span() &&
               operand.begin < range.begin + range.runs.Span();
    });
}

void Taint::Before(const Instruction& next, const Core& core, LocalMemory* memory) {
    copies_.clear();
    const auto isSource = [](const ByteRange& range) {
        return range.memory == Memory::Ub && !range.write;
    };
    const auto isInvalid = [&](const ByteRange& range) {
        return isSource(range) &&
               memory->AnyInvalid(Memory::Ub, range.begin, range.begin + range.runs.Span());
    };
    const bool inPlace = std::any_of(
        next.ranges.begin(), next.ranges.end(),
        [&](const ByteRange& range) { return isSource(range) && OverlapsResult(next, range); });
    if (!inPlace || std::none_of(next.ranges.begin(), next.ranges.end(), isInvalid)) {
        return;
    }
    for (const ByteRange& range : next.ranges) {
        if (isSource(range)) {
            const uint8_t* const bytes = core.memory[kUb] + range.begin;
            copies_.push_back({range.begin, {bytes, bytes + range.runs.Span()}});
        }
    }
}

/// Returns the byte's value before the instruction, if the instruction reads the byte.
uint8_t Taint::ByteBefore(const Core& core, uint64_t place) const {
    for (const Copy& copy : copies_) {
        if (place >= copy.begin && place - copy.begin < copy.bytes.size()) {
            return copy.bytes[place - copy.begin];
        }
    }
    return core.memory[kUb][place];
}

/// Returns true if the bytes contained their initial pattern before the instruction. If they did
/// not, the kernel has written them through a pointer; such writes are not recorded.
bool Taint::HoldsPoison(const Core& core, uint64_t begin, uint64_t end) const {
    for (uint64_t at = begin; at < end; ++at) {
        if (!IsPoison(core, at, ByteBefore(core, at))) {
            return false;
        }
    }
    return true;
}

uint16_t Taint::NumberOf(Source source, const CurrentAccess& now, uint64_t begin, uint64_t end) {
    const auto entry = numbers_.emplace(std::make_pair(uint32_t{now.access.site}, source),
                                        static_cast<uint16_t>(0));
    if (entry.second && origins_.size() < kMostTaints) {
        origins_.push_back({source, now.access, now.range, begin, end, {}});
        entry.first->second = static_cast<uint16_t>(origins_.size());
    }
    return entry.first->second;
}

/// Returns the origin number for results that an instruction computes from filler by mixing the
/// elements of a row. A finding names this instruction as the use of the filler, not the later
/// instruction that uses the results.
uint16_t Taint::NumberOfMixed(uint16_t filler, const CurrentAccess& now, uint64_t begin,
                              uint64_t end) {
    const uint16_t number = NumberOf(Source::MixedFiller, now, begin, end);
    if (number != 0 && !origins_[number - 1U].filler.Exists()) {
        origins_[number - 1U].filler = origins_[filler - 1U].access;
    }
    return number;
}

void Taint::Judge(const std::vector<TaintedRun>& runs, const CurrentAccess& now, const Core& core,
                  CoreFindings* findings) {
    const bool passesOn = PassesOn(now);
    const bool partOfMask = now.access.lane == kScalarRead && IsPartOfMask(runs, now, *findings);
    const bool mixes = KindOf(now.instruction.opcode) == OpcodeKind::Mixing;
    for (TaintedRun run : runs) {
        const uint64_t begin = PlaceOf(now.range, run.offset);
        const uint64_t end = begin + run.bytes;
        if (run.taint != 0) {
            // A kernel cannot copy less than a byte of a mask, so it may copy some invalid bits.
            if (!passesOn && run.bits == kAllBits && !partOfMask) {
                Use(origins_[run.taint - 1], now, begin, end, findings);
            } else if (passesOn && mixes && origins_[run.taint - 1].source == Source::Filler) {
                run.taint = NumberOfMixed(run.taint, now, begin, end);
            }
        } else if (HoldsPoison(core, begin, end)) {
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
    } else if (origin.source == Source::MixedFiller) {
        findings->Add("T822", "filler used as data", &origin.filler, true, origin.access,
                      {origin.range, origin.begin, origin.end, false});
    } else {
        findings->AddUnwritten(origin.access, origin.range, origin.begin, origin.end);
    }
}

void Taint::SpreadAll(const Instruction& i, const Core& core, LocalMemory* memory) {
    if (i.writes.Has(Register::Best)) {
        best_ = runs_.empty() || !i.follow ? uint16_t{0} : runs_[0].taint;
    }
    // Other instructions that mix elements were already checked when they read the bytes.
    if (i.pipe != Pipe::V || (KindOf(i.opcode) == OpcodeKind::Mixing && !i.follow)) {
        return;
    }
    if (i.reads.Has(Register::CmpMask) && cmpMask_.invalid && !HasOperand(i, Arg::SelMask)) {
        UseCmpMask(i, memory);
    }
    if (i.writes.Has(Register::CmpMask)) {
        cmpMask_ = Mask();
    }
    if (runs_.empty()) {
        return;
    }
    if (i.follow) {
        Follow(i, core, memory);
    } else {
        SpreadElements(i, core, memory);
    }
}

void Taint::UseBest(const Instruction& i, const Access& access, CoreFindings* findings) const {
    const Origin& origin = origins_[best_ - 1U];
    Use(origin, {i, origin.range, access}, origin.begin, origin.end, findings);
}

/// Marks as invalid the results that depend on invalid elements, by the indices of the elements.
void Taint::SpreadElements(const Instruction& i, const Core& core, LocalMemory* memory) {
    const OperandElements elements(i);
    const bool fills = i.writes.Has(Register::CmpMask);
    const bool decides = i.opcode == Opcode::And || i.opcode == Opcode::Or;
    if (decides) {
        SetMarks(core);
    }
    for (const TaintedRun& run : runs_) {
        EachBits(run, [&](uint64_t from, uint64_t to) {
            elements.Dependent(run.range->operand, from, to, [&](uint64_t first, uint64_t last) {
                if (decides) {
                    MarkUndecided(i, core, elements, run, first, last, memory);
                } else {
                    elements.Mark(first, last, run.taint, memory);
                }
                for (uint64_t bit = first; fills && bit < std::min(last, kMaskBits); ++bit) {
                    cmpMask_.invalid = true;
                    cmpMask_.taints[bit] = run.taint;
                }
            });
        });
    }
    if (decides) {
        ClearMarks(i);
    }
}

/// Marks the result bits [first, last) that depend on invalid bits of one operand of And or Or. The
/// other operand may decide a bit alone.
void Taint::MarkUndecided(const Instruction& i, const Core& core, const OperandElements& elements,
                          const TaintedRun& run, uint64_t first, uint64_t last,
                          LocalMemory* memory) const {
    while (first < last) {
        const uint64_t begin = first;
        while (first < last && !IsDecided(i, core, elements, run.range->operand, first)) {
            ++first;
        }
        elements.Mark(begin, first, run.taint, memory);
        ++first;
    }
}

/// Returns true if the other operand of And or Or decides bit number `bit` of the result alone: And
/// with a valid 0 bit, and Or with a valid 1 bit. `operand` has an invalid bit there.
bool Taint::IsDecided(const Instruction& i, const Core& core, const OperandElements& elements,
                      Arg operand, uint64_t bit) const {
    bool decided = false;
    const Arg other = operand == Arg::Src0 ? Arg::Src1 : Arg::Src0;
    elements.Places(other, bit, bit + 1, [&](uint64_t at, uint64_t) {
        const uint64_t place = at / 8;
        const auto mask = static_cast<uint8_t>(1U << at % 8);
        const bool valid = marks_[place] == 0 || (bits_[place] & mask) == 0;
        const bool one = (ByteBefore(core, place) & mask) != 0;
        decided = valid && one == (i.opcode == Opcode::Or);
    });
    return decided;
}

/// Marks the results that the instruction selects by invalid bits of CMPMASK.
void Taint::UseCmpMask(const Instruction& i, LocalMemory* memory) const {
    const OperandElements elements(i);
    const ElementMap bits = elements.CmpMask();
    for (uint64_t bit = 0; bit < kMaskBits; ++bit) {
        if (cmpMask_.taints[bit] != 0) {
            elements.Dependent(bits, bit, bit + 1, [&](uint64_t first, uint64_t last) {
                elements.Mark(first, last, cmpMask_.taints[bit], memory);
            });
        }
    }
}

/// Sets the ByteMarks of the invalid bytes that the instruction reads. The mark m stands for
/// element m - 1 of the result.
std::vector<uint16_t> Taint::SetMarks(const Core& core) {
    marks_.resize(core.memoryBytes[kUb]);
    bits_.resize(core.memoryBytes[kUb], kAllBits);
    std::vector<uint16_t> taints;
    for (const TaintedRun& run : runs_) {
        auto found = std::find(taints.begin(), taints.end(), run.taint);
        if (found == taints.end() && taints.size() < UINT8_MAX) {
            found = taints.insert(taints.end(), run.taint);
        }
        const auto mark =
            static_cast<uint8_t>(std::min<ptrdiff_t>(found - taints.begin() + 1, UINT8_MAX));
        const uint64_t place = PlaceOf(*run.range, run.offset);
        std::memset(&marks_[place], mark, run.bytes);
        std::memset(&bits_[place], run.bits, run.bytes);
    }
    return taints;
}

void Taint::ClearMarks(const Instruction& i) {
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

/// Lets the instruction move the marks of the invalid bytes, as it moves the bytes.
void Taint::Follow(const Instruction& i, const Core& core, LocalMemory* memory) {
    const std::vector<uint16_t> taints = SetMarks(core);
    ByteMarks marks;
    marks.marks[kUb] = marks_.data();
    marks.bytes[kUb] = core.memory[kUb];
    marks.invalidBits = bits_.data();
    i.follow(marks);
    for (const ByteRange& range : i.ranges) {
        if (range.memory != Memory::Ub || !range.write) {
            continue;
        }
        EachRun(range, [&](uint64_t begin, uint64_t end) {
            if (ByteMarks::First(&marks_[begin], end - begin) == 0) {
                return;
            }
            for (uint64_t at = begin; at < end;) {
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
    ClearMarks(i);
}

}  // namespace twin::hazard
