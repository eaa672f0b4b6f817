// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "core/data_cache.h"
#include "hazard/memories.h"

namespace twin::hazard {
namespace {

constexpr uint64_t kCacheLine = DataCache::kLineBytes;

uint64_t LineOf(uint64_t place) { return place / kCacheLine * kCacheLine; }

/// Returns a mask with `count` bits set from bit `first` on: one bit for each byte of a line.
uint64_t BitsOf(uint64_t first, uint64_t count) {
    return count >= kCacheLine ? UINT64_MAX : ((uint64_t{1} << count) - 1) << first;
}

/// Calls visit(line, bits) for each line of the data cache that overlaps [begin, end).
template <typename Visit>
void EachLine(uint64_t begin, uint64_t end, Visit&& visit) {
    for (uint64_t at = LineOf(begin); at < end; at += kCacheLine) {
        const uint64_t from = std::max(begin, at);
        visit(at, BitsOf(from - at, std::min(end, at + kCacheLine) - from));
    }
}

/// Calls visit(first, count) for each run of 1 bits.
template <typename Visit>
void EachRunOfOnes(uint64_t bits, Visit&& visit) {
    for (uint64_t at = 0; at < kCacheLine;) {
        if ((bits >> at & 1U) == 0) {
            ++at;
            continue;
        }
        uint64_t end = at;
        while (end < kCacheLine && (bits >> end & 1U) != 0) {
            ++end;
        }
        visit(at, end - at);
        at = end;
    }
}

/// Logs a line that other cores can now read. The read is ordered after all instructions for which
/// the scalar unit waited. DataSyncBarrier makes it wait for writes that bypass the data cache.
void Publish(const PublishedLine& what, const CoreOrder& order, CoreLogs* logs) {
    Clock clock = order.ScalarClock();
    clock.ended[kScalarRead] = what.scalarEpoch;
    logs->Publish(what, clock);
}

}  // namespace

void GlobalMemory::Read(const CurrentAccess& now, CoreOrder& order, CoreFindings* findings) {
    CheckDirty(now, findings);
    const bool notes = now.access.lane != kScalarRead;
    history_.Touch(now.range.begin, now.range.runs,
                   [&](const Cell& before, uint64_t begin, const RunEnd& end, Cell* after) {
                       CheckWriter(before, now, begin, end, order, findings);
                       if (!notes) {
                           return Change::None;
                       }
                       *after = before;
                       after->NoteRead(now.access);
                       return Change::Own;
                   });
}

void GlobalMemory::Write(const CurrentAccess& now, CoreOrder& order, CoreFindings* findings) {
    CheckDirty(now, findings);
    const uint8_t kind = now.access.kind;
    history_.Touch(now.range.begin, now.range.runs,
                   [&](const Cell& before, uint64_t begin, const RunEnd& end, Cell* after) {
                       const bool commute = kind != kPlain && kind == before.write.kind;
                       if (before.readers == 0 && !commute) {
                           CheckWriter(before, now, begin, end, order, findings);
                       }
                       CheckReaders(before, now, begin, end, order, findings);
                       after->NoteWrite(now.access, 0);
                       return Change::Shared;
                   });
    Overtake(now);
}

void GlobalMemory::CheckDirty(const CurrentAccess& now, CoreFindings* findings) const {
    if (dirtyLines_ == 0) {
        return;
    }
    EachRun(now.range, [&](uint64_t begin, uint64_t end) {
        EachLine(begin, end, [&](uint64_t at, uint64_t bits) {
            const auto found = lines_.find(at);
            if (found != lines_.end() && (found->second.dirty & bits) != 0) {
                findings->Add("T311", "scalar write not written back", &found->second.write, true,
                              now.access,
                              {now.range, std::max(begin, at), std::min(end, at + kCacheLine),
                               now.range.write});
            }
        });
    });
}

/// Stores which bytes of cached lines the copy has changed in GM.
void GlobalMemory::Overtake(const CurrentAccess& now) {
    if (lines_.empty()) {
        return;
    }
    EachRun(now.range, [&](uint64_t begin, uint64_t end) {
        EachLine(begin, end, [&](uint64_t at, uint64_t bits) {
            const auto line = lines_.find(at);
            if (line != lines_.end()) {
                line->second.overtaken = now.access;
                line->second.overtakenBits |= bits;
            }
        });
    });
}

bool GlobalMemory::AccessLine(const CurrentAccess& now, CoreOrder& order, CoreFindings* findings,
                              CoreLogs* logs) {
    const uint64_t begin = now.range.begin;
    const uint64_t end = begin + now.range.runs.bytes;
    const uint64_t at = LineOf(begin);
    const auto entry = lines_.emplace(at, Line());
    Line& line = entry.first->second;
    CurrentAccess read = now;
    read.access.lane = kScalarRead;
    const bool poll = entry.second && !now.range.write && (allCleaned_ || cleaned_.count(at) != 0);
    if (entry.second && !poll) {
        logs->Add({at, Runs(kCacheLine), read.access, false, Cached::Load}, order.Changes());
    }
    history_.Touch(begin, now.range.runs,
                   [&](const Cell& cell, uint64_t from, const RunEnd& to, Cell*) {
                       CheckWriter(cell, now, from, to, order, findings);
                       if (now.range.write) {
                           CheckReaders(cell, now, from, to, order, findings);
                       }
                       return Change::None;
                   });
    const uint64_t bits = BitsOf(begin - at, end - begin);
    if (now.range.write) {
        dirtyLines_ += line.dirty == 0 ? 1 : 0;
        line.dirty |= bits;
        line.write = read.access;
        line.write.index = order.IssueScalar();
        std::memcpy(line.bytes + (begin - at), &now.instruction.As<record::GmScalar>()->value,
                    end - begin);
        return false;
    }
    if ((line.overtakenBits & bits & ~line.dirty) != 0) {
        findings->Add("T312", "stale read", &line.overtaken, true, now.access,
                      {now.range, begin, end, false});
    }
    logs->Note(findings->TakeTentative());
    if (poll) {
        PollWord(read, Cached::Read, findings, logs);
    } else if ((line.dirty & bits) != bits) {
        logs->Add({begin, Runs(end - begin), read.access, false, Cached::Read}, order.Changes());
    }
    return poll;
}

/// Reports a lost update (T313): the data cache writes back a whole line, also the bytes that the
/// scalar unit did not change. This overwrites data that this core's DataCopy has written to GM.
void GlobalMemory::CheckLost(uint64_t begin, const Line& line, CoreFindings* findings) {
    EachRunOfOnes(line.overtakenBits & ~line.dirty, [&](uint64_t first, uint64_t count) {
        ByteRange range;
        range.memory = Memory::Gm;
        range.begin = begin + first;
        range.runs.bytes = count;
        const bool copyFirst = line.overtaken.sequence < line.write.sequence;
        findings->Add("T313", "lost update", copyFirst ? &line.overtaken : &line.write, true,
                      copyFirst ? line.write : line.overtaken,
                      {range, range.begin, range.begin + count, true});
    });
}

void GlobalMemory::WriteBack(uint64_t begin, Line* line, bool late, CoreOrder& order,
                             CoreFindings* findings, CoreLogs* logs) {
    if (line->dirty == 0) {
        return;
    }
    --dirtyLines_;
    CheckLost(begin, *line, findings);
    Access access = line->write;
    access.index = order.IssueScalar();
    const uint32_t epoch = late ? line->write.index : order.IssueScalar();
    EachRunOfOnes(line->dirty, [&](uint64_t first, uint64_t count) {
        logs->Add({begin + first, Runs(count), access, true, late ? Cached::Late : Cached::Clean,
                   epoch, !late},
                  order.Changes());
    });
    EachRunOfOnes(~line->dirty, [&](uint64_t first, uint64_t count) {
        logs->Add({begin + first, Runs(count), access, true, Cached::WholeLine}, order.Changes());
    });
    if (!late) {
        PublishedLine what{begin, line->dirty, {}, access, epoch};
        std::memcpy(what.bytes, line->bytes, kCacheLine);
        Publish(what, order, logs);
    }
}

void GlobalMemory::Clean(uint64_t line, CoreOrder& order, CoreFindings* findings, CoreLogs* logs) {
    if (line == 0) {
        for (const uint64_t at : LineNumbers()) {
            WriteBack(at, &lines_[at], false, order, findings, logs);
        }
        lines_.clear();
        allCleaned_ = true;
        return;
    }
    cleaned_.insert(LineOf(line));
    const auto found = lines_.find(LineOf(line));
    if (found != lines_.end()) {
        WriteBack(found->first, &found->second, false, order, findings, logs);
        lines_.erase(found);
    }
}

std::vector<uint64_t> GlobalMemory::LineNumbers() const {
    std::vector<uint64_t> numbers;
    numbers.reserve(lines_.size());
    for (const auto& line : lines_) {
        numbers.push_back(line.first);
    }
    std::sort(numbers.begin(), numbers.end());
    return numbers;
}

void GlobalMemory::End(CoreOrder& order, CoreFindings* findings, CoreLogs* logs) {
    for (const uint64_t at : LineNumbers()) {
        WriteBack(at, &lines_[at], true, order, findings, logs);
    }
    history_ = History<Cell>();
    lines_.clear();
}

void GlobalMemory::PublishWord(const CurrentAccess& now, CoreOrder& order, CoreLogs* logs) {
    const uint64_t line = LineOf(now.range.begin);
    const uint64_t bytes = now.range.runs.bytes;
    PublishedLine what{
        line, BitsOf(now.range.begin - line, bytes), {}, now.access, order.IssueScalar()};
    std::memcpy(what.bytes + (now.range.begin - line),
                &now.instruction.As<record::GmScalar>()->value, bytes);
    logs->Add(
        {now.range.begin, now.range.runs, now.access, true, Cached::No, what.scalarEpoch, true},
        order.Changes());
    Publish(what, order, logs);
}

void GlobalMemory::PollWord(const CurrentAccess& now, Cached cached, CoreFindings* findings,
                            CoreLogs* logs) {
    Poll poll;
    poll.access = {now.range.begin, now.range.runs, now.access, false, cached, 0, true};
    poll.line = LineOf(now.range.begin);
    poll.bits = BitsOf(now.range.begin - poll.line, now.range.runs.bytes);
    poll.value = now.instruction.As<record::GmScalar>()->value;
    findings->Acquire();
    logs->Read(poll);
}

}  // namespace twin::hazard
