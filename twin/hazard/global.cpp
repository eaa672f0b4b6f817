// SPDX-License-Identifier: Apache-2.0
// Accesses to global memory: their order on this core, the scalar data cache, and the log for the
// comparison with other cores.
#include <algorithm>
#include <cstring>

#include "core/data_cache.h"
#include "core/launch_state.h"
#include "hazard/core_checker.h"

namespace twin::hazard {
namespace {

constexpr uint64_t kLineBytes = DataCache::kLineBytes;

/// Of a copy to global memory: copies of one kind commute.
uint8_t AtomicKind(const Core& core, AtomicOp atomic) {
    if (atomic == AtomicOp::None) {
        return kPlain;
    }
    return static_cast<uint8_t>(1 + static_cast<uint32_t>(core.atomicOp) * kDtypeCount +
                                static_cast<uint32_t>(core.atomicDtype));
}

uint64_t Bits(uint64_t first, uint64_t count) {
    return count >= kLineBytes ? UINT64_MAX : ((uint64_t{1} << count) - 1) << first;
}

/// Calls visit(line, bits) for the lines of the data cache that [begin, end) lies in.
template <typename Visit>
void EachLine(uint64_t begin, uint64_t end, Visit&& visit) {
    for (uint64_t at = begin / kLineBytes * kLineBytes; at < end; at += kLineBytes) {
        const uint64_t from = std::max(begin, at);
        visit(at, Bits(from - at, std::min(end, at + kLineBytes) - from));
    }
}

/// Calls visit(first, count) for each run of ones.
template <typename Visit>
void EachRunOfOnes(uint64_t bits, Visit&& visit) {
    for (uint64_t at = 0; at < kLineBytes;) {
        if ((bits >> at & 1U) == 0) {
            ++at;
            continue;
        }
        uint64_t end = at;
        while (end < kLineBytes && (bits >> end & 1U) != 0) {
            ++end;
        }
        visit(at, end - at);
        at = end;
    }
}

}  // namespace

void CoreChecker::Global(const Instruction& i) {
    if (i.As<record::Meeting>() != nullptr) {
        return;
    }
    for (const ByteRange& range : i.ranges) {
        if (range.memory != Memory::Gm) {
            continue;
        }
        if (i.writes.Has(Register::DataCache)) {
            ScalarGlobal(range);
        } else if (range.write) {
            now_.kind = AtomicKind(*core_, i.atomic);
            WriteGlobal(range);
        } else {
            ReadGlobal(range);
        }
    }
}

void CoreChecker::LogAccess(uint64_t begin, const Runs& runs, const Access& access, bool write,
                            Cached cached, uint32_t told, bool word) {
    GmAccess entry;
    entry.begin = begin;
    entry.runs = runs;
    entry.access = access;
    entry.access.sequence -= shift_;
    entry.write = write;
    entry.cached = cached;
    entry.told = told;
    entry.word = word;
    logs[part_].Add(entry, clocks_.Changes());
    Logged(false);
}

void CoreChecker::CheckDirty(const ByteRange& range, bool write) {
    if (dirtyLines_ == 0) {
        return;
    }
    EachRun(range, [&](uint64_t begin, uint64_t end) {
        EachLine(begin, end, [&](uint64_t at, uint64_t bits) {
            const auto found = lines_.find(at);
            const uint64_t dirty = found == lines_.end() ? 0 : found->second.dirty & bits;
            if (dirty != 0) {
                Report("T311", "scalar write not written back", &found->second.write, true, range,
                       std::max(begin, at), std::min(end, at + kLineBytes), write);
            }
        });
    });
}

void CoreChecker::ReadGlobal(const ByteRange& range) {
    CheckDirty(range, false);
    global_.Touch(range.begin, range.runs,
                  [&](const Cell& before, uint64_t begin, const RunEnd& end, Cell* after) {
                      if (before.write.Exists() && !Ordered(before.write)) {
                          Against(before.write, true, range, begin, end, false);
                      }
                      if (now_.lane == kScalarRead) {
                          return Change::None;
                      }
                      *after = before;
                      after->NoteRead(now_);
                      return Change::Own;
                  });
    if (instruction_->opcode == Opcode::ReadGmByPassDCache) {
        PollWord(range, now_, Cached::No);
    } else if (!FetchesProduct(range)) {
        LogAccess(range.begin, range.runs, now_, false, Cached::No);
    }
}

/// Products for local tensors lie in a ring in the system workspace: when a part of it is used
/// again is the Matmul library's business.
bool CoreChecker::FetchesProduct(const ByteRange& range) const {
    if (!asks_ || now_.lane != kMte2) {
        return false;
    }
    const auto& all = core_->launch->gm;
    return std::any_of(all.begin(), all.end(), [&range](const GmRange& gm) {
        return gm.ContainsDevice(range.begin) && gm.label == "system workspace";
    });
}

void CoreChecker::WriteGlobal(const ByteRange& range) {
    CheckDirty(range, true);
    global_.Touch(range.begin, range.runs,
                  [&](const Cell& before, uint64_t begin, const RunEnd& end, Cell* after) {
                      const bool commute = now_.kind != kPlain && now_.kind == before.write.kind;
                      if (before.write.Exists() && before.readers == 0 && !commute &&
                          !Ordered(before.write)) {
                          Against(before.write, true, range, begin, end, true);
                      }
                      for (uint32_t k = 0; k < before.readers; ++k) {
                          if (!Ordered(before.reads[k])) {
                              Against(before.reads[k], false, range, begin, end, true);
                          }
                      }
                      after->NoteWrite(now_, 0);
                      return Change::Shared;
                  });
    Overtake(range);
    if (instruction_->opcode == Opcode::WriteGmByPassDCache) {
        PublishWord(range);
    } else {
        LogAccess(range.begin, range.runs, now_, true, Cached::No);
    }
}

/// Lines of the data cache whose memory the current copy has changed.
void CoreChecker::Overtake(const ByteRange& range) {
    if (lines_.empty()) {
        return;
    }
    EachRun(range, [&](uint64_t begin, uint64_t end) {
        EachLine(begin, end, [&](uint64_t at, uint64_t bits) {
            const auto line = lines_.find(at);
            if (line != lines_.end()) {
                line->second.overtaken = now_;
                line->second.overtakenBits |= bits;
            }
        });
    });
}

/// GetValue and SetValue: an access to a line of the data cache.
void CoreChecker::ScalarGlobal(const ByteRange& range) {
    const uint64_t begin = range.begin;
    const uint64_t end = begin + range.runs.bytes;
    const uint64_t at = begin / kLineBytes * kLineBytes;
    const auto entry = lines_.emplace(at, Line());
    Line& line = entry.first->second;
    Access read = now_;
    read.lane = kScalarRead;
    const bool poll = entry.second && !range.write && WasCleaned(at);
    if (entry.second && !poll) {
        LogAccess(at, Runs(kLineBytes), read, false, Cached::Load);
    }
    const uint64_t bits = Bits(begin - at, end - begin);
    const auto look = [&](const Cell& cell, uint64_t from, const RunEnd& to, Cell*) {
        if (cell.write.Exists() && !Ordered(cell.write)) {
            Against(cell.write, true, range, from, to, range.write);
        }
        for (uint32_t k = 0; range.write && k < cell.readers; ++k) {
            if (!Ordered(cell.reads[k])) {
                Against(cell.reads[k], false, range, from, to, true);
            }
        }
        return Change::None;
    };
    global_.Touch(begin, range.runs, look);
    if (range.write) {
        dirtyLines_ += line.dirty == 0 ? 1 : 0;
        line.dirty |= bits;
        line.write = now_;
        line.write.lane = kScalarRead;
        line.write.index = clocks_.Issue(kScalarRead);
        std::memcpy(line.bytes + (begin - at), &instruction_->As<record::GmScalar>()->value,
                    end - begin);
        return;
    }
    if ((line.overtakenBits & bits & ~line.dirty) != 0) {
        Report("T312", "stale read", &line.overtaken, true, range, begin, end, false);
    }
    if (poll) {
        PollWord(range, read, Cached::Read);
    } else if ((line.dirty & bits) != bits) {
        LogAccess(begin, Runs(end - begin), read, false, Cached::Read);
    }
}

/// The line goes back as a whole: over what a copy of this core stored beside the dirty bytes.
void CoreChecker::CheckLost(uint64_t begin, const Line& line) {
    EachRunOfOnes(line.overtakenBits & ~line.dirty, [&](uint64_t first, uint64_t count) {
        ByteRange range;
        range.memory = Memory::Gm;
        range.begin = begin + first;
        range.runs.bytes = count;
        const bool copyFirst = line.overtaken.sequence < line.write.sequence;
        const Access current = now_;
        now_ = copyFirst ? line.write : line.overtaken;
        Report("T313", "lost update", copyFirst ? &line.overtaken : &line.write, true, range,
               range.begin, range.begin + count, true);
        now_ = current;
    });
}

void CoreChecker::WriteBack(uint64_t begin, Line& line, bool late) {
    if (line.dirty == 0) {
        return;
    }
    --dirtyLines_;
    CheckLost(begin, line);
    Access access = line.write;
    access.index = clocks_.Issue(kScalarRead);
    const uint32_t told = late ? line.write.index : Stamp();
    EachRunOfOnes(line.dirty, [&](uint64_t first, uint64_t count) {
        LogAccess(begin + first, Runs(count), access, true, late ? Cached::Late : Cached::Clean,
                  told, !late);
    });
    EachRunOfOnes(~line.dirty, [&](uint64_t first, uint64_t count) {
        LogAccess(begin + first, Runs(count), access, true, Cached::WholeLine);
    });
    if (!late) {
        Published what;
        what.line = begin;
        what.bits = line.dirty;
        std::memcpy(what.bytes, line.bytes, kLineBytes);
        what.access = access;
        what.told = told;
        Publish(what);
    }
}

/// DataCacheCleanAndInvalid of a line, or of all.
void CoreChecker::Clean(uint64_t line) {
    if (line == 0) {
        for (const uint64_t at : LineNumbers()) {
            WriteBack(at, lines_[at], false);
        }
        lines_.clear();
        allCleaned_ = true;
        return;
    }
    cleaned_.insert(line / kLineBytes * kLineBytes);
    const auto found = lines_.find(line / kLineBytes * kLineBytes);
    if (found != lines_.end()) {
        WriteBack(found->first, found->second, false);
        lines_.erase(found);
    }
}

std::vector<uint64_t> CoreChecker::LineNumbers() const {
    std::vector<uint64_t> numbers;
    numbers.reserve(lines_.size());
    for (const auto& line : lines_) {
        numbers.push_back(line.first);
    }
    std::sort(numbers.begin(), numbers.end());
    return numbers;
}

/// The toolkit's compiler ends every kernel with a write-back.
void CoreChecker::EndCache() {
    for (const uint64_t at : LineNumbers()) {
        WriteBack(at, lines_[at], true);
    }
}

}  // namespace twin::hazard
