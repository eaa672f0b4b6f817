// SPDX-License-Identifier: Apache-2.0
// Accesses to local memories: their order, and whether there is something to read.
#include <algorithm>

#include "hazard/core_checker.h"

namespace twin::hazard {
namespace {

constexpr uint8_t kScratch = 255;  ///< Access::kind of what an instruction leaves at 184 KiB

}  // namespace

void CoreChecker::Local(const Instruction& i) {
    if (i.As<record::Meeting>() != nullptr) {
        // The library has waited for its own copies.
        Access done = now_;
        done.lane = kScalarRead;
        for (const ByteRange& range : i.ranges) {
            if (range.write && range.memory != Memory::Gm) {
                EachRun(range, [&](uint64_t begin, uint64_t end) {
                    local_[static_cast<size_t>(range.memory)].Overwrite(
                        begin, end,
                        [&](Cell& cell, uint64_t, uint64_t) { cell.NoteWrite(done, 0); });
                });
            }
        }
        CubeWrites(i);
        return;
    }
    tainted_.clear();
    for (const ByteRange& range : i.ranges) {
        if (range.memory != Memory::Gm) {
            CheckFreed(range);
            if (!range.write) {
                ReadLocal(range);
            }
        }
    }
    for (const ByteRange& range : i.ranges) {
        if (range.write && range.memory != Memory::Gm) {
            WriteLocal(range);
        }
    }
    if (!tainted_.empty()) {
        Spread();
    }
    if (i.core == CoreKind::Aic) {
        Cube(i);
    }
}

void CoreChecker::ReadLocal(const ByteRange& range) {
    Shadow& shadow = local_[static_cast<size_t>(range.memory)];
    const bool vector = range.memory == Memory::Ub;
    const bool notes = now_.lane != kScalarRead;
    const uint64_t total = range.runs.TotalBytes();
    const size_t known = tainted_.size();
    uint64_t before = 0;  ///< bytes of the runs that were visited
    uint64_t unwritten = 0;
    EachRun(range, [&](uint64_t begin, uint64_t end) {
        shadow.Visit(begin, end, [&](Cell& cell, uint64_t from, uint64_t to) {
            if (!vector) {
                // The cube's bytes are followed by themselves.
            } else if (!cell.write.Exists()) {
                unwritten += to - from;
                tainted_.push_back({before + from - begin, to - from, total, 0});
            } else if (cell.taint != 0) {
                tainted_.push_back({before + from - begin, to - from, total, cell.taint});
            }
            if (cell.write.Exists() && (!Ordered(cell.write) || cell.write.kind == kScratch)) {
                ReadWritten(cell, range, from, to);
            }
            if (notes) {
                cell.NoteRead(now_);
            }
        });
        before += end - begin;
    });
    if (tainted_.size() != known) {
        JudgeTaint(range, known, unwritten);
    }
}

/// The write may not be what comes before this read.
void CoreChecker::ReadWritten(const Cell& cell, const ByteRange& range, uint64_t begin,
                              uint64_t end) {
    if (!Ordered(cell.write)) {
        Against(cell.write, true, range, begin, end, false);
    }
    if (cell.write.kind == kScratch && !cell.write.SameInstruction(now_) &&
        !GivenByLibrary(cell.write)) {
        Report("T415", "scratch over live data", &cell.write, true, range, begin, end, false);
    }
}

void CoreChecker::WriteLocal(const ByteRange& range) {
    Shadow& shadow = local_[static_cast<size_t>(range.memory)];
    Access access = now_;
    access.kind = range.operand == Arg::Scratch ? kScratch : uint8_t{kPlain};
    const uint16_t taint =
        range.filler ? NumberOf(true, range, range.begin, range.begin + range.runs.bytes) : 0;
    EachRun(range, [&](uint64_t begin, uint64_t end) {
        shadow.Overwrite(begin, end, [&](Cell& cell, uint64_t from, uint64_t to) {
            // Where it has been read, the order with the readers says all.
            if (cell.write.Exists() && cell.readers == 0 && !Ordered(cell.write)) {
                Against(cell.write, true, range, from, to, true);
            }
            for (uint32_t i = 0; i < cell.readers; ++i) {
                if (!Ordered(cell.reads[i])) {
                    Against(cell.reads[i], false, range, from, to, true);
                }
            }
            cell.NoteWrite(access, taint);
        });
    });
}

/// Pools may share memory: a buffer of the one lies over what a queue of the other has taken back.
bool CoreChecker::HeldByAnother(const ByteRange& range) const {
    return std::any_of(core_->buffers.begin(), core_->buffers.end(),
                       [&](const BufferRecord& buffer) {
                           return buffer.memory == range.memory && range.begin >= buffer.begin &&
                                  range.begin - buffer.begin < buffer.bytes &&
                                  freed_.count(static_cast<uint32_t>(buffer.queue) << 16 |
                                               static_cast<uint16_t>(buffer.slot)) == 0;
                       });
}

void CoreChecker::CheckFreed(const ByteRange& range) {
    if (range.queue < 0 || freed_.empty()) {
        return;
    }
    const auto found =
        freed_.find(static_cast<uint32_t>(range.queue) << 16 | static_cast<uint16_t>(range.slot));
    if (found == freed_.end() || HeldByAnother(range)) {
        return;
    }
    const Site& now = sites[now_.site];
    const Location& where = found->second;
    if (!findings.Note("T821", where.file, where.line, now.where.file, now.where.line,
                       now_.sequence)) {
        return;
    }
    Finding finding;
    finding.code = "T821";
    finding.kind = "buffer taken back";
    finding.bytes = range.runs.Span();
    finding.sequence = now_.sequence;
    Describe(range, range.begin, &finding);
    finding.first = PartyOf(where, "FreeTensor", Pipe::S);
    finding.second = PartyOf(now_, range.write);
    finding.missing =
        "FreeTensor after line " + std::to_string(now.where.line) + ", the last use of the tensor";
    findings.Add(std::move(finding));
}

}  // namespace twin::hazard
