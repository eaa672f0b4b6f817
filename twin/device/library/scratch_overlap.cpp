// SPDX-License-Identifier: Apache-2.0
#include "device/library/scratch_overlap.h"

#include <algorithm>
#include <vector>

#include "core/library_steps.h"

namespace twin::advanced {
namespace {

/// Address of the scratch in the list of steps. It is no address of UB, so that accesses to the
/// scratch differ from accesses to the source at the same place.
constexpr uint64_t kApart = uint64_t{1} << 40;

/// Calls piece(begin, end) for all bytes of a range.
template <typename Piece>
void All(const ByteRange& range, Piece piece) {
    const Runs& runs = range.runs;
    for (uint64_t repeat = 0; repeat < runs.repeat.count; ++repeat) {
        for (uint64_t block = 0; block < runs.block.count; ++block) {
            const uint64_t begin =
                range.begin + repeat * runs.repeat.stride + block * runs.block.stride;
            piece(begin, begin + runs.bytes);
        }
    }
}

/// Calls piece(begin, end) for the bytes that a repeat of a step accesses. If the range does not
/// show which bytes these are, calls piece for all bytes.
template <typename Piece>
void OfRepeat(const Instruction& step, const ByteRange& range, uint64_t repeat, Piece piece) {
    const Runs& runs = range.runs;
    const uint64_t count = std::max<uint64_t>(step.repeats, 1);
    const bool dense = runs.repeat.count == 1 && runs.block.count == 1;
    const uint64_t size = range.type.Known() ? SizeOf(range.type.Value()) : 0;
    if (runs.repeat.count == count && count > 1) {
        ByteRange part = range;
        part.begin += repeat * runs.repeat.stride;
        part.runs.repeat = Level{1, 0};
        All(part, piece);
    } else if (dense && (step.opcode == Opcode::Brcb || runs.bytes == step.elements * size)) {
        const uint64_t each = (runs.bytes + count - 1) / count;
        const uint64_t begin = range.begin + repeat * each;
        piece(begin, std::min(begin + each, range.begin + runs.bytes));
    } else {
        All(range, piece);
    }
}

/// The bytes of a source, and which of them the scratch has overwritten.
class Source {
public:
    Source(const UbSpan& scratch, const UbSpan& source)
        : scratch_(scratch), source_(source), lost_(source.end - source.begin, false) {}

    /// Notes what a step writes, and returns true if it reads bytes that are overwritten.
    bool Take(const Instruction& step) {
        if (step.opcode == Opcode::None) {
            return TakeUnlisted(step);
        }
        bool spoilt = false;
        for (uint64_t repeat = 0; repeat < std::max<uint64_t>(step.repeats, 1); ++repeat) {
            for (const bool write : {false, true}) {
                for (const ByteRange& range : step.ranges) {
                    if (range.write == write) {
                        OfRepeat(step, range, repeat, [&](uint64_t begin, uint64_t end) {
                            spoilt |= write ? Lose(begin, end) : Lost(begin, end);
                        });
                    }
                }
            }
        }
        return spoilt;
    }

private:
    /// Steps that are not listed may use all of the scratch, before they read their operands.
    bool TakeUnlisted(const Instruction& step) {
        Lose(kApart, kApart + scratch_.end - scratch_.begin);
        const auto ofSource = [this](const ByteRange& range) {
            return range.begin >= source_.begin && range.begin < source_.end;
        };
        return std::any_of(step.ranges.begin(), step.ranges.end(), ofSource);
    }
    bool Lost(uint64_t begin, uint64_t end) const {
        begin = std::max(begin, source_.begin);
        end = std::min(end, source_.end);
        for (uint64_t at = begin; at < end; ++at) {
            if (lost_[at - source_.begin]) {
                return true;
            }
        }
        return false;
    }
    bool Lose(uint64_t begin, uint64_t end) {
        if (begin < kApart) {
            return false;  // an operand: Issue checks how the operands overlap
        }
        begin = std::max(begin - kApart + scratch_.begin, source_.begin);
        end = std::min(end - kApart + scratch_.begin, source_.end);
        for (uint64_t at = begin; at < end; ++at) {
            lost_[at - source_.begin] = true;
        }
        return false;
    }

    UbSpan scratch_, source_;
    std::vector<bool> lost_;
};

}  // namespace

bool SpoilsSource(Instruction call, const UbSpan& scratch, const UbSpan& source) {
    ByteRange& range = call.ranges.emplace_back();
    range.operand = Arg::SharedTmpBuffer;
    range.begin = kApart;
    range.write = true;
    std::vector<Instruction> steps;
    const bool exact = ListSteps(call, &steps);
    const auto unlisted = [](const Instruction& step) { return step.opcode == Opcode::None; };
    if (!exact && std::none_of(steps.begin(), steps.end(), unlisted)) {
        return true;  // the steps use other addresses in the scratch than the list
    }
    Source bytes(scratch, source);
    return std::any_of(steps.begin(), steps.end(),
                       [&](const Instruction& step) { return bytes.Take(step); });
}

}  // namespace twin::advanced
