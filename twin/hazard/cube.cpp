// SPDX-License-Identifier: Apache-2.0
// Whether what the cube multiplies and copies out was ever written. Kernels load and compute whole
// fractals; so what counts is which elements reach a result.
#include <utility>
#include <vector>

#include "hazard/core_checker.h"

namespace twin::hazard {
namespace {

bool IsCubes(const ByteRange& range) {
    return range.memory != Memory::Gm && range.memory != Memory::Ub;
}

}  // namespace

/// Follows what the current instruction makes of the cube's bytes.
void CoreChecker::Cube(const Instruction& i) {
    bool data = true;
    for (const ByteRange& range : i.ranges) {
        if (!IsCubes(range)) {
            continue;
        }
        cube_.Make(*core_, range.memory);
        EachRun(range, [&](uint64_t begin, uint64_t end) {
            data = data && (range.write || cube_.IsData(range.memory, begin, end));
        });
    }
    if (!data) {
        CubeReads(i);
    }
    const auto* const work = i.As<record::Work>();
    if (data || work == nullptr || !work->follow) {
        CubeWrites(i);
        return;
    }
    cube_.marks.taken.clear();
    work->follow(cube_.marks);
    NumberResults(i);
    for (const ByteMarks::Taken& taken : cube_.marks.taken) {
        TakeOut(taken);
    }
}

void CoreChecker::CubeWrites(const Instruction& i) {
    for (const ByteRange& range : i.ranges) {
        if (range.write && IsCubes(range)) {
            cube_.Make(*core_, range.memory);
            EachRun(range,
                    [&](uint64_t begin, uint64_t end) { cube_.Write(range.memory, begin, end); });
        }
    }
}

/// Something that it reads is no data. Who takes an operand of which nothing at all was written is
/// wrong whatever comes of it; so is who copies such bytes to global memory as they are.
void CoreChecker::CubeReads(const Instruction& i) {
    const auto* const work = i.As<record::Work>();
    const bool copiesOut = (work == nullptr || !work->follow) && WritesGm(i);
    for (const ByteRange& range : i.ranges) {
        if (range.write || !IsCubes(range)) {
            continue;
        }
        uint64_t unwritten = 0;
        EachRun(range, [&](uint64_t begin, uint64_t end) {
            std::vector<std::pair<uint64_t, uint64_t>> written;
            cube_.EachUnwritten(range.memory, begin, end, [&](uint64_t from, uint64_t to) {
                if (Poisoned(range, from, to)) {
                    unwritten += to - from;
                } else {
                    written.emplace_back(from, to);
                }
            });
            for (const auto& [from, to] : written) {
                cube_.Write(range.memory, from, to);
            }
            if (copiesOut) {
                const uint8_t* const marks = cube_.marks.marks[static_cast<size_t>(range.memory)];
                cube_.marks.Take(range.memory, marks + begin, end - begin);
            }
        });
        if (unwritten == range.runs.TotalBytes() && unwritten != 0) {
            ReadUnwritten(range, range.begin, range.begin + range.runs.bytes);
        }
    }
    for (const ByteMarks::Taken& taken : cube_.marks.taken) {
        TakeOut(taken);
    }
    cube_.marks.taken.clear();
}

/// What is now read of bytes that nothing wrote: where it was.
CubeBytes::Origin CoreChecker::OriginIn(Memory memory) const {
    CubeBytes::Origin origin = {now_, memory, {}, 0, 0};
    for (const ByteRange& range : instruction_->ranges) {
        if (range.write || range.memory != memory || origin.end != 0) {
            continue;
        }
        EachRun(range, [&](uint64_t begin, uint64_t end) {
            cube_.EachUnwritten(memory, begin, end, [&](uint64_t from, uint64_t to) {
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

/// Bytes that were made of what nothing had written belong to who read it first.
void CoreChecker::NumberResults(const Instruction& i) {
    uint8_t numbers[kMemories] = {};
    for (const ByteRange& range : i.ranges) {
        if (!range.write || !IsCubes(range)) {
            continue;
        }
        uint8_t* const marks = cube_.marks.marks[static_cast<size_t>(range.memory)];
        EachRun(range, [&](uint64_t begin, uint64_t end) {
            CubeBytes::EachNever(marks + begin, marks + end, [&](uint8_t* mark) {
                const Memory memory = CubeBytes::MemoryOf(*mark);
                uint8_t& number = numbers[static_cast<size_t>(memory)];
                number = number == 0 ? cube_.MarkOf(OriginIn(memory)) : number;
                *mark = number;
            });
            cube_.Touch(range.memory, begin, end);
        });
    }
}

/// Bytes that are no data leave the core.
void CoreChecker::TakeOut(const ByteMarks::Taken& taken) {
    if (CubeBytes::IsNever(taken.mark)) {
        for (const ByteRange& range : instruction_->ranges) {
            if (!range.write && range.memory == taken.memory) {
                ReadUnwritten(range, taken.begin, taken.end);
                return;
            }
        }
        return;
    }
    const CubeBytes::Origin& origin = cube_.OriginOf(taken.mark);
    const Access user = now_;
    now_ = origin.reader;
    ReadUnwritten(origin.range, origin.begin, origin.end);
    now_ = user;
}

}  // namespace twin::hazard
