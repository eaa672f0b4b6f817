// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/launch_state.h"
#include "hazard/memories.h"

namespace twin::hazard {
namespace {

constexpr uint8_t kScratch = 255;  ///< Access::kind of scratch data at 184 KiB of UB

uint32_t BufferKey(int32_t queue, int32_t slot) {
    return static_cast<uint32_t>(queue) << 16 | static_cast<uint16_t>(slot);
}

constexpr size_t kMostTaints = 4096;
constexpr uint64_t kMostRatio = 64;  // largest ratio of operand sizes for marking results invalid

/// Returns the address of byte `offset` of an operand; `offset` does not count gaps between runs.
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

void LocalMemory::CheckRegisters(const Instruction& i, const Access& access, CoreOrder& order,
                                 CoreFindings* findings) {
    static constexpr Register kResults[] = {Register::GatherKept, Register::Sum, Register::Best,
                                            Register::Merged};
    for (const Register which : kResults) {
        Access& writer = registers_[static_cast<size_t>(which)];
        if (i.reads.Has(which) && i.pipe == Pipe::S && writer.Exists()) {
            ByteRange range;
            range.begin = static_cast<uint64_t>(which);
            range.memory = Memory::Ub;
            const CurrentAccess now{i, range, access};
            if (!order.Before(writer, now)) {
                findings->AddConflict(writer, true, now, 0, 0);
            }
        }
        if (i.writes.Has(which)) {
            writer = access;
        }
    }
}

const std::vector<TaintedRun>& LocalMemory::Read(const CurrentAccess& now, CoreOrder& order,
                                                 CoreFindings* findings) {
    const ByteRange& range = now.range;
    Shadow& shadow = shadows_[static_cast<size_t>(range.memory)];
    const bool vector = range.memory == Memory::Ub;  // CubeMemories checks L1 and L0
    const bool notes = now.access.lane != kScalarRead;
    const uint64_t total = range.runs.TotalBytes();
    uint64_t before = 0;  // number of bytes in the earlier runs
    tainted_.clear();
    EachRun(range, [&](uint64_t begin, uint64_t end) {
        shadow.Visit(begin, end, [&](Cell& cell, uint64_t from, uint64_t to) {
            if (vector && (!cell.write.Exists() || cell.taint != 0)) {
                const uint16_t taint = cell.write.Exists() ? cell.taint : uint16_t{0};
                tainted_.push_back({before + from - begin, to - from, total, taint});
            }
            if (cell.write.Exists()) {
                CheckRead(cell, now, from, to, order, findings);
            }
            if (notes) {
                cell.NoteRead(now.access);
            }
        });
        before += end - begin;
    });
    return tainted_;
}

/// Reports a read that is not ordered after the latest write, or that reads scratch data (T415).
inline void LocalMemory::CheckRead(const Cell& cell, const CurrentAccess& now, uint64_t begin,
                                   uint64_t end, CoreOrder& order, CoreFindings* findings) const {
    CheckWriter(cell, now, begin, end, order, findings);
    if (__builtin_expect(cell.write.kind == kScratch, 0) &&
        !cell.write.SameInstruction(now.access) && !order.OrderedByLibrary(cell.write, now)) {
        findings->Add("T415", "scratch over live data", &cell.write, true, now.access,
                      {now.range, begin, end, false});
    }
}

void LocalMemory::Write(const CurrentAccess& now, uint16_t taint, CoreOrder& order,
                        CoreFindings* findings) {
    const ByteRange& range = now.range;
    Shadow& shadow = shadows_[static_cast<size_t>(range.memory)];
    Access access = now.access;
    access.kind = range.operand == Arg::Scratch ? kScratch : kPlain;
    EachRun(range, [&](uint64_t begin, uint64_t end) {
        shadow.Overwrite(begin, end, [&](Cell& cell, uint64_t from, uint64_t to) {
            // The cell's reads come after its write. If there are reads, checks only the reads.
            if (cell.readers == 0) {
                CheckWriter(cell, now, from, to, order, findings);
            }
            CheckReaders(cell, now, from, to, order, findings);
            cell.NoteWrite(access, taint);
        });
    });
}

void LocalMemory::WriteByLibrary(const CurrentAccess& now) {
    Access done = now.access;
    done.lane = kScalarRead;
    EachRun(now.range, [&](uint64_t begin, uint64_t end) {
        shadows_[static_cast<size_t>(now.range.memory)].Overwrite(
            begin, end, [&](Cell& cell, uint64_t, uint64_t) { cell.NoteWrite(done, 0); });
    });
}

void LocalMemory::Taint(Memory memory, uint64_t begin, uint64_t end, uint16_t taint) {
    shadows_[static_cast<size_t>(memory)].Visit(
        begin, end, [&](Cell& cell, uint64_t, uint64_t) { cell.taint = taint; });
}

/// Returns true if another buffer in use contains the range; buffers of two pools may overlap.
bool LocalMemory::HeldByAnother(const ByteRange& range, const Core& core) const {
    return std::any_of(core.state->buffers.begin(), core.state->buffers.end(),
                       [&](const BufferRecord& buffer) {
                           return buffer.memory == range.memory && range.begin >= buffer.begin &&
                                  range.begin - buffer.begin < buffer.bytes &&
                                  freed_.count(BufferKey(buffer.queue, buffer.slot)) == 0;
                       });
}

void LocalMemory::CheckFreed(const CurrentAccess& now, const Core& core,
                             CoreFindings* findings) const {
    if (now.range.queue < 0 || freed_.empty()) {
        return;
    }
    const auto found = freed_.find(BufferKey(now.range.queue, now.range.slot));
    if (found != freed_.end() && !HeldByAnother(now.range, core)) {
        findings->AddFreed(found->second, now);
    }
}

void LocalMemory::OnQueueFlag(const record::Flag& flag, const Location& where) {
    if (flag.queue < 0) {
        return;
    }
    if (flag.cause == QueueEvent::Free) {
        freed_[BufferKey(flag.queue, flag.slot)] = where;
    } else {
        freed_.erase(BufferKey(flag.queue, flag.slot));
    }
}

void LocalMemory::OnBuffer(const BufferRecord& buffer) {
    freed_.erase(BufferKey(buffer.queue, buffer.slot));
}

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

/// Reports that the instruction uses invalid bytes as data. For bytes that nothing had written, the
/// finding names their first reader.
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
    // Instructions that mix elements were already checked when they read the bytes.
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
