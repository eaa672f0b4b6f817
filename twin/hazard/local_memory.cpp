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

const std::vector<TaintedRun>& LocalMemory::Read(const CurrentAccess& now, bool note,
                                                 CoreOrder& order, CoreFindings* findings) {
    const ByteRange& range = now.range;
    Shadow& shadow = shadows_[static_cast<size_t>(range.memory)];
    const bool vector = range.memory == Memory::Ub;  // CubeMemories checks L1 and L0
    uint64_t before = 0;                             // number of bytes in the earlier runs
    tainted_.clear();
    EachRun(range, [&](uint64_t begin, uint64_t end) {
        shadow.Visit(begin, end, [&](Cell& cell, uint64_t from, uint64_t to) {
            if (vector && (!cell.write.Exists() || cell.taint != 0)) {
                const uint16_t taint = cell.write.Exists() ? cell.taint : uint16_t{0};
                tainted_.push_back({&range, before + from - begin, to - from, taint,
                                    InvalidBits(cell, from, to), cell.write});
            }
            if (cell.write.Exists()) {
                CheckRead(cell, now, from, to, order, findings);
            }
            if (note) {
                cell.NoteRead(now.access);
            }
        });
        before += end - begin;
    });
    return tainted_;
}

void LocalMemory::NoteRead(const CurrentAccess& now) {
    EachRun(now.range, [&](uint64_t begin, uint64_t end) {
        shadows_[static_cast<size_t>(now.range.memory)].Visit(
            begin, end, [&](Cell& cell, uint64_t, uint64_t) {
                if (!cell.write.SameInstruction(now.access)) {
                    cell.NoteRead(now.access);
                }
            });
    });
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
    partly_.erase(partly_.lower_bound(begin), partly_.lower_bound(end));
}

void LocalMemory::TaintBits(Memory memory, uint64_t from, uint64_t to, uint16_t taint) {
    while (from < to) {
        const uint64_t byte = from / 8;
        uint64_t stop = to / 8 * 8;
        if (from % 8 != 0 || to - from < 8) {
            stop = std::min(to, byte * 8 + 8);
            TaintByte(memory, byte, static_cast<uint8_t>(((1U << (stop - from)) - 1) << from % 8),
                      taint);
        } else {
            Taint(memory, byte, stop / 8, taint);
        }
        from = stop;
    }
}

/// Marks some bits of one byte.
void LocalMemory::TaintByte(Memory memory, uint64_t place, uint8_t bits, uint16_t taint) {
    shadows_[static_cast<size_t>(memory)].Visit(
        place, place + 1, [&](Cell& cell, uint64_t, uint64_t) {
            const uint8_t before =
                cell.taint == 0 ? uint8_t{0} : InvalidBits(cell, place, place + 1);
            cell.taint = taint;
            partly_[place] = {static_cast<uint8_t>(before | bits), cell.write};
        });
}

/// Returns the invalid bits of a tainted cell: kAllBits, except for a byte of a mask.
uint8_t LocalMemory::InvalidBits(const Cell& cell, uint64_t begin, uint64_t end) const {
    if (partly_.empty() || end - begin != 1) {
        return kAllBits;
    }
    const auto found = partly_.find(begin);
    // An entry of an earlier write says nothing about the byte.
    return found != partly_.end() && found->second.write.SameInstruction(cell.write)
               ? found->second.bits
               : kAllBits;
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

}  // namespace twin::hazard
