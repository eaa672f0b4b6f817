// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <utility>

#include "hazard/memories.h"

namespace twin::hazard {
namespace {

constexpr uint8_t kMostOrigins = UINT8_MAX - kMemories;
constexpr uint64_t kMarkBlock = 512;

bool IsCubes(const ByteRange& range) {
    return range.memory != Memory::Gm && range.memory != Memory::Ub;
}

/// Returns the mark for bytes of `memory` that nothing has written.
constexpr uint8_t NeverWritten(Memory memory) {
    return static_cast<uint8_t>(UINT8_MAX - static_cast<uint32_t>(memory));
}
constexpr bool IsNeverWritten(uint8_t mark) { return mark > kMostOrigins; }
constexpr Memory MemoryOfMark(uint8_t mark) { return static_cast<Memory>(UINT8_MAX - mark); }

/// Calls look(begin, end) for each run of bytes in [begin, end) that nothing has written.
template <typename Look>
void EachUnwritten(const ByteMarks& marks, Memory memory, uint64_t begin, uint64_t end,
                   Look&& look) {
    const uint8_t* const bytes = marks.marks[static_cast<size_t>(memory)];
    const uint8_t never = NeverWritten(memory);
    while (begin < end) {
        const void* const found = std::memchr(bytes + begin, never, end - begin);
        if (found == nullptr) {
            return;
        }
        begin = static_cast<uint64_t>(static_cast<const uint8_t*>(found) - bytes);
        uint64_t stop = begin + 1;
        while (stop < end && bytes[stop] == never) {
            ++stop;
        }
        look(begin, stop);
        begin = stop;
    }
}

/// Calls look(mark) for each mark in [at, end) that means "never written", for any memory.
template <typename Look>
void EachNeverWritten(uint8_t* at, const uint8_t* end, Look&& look) {
    constexpr ptrdiff_t kStep = 64;
    while (at < end) {
        const uint8_t* const stop = end - at > kStep ? at + kStep : end;
        uint8_t most = 0;
        for (const uint8_t* each = at; each < stop; ++each) {
            most = std::max(most, *each);
        }
        for (; IsNeverWritten(most) && at < stop; ++at) {
            if (IsNeverWritten(*at)) {
                look(at);
            }
        }
        at += stop - at;
    }
}

/// Returns true if the bytes contain their initial pattern. If they do not, the kernel has written
/// them through a pointer; such writes are not recorded. Also returns true for bytes that the
/// instruction both reads and writes.
bool HoldsPoison(const Core& core, const Instruction& i, const ByteRange& range, uint64_t begin,
                 uint64_t end) {
    for (const ByteRange& other : i.ranges) {
        if (other.write && other.memory == range.memory && other.begin < end &&
            begin < other.begin + other.runs.Span()) {
            return true;
        }
    }
    const uint8_t* const bytes = core.memory[static_cast<size_t>(range.memory)];
    for (uint64_t at = begin; at < end; ++at) {
        if (!IsPoison(core, at, bytes[at])) {
            return false;
        }
    }
    return true;
}

}  // namespace

void CubeMemories::Check(const Instruction& i, const Access& access, const Core& core,
                         CoreFindings* findings) {
    bool data = true;
    for (const ByteRange& range : i.ranges) {
        if (!IsCubes(range)) {
            continue;
        }
        Make(core, range.memory);
        EachRun(range, [&](uint64_t begin, uint64_t end) {
            data = data && (range.write || IsData(range.memory, begin, end));
        });
    }
    if (!data) {
        CheckReads(i, access, core, findings);
    }
    if (data || !i.follow) {
        Write(i, core);
        return;
    }
    marks_.taken.clear();
    i.follow(marks_);
    NumberResults(i, access);
    TakeOut(i, access, findings);
}

void CubeMemories::Write(const Instruction& i, const Core& core) {
    for (const ByteRange& range : i.ranges) {
        if (range.write && IsCubes(range)) {
            Make(core, range.memory);
            EachRun(range, [&](uint64_t begin, uint64_t end) { Write(range.memory, begin, end); });
        }
    }
}

void CubeMemories::MarkLoaded(const Loaded& from, const Core& core, uint64_t begin, uint64_t end) {
    Make(core, Memory::L1);
    const uint8_t mark = MarkOf({from.by.access, Memory::Gm, from.by.range, from.begin, from.end});
    std::memset(marks_.marks[static_cast<size_t>(Memory::L1)] + begin, mark, end - begin);
    Touch(Memory::L1, begin, end);
}

void CubeMemories::MoveLoaded(const std::vector<Loaded>& from, const Core& core,
                              const uint8_t* host) {
    Make(core, Memory::L1);
    const CurrentAccess& by = from.front().by;
    std::vector<uint8_t> source(by.range.runs.Span());
    for (const Loaded& part : from) {
        const uint8_t mark = MarkOf({by.access, Memory::Gm, by.range, part.begin, part.end});
        std::memset(source.data() + (part.begin - by.range.begin), mark, part.end - part.begin);
    }
    constexpr auto kGm = static_cast<size_t>(Memory::Gm);
    marks_.marks[kGm] = source.data();
    marks_.bytes[kGm] = host;
    by.instruction.follow(marks_);
    marks_.marks[kGm] = nullptr;
    for (const ByteRange& range : by.instruction.ranges) {
        if (range.write && range.memory == Memory::L1) {
            EachRun(range, [&](uint64_t begin, uint64_t end) { Touch(Memory::L1, begin, end); });
        }
    }
}

/// Called if an instruction reads bytes that are not valid data. Reports each operand without any
/// written byte. If the instruction only copies bytes to GM, reports all invalid bytes, too.
void CubeMemories::CheckReads(const Instruction& i, const Access& access, const Core& core,
                              CoreFindings* findings) {
    const bool copiesOut = !i.follow && WritesGm(i);
    for (const ByteRange& range : i.ranges) {
        if (range.write || !IsCubes(range)) {
            continue;
        }
        uint64_t unwritten = 0;
        EachRun(range, [&](uint64_t begin, uint64_t end) {
            unwritten += CheckUnwritten(i, range, core, begin, end);
            if (copiesOut) {
                const uint8_t* const marks = marks_.marks[static_cast<size_t>(range.memory)];
                marks_.Take(range.memory, marks + begin, end - begin);
            }
        });
        if (unwritten == range.runs.TotalBytes() && unwritten != 0) {
            findings->AddUnwritten(access, range, range.begin, range.begin + range.runs.bytes);
        }
    }
    TakeOut(i, access, findings);
    marks_.taken.clear();
}

/// Returns how many bytes in [begin, end) nothing has written. If the kernel has written bytes
/// through a pointer, marks these bytes as data.
uint64_t CubeMemories::CheckUnwritten(const Instruction& i, const ByteRange& range,
                                      const Core& core, uint64_t begin, uint64_t end) {
    uint64_t unwritten = 0;
    std::vector<std::pair<uint64_t, uint64_t>> written;
    EachUnwritten(marks_, range.memory, begin, end, [&](uint64_t from, uint64_t to) {
        if (HoldsPoison(core, i, range, from, to)) {
            unwritten += to - from;
        } else {
            written.emplace_back(from, to);
        }
    });
    for (const auto& [from, to] : written) {
        Write(range.memory, from, to);
    }
    return unwritten;
}

/// Returns the first unwritten bytes in `memory` that the instruction reads.
CubeMemories::Origin CubeMemories::OriginIn(Memory memory, const Instruction& i,
                                            const Access& access) const {
    Origin origin = {access, memory, {}, 0, 0};
    for (const ByteRange& range : i.ranges) {
        if (range.write || range.memory != memory || origin.end != 0) {
            continue;
        }
        EachRun(range, [&](uint64_t begin, uint64_t end) {
            EachUnwritten(marks_, memory, begin, end, [&](uint64_t from, uint64_t to) {
                if (origin.end == 0) {
                    origin.range = range;
                    origin.begin = from;
                    origin.end = to;
                }
            });
        });
    }
    return origin;
}

/// Replaces "never written" marks of results by a number that stands for this instruction.
void CubeMemories::NumberResults(const Instruction& i, const Access& access) {
    uint8_t numbers[kMemories] = {};
    for (const ByteRange& range : i.ranges) {
        if (!range.write || !IsCubes(range)) {
            continue;
        }
        uint8_t* const marks = marks_.marks[static_cast<size_t>(range.memory)];
        EachRun(range, [&](uint64_t begin, uint64_t end) {
            EachNeverWritten(marks + begin, marks + end, [&](uint8_t* mark) {
                const Memory memory = MemoryOfMark(*mark);
                uint8_t& number = numbers[static_cast<size_t>(memory)];
                number = number == 0 ? MarkOf(OriginIn(memory, i, access)) : number;
                *mark = number;
            });
            Touch(range.memory, begin, end);
        });
    }
}

/// Reports the unwritten bytes from which a result in global memory was computed.
void CubeMemories::TakeOut(const Instruction& i, const Access& access, CoreFindings* findings) {
    for (const ByteMarks::Taken& taken : marks_.taken) {
        if (!IsNeverWritten(taken.mark)) {
            const Origin& origin = origins_[taken.mark - 1U];
            findings->AddUnwritten(origin.reader, origin.range, origin.begin, origin.end);
            continue;
        }
        const auto range = std::find_if(i.ranges.begin(), i.ranges.end(), [&](const ByteRange& of) {
            return !of.write && of.memory == taken.memory;
        });
        if (range != i.ranges.end()) {
            findings->AddUnwritten(access, *range, taken.begin, taken.end);
        }
    }
}

void CubeMemories::Make(const Core& core, Memory memory) {
    const auto at = static_cast<size_t>(memory);
    if (images_[at].empty()) {
        const uint64_t bytes = core.memoryBytes[at] + kMarkBlock;
        images_[at].assign(bytes, NeverWritten(memory));
        dirty_[at].assign(bytes / kMarkBlock + 1, 1);
        marks_.marks[at] = images_[at].data();
        marks_.bytes[at] = core.memory[at];
    }
}

void CubeMemories::Write(Memory memory, uint64_t begin, uint64_t end) {
    const auto at = static_cast<size_t>(memory);
    for (uint64_t block = begin / kMarkBlock; block * kMarkBlock < end; ++block) {
        if (dirty_[at][block] != 0) {
            const uint64_t from = std::max(begin, block * kMarkBlock);
            const uint64_t to = std::min(end, (block + 1) * kMarkBlock);
            std::memset(marks_.marks[at] + from, 0, to - from);
            dirty_[at][block] = to - from == kMarkBlock ? 0 : 1;
        }
    }
}

bool CubeMemories::IsData(Memory memory, uint64_t begin, uint64_t end) {
    const auto at = static_cast<size_t>(memory);
    for (uint64_t block = begin / kMarkBlock; block * kMarkBlock < end; ++block) {
        if (dirty_[at][block] == 0) {
            continue;
        }
        const uint8_t* const bytes = marks_.marks[at];
        const uint64_t from = std::max(begin, block * kMarkBlock);
        const uint64_t to = std::min(end, (block + 1) * kMarkBlock);
        if (ByteMarks::First(bytes + from, to - from) != 0) {
            return false;
        }
        dirty_[at][block] = ByteMarks::First(bytes + block * kMarkBlock, kMarkBlock) == 0 ? 0 : 1;
    }
    return true;
}

void CubeMemories::Touch(Memory memory, uint64_t begin, uint64_t end) {
    auto& dirty = dirty_[static_cast<size_t>(memory)];
    std::fill(dirty.begin() + static_cast<ptrdiff_t>(begin / kMarkBlock),
              dirty.begin() + static_cast<ptrdiff_t>((end + kMarkBlock - 1) / kMarkBlock),
              uint8_t{1});
}

uint8_t CubeMemories::MarkOf(const Origin& origin) {
    const auto found = std::find_if(origins_.begin(), origins_.end(), [&](const Origin& known) {
        return known.reader.site == origin.reader.site && known.memory == origin.memory;
    });
    const auto number = static_cast<size_t>(found - origins_.begin());
    if (number == origins_.size() && number < kMostOrigins) {
        origins_.push_back(origin);
    }
    return static_cast<uint8_t>(std::min(number + 1, origins_.size()));
}

void CubeMemories::Clear() {
    for (size_t i = 0; i < kMemories; ++i) {
        images_[i] = std::vector<uint8_t>();
        dirty_[i] = std::vector<uint8_t>();
    }
    marks_ = ByteMarks();
}

}  // namespace twin::hazard
