// SPDX-License-Identifier: Apache-2.0
// This file checks how the operands of an instruction overlap.
#include <algorithm>
#include <cinttypes>
#include <vector>

#include "core/memory_map.h"
#include "device/issue/issue.h"
#include "device/issue/operand.h"

namespace twin {
namespace {

/// Calls visit(repeat, begin, bytes) for every contiguous piece of `runs`.
template <typename Visit>
void VisitRuns(uint64_t begin, const Runs& runs, Visit visit) {
    if (runs.pace != 0) {
        uint32_t repeat = 0;
        for (uint64_t at = 0; at < runs.bytes; at += runs.pace) {
            visit(repeat++, begin + at, std::min(runs.pace, runs.bytes - at));
        }
        return;
    }
    for (uint64_t repeat = 0; repeat < runs.repeat.count; ++repeat) {
        for (uint64_t block = 0; block < runs.block.count; ++block) {
            visit(static_cast<uint32_t>(repeat),
                  begin + repeat * runs.repeat.stride + block * runs.block.stride, runs.bytes);
        }
    }
}

bool SameFrame(const Runs& a, const Runs& b) {
    return a.bytes == b.bytes && a.block.count == b.block.count &&
           a.block.stride == b.block.stride && a.repeat.count == b.repeat.count &&
           a.repeat.stride == b.repeat.stride;
}

bool OneRepeat(const Runs& runs) {
    return runs.pace == 0 ? runs.repeat.count == 1 : runs.bytes <= runs.pace;
}

/// Returns true if the repeats of `a` are in the gaps between the repeats of `b`, with the same
/// stride. Then the operands have no common bytes, although their address ranges overlap.
bool Interleave(const NotedOperand& a, const NotedOperand& b) {
    const uint64_t stride = a.runs.repeat.stride;
    const bool frames =
        a.runs.pace == 0 && b.runs.pace == 0 && a.span <= a.runs.Span() && b.span <= b.runs.Span();
    if (!frames || stride == 0 || stride != b.runs.repeat.stride) {
        return false;
    }
    const uint64_t later = a.begin >= b.begin ? (a.begin - b.begin) % stride
                                              : stride - 1 - (b.begin - a.begin - 1) % stride;
    return later >= b.runs.block.Span() + b.runs.bytes &&
           later + a.runs.block.Span() + a.runs.bytes <= stride;
}

/// Returns true if each result is written to the address of its source element, or to a lower one.
bool KeepsStep(const NotedOperand& write, const NotedOperand& read) {
    const Runs& to = write.runs;
    const Runs& from = read.runs;
    if (write.begin != read.begin) {
        return false;
    }
    return to.pace != 0 && from.pace != 0 ? to.pace <= from.pace
                                          : to.pace == from.pace && SameFrame(to, from);
}

/// Returns true for the usual safe overlaps, which are found without comparing single bytes.
bool IsHarmless(const NotedOperand& write, const NotedOperand& read) {
    const Runs& to = write.runs;
    if (!write.pieces && !read.pieces && (OneRepeat(to) || OneRepeat(read.runs))) {
        return true;  // only one repeat, which reads its source before it writes
    }
    // CANN allows a repeat stride of 0 in both operands: each repeat reads the previous result.
    return KeepsStep(write, read) && (to.pace != 0 || to.repeat.stride == 0 ||
                                      to.repeat.stride >= to.block.Span() + to.bytes);
}

/// Returns true if a repeat writes bytes that a later repeat reads.
bool Overtakes(const NotedOperand& write, const NotedOperand& read) {
    const uint64_t low = std::max(write.begin, read.begin);
    const uint64_t high = std::min(write.End(), read.End());
    static thread_local std::vector<uint32_t> lastReader;
    lastReader.assign(high - low, 0);
    const auto note = [&](uint32_t repeat, uint64_t begin, uint64_t bytes) {
        for (uint64_t at = std::max(begin, low); at < std::min(begin + bytes, high); ++at) {
            lastReader[at - low] = std::max(lastReader[at - low], repeat);
        }
    };
    bool overtakes = false;
    const auto test = [&](uint32_t repeat, uint64_t begin, uint64_t bytes) {
        for (uint64_t at = std::max(begin, low); at < std::min(begin + bytes, high); ++at) {
            overtakes = overtakes || lastReader[at - low] > repeat;
        }
    };
    read.pieces ? read.pieces(note) : VisitRuns(read.begin, read.runs, note);
    write.pieces ? write.pieces(test) : VisitRuns(write.begin, write.runs, test);
    return overtakes;
}

const char* PositionName(uint8_t position) {
    static const char* const kNames[] = {
        "GM",  "A1",    "A2",     "B1",      "B2",  "C1",   "C2",        "CO1",
        "CO2", "VECIN", "VECOUT", "VECCALC", "SHM", "TSCM", "C2PIPE2GM", "C2PIPE2LOCAL"};
    return position < 16 ? kNames[position] : "?";
}

}  // namespace

void Issue::Refuse(const Entry& write, const Entry& other, Overlap rule) const {
    const bool library = rule == Overlap::Library || rule == Overlap::InPlace;
    const char* memory = Name(write.memory);
    Fail(library ? "T702" : "T405",
         "%s: %s writes %s at %s+0x%" PRIx64 " (%" PRIu64 " B) over its %s %s at %s+0x%" PRIx64
         " (%" PRIu64 " B)%s",
         library ? "source overwritten" : "operands overlap", api_, Name(write.name), memory,
         write.begin, write.span, other.write ? "operand" : "source", Name(other.name), memory,
         other.begin, other.span,
         rule == Overlap::ByRepeat
             ? ": a repeat overwrites what a later one still has to read\n  try: separate buffers, "
               "or exactly in place"
             : (rule == Overlap::InPlace ? "\n  try: a separate destination, or exactly in place"
                                         : "\n  try: separate buffers"));
}

/// Checks two operands whose addresses overlap. Returns false if a library call in hardware mode
/// overwrites data that it still has to read.
bool Issue::Judge(const Entry& write, const Entry& other, Overlap rule) {
    const bool library = rule == Overlap::InPlace || rule == Overlap::Library;
    if (write.memory == Memory::Gm || write.memory != other.memory || rule == Overlap::Free ||
        (rule == Overlap::Apart && !core_.strict) ||
        (other.write && !(library && &other > &write)) || Interleave(write, other) ||
        (library && write.name == Arg::SharedTmpBuffer)) {  // the call checks its scratch itself
        return true;
    }
    if (rule != Overlap::ByRepeat && write.name == other.name && write.begin == other.begin) {
        return true;  // one operand that is read and written
    }
    switch (rule) {
        case Overlap::ByRepeat:
            inPlace_ = true;
            mixed_ = mixed_ || !KeepsStep(write, other);
            if (!core_.strict || IsHarmless(write, other) || !Overtakes(write, other)) {
                return true;
            }
            break;
        case Overlap::Apart:
            break;
        case Overlap::InPlace:
            if (!other.write && write.begin == other.begin) {
                return true;
            }
            break;
        case Overlap::Library:
        case Overlap::Free:
            break;
    }
    if (core_.strict) {
        Refuse(write, other, rule);
    }
    return !library;
}

bool Issue::CheckOverlap(Overlap rule) {
    bool good = true;
    for (uint32_t writes = noted_.Writes(); writes != 0; writes &= writes - 1) {
        const Entry& write = noted_.begin()[__builtin_ctz(writes)];
        for (const Entry& other : noted_) {
            if (std::max(write.begin, other.begin) < std::min(write.End(), other.End()) &&
                &other != &write) {
                good = Judge(write, other, rule) && good;
            }
        }
    }
    return good;
}

void RefuseMemory(const Operand& operand, Memory memory, const char* api, const char* name) {
    Fail("T401", "wrong memory: %s takes %s in %s%s, it is at %s%s", api, name, Name(memory),
         memory == Memory::Ub ? " (VECIN, VECOUT, VECCALC)" : "", PositionName(operand.position),
         operand.position == 0 ? "; was the tensor taken from a queue or buffer?" : "");
}

void RefuseShort(const Operand& operand, Memory memory, uint64_t bytes, const char* api,
                 const char* name) {
    Fail("T107",
         "tensor too small: %s %s covers %" PRIu64 " B, the tensor at %s+0x%x has %u B left%s%s",
         api, name, bytes, Name(memory), operand.address, operand.bytes,
         DrawAccess(Self(), memory, operand.address, bytes, operand.bytes).text,
         "\n  try: a larger buffer, or SetSize where the tensor was made smaller on purpose");
}

}  // namespace twin
