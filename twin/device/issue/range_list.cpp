// SPDX-License-Identifier: Apache-2.0
#include "device/issue/range_list.h"

namespace twin {
namespace {

/// Returns the simplest Runs with the same bytes as `runs`. Levels without gaps become part of the
/// run. If only the repeat level is left, moves the repeat level to the block level.
Runs Normal(Runs runs) {
    runs.pace = 0;
    if (runs.block.count > 1 && runs.block.stride == 0) {  // all blocks are the same bytes
        runs.block = Level();
    }
    if (runs.repeat.count > 1 && runs.repeat.stride == 0) {
        runs.repeat = Level();
    }
    if (runs.block.count > 1 && runs.block.stride == runs.bytes) {
        runs.bytes *= runs.block.count;
        runs.block = Level();
    }
    if (runs.block.count == 1) {
        runs.block = runs.repeat;
        runs.repeat = Level();
        if (runs.block.count > 1 && runs.block.stride == runs.bytes) {
            runs.bytes *= runs.block.count;
            runs.block = Level();
        }
    }
    if (runs.block.count == 1) {
        runs.block.stride = 0;
    }
    if (runs.repeat.count == 1) {
        runs.repeat.stride = 0;
    }
    return runs;
}

}  // namespace

void RangeList::Start(Arg operand, Memory memory, bool write, bool filler, ElementType type) {
    operand_ = operand;
    memory_ = memory;
    write_ = write;
    filler_ = filler;
    type_ = type;
    open_.runs.bytes = 0;
    first_ = ranges_.size();
}

void RangeList::Append(uint64_t begin, const Runs& runs) {
    ranges_.emplace_back();
    ByteRange& range = ranges_.back();
    range.operand = operand_;
    range.memory = memory_;
    range.write = write_;
    range.filler = filler_;
    range.type = type_;
    range.begin = begin;
    range.runs = runs;
}

void RangeList::Add(uint64_t begin, const Runs& runs) {
    if (runs.TotalBytes() == 0) {
        return;
    }
    Append(begin, runs);
}

void RangeList::Add(uint64_t begin, uint64_t bytes) {
    if (bytes == 0) {
        return;
    }
    Runs& runs = open_.runs;
    if (runs.bytes == 0) {
        open_ = {begin, Runs(bytes)};
        return;
    }
    const uint64_t last = open_.begin + runs.block.Span();
    if (begin == last + runs.bytes && runs.block.count == 1) {
        runs.bytes += bytes;
        return;
    }
    const bool equal = bytes == runs.bytes && begin > last + bytes;
    if (equal && (runs.block.count == 1 || begin - last == runs.block.stride)) {
        runs.block.stride = begin - last;
        ++runs.block.count;
        return;
    }
    Close();
    open_ = {begin, Runs(bytes)};
}

/// Adds the group `open_` to `range` as one more repeat; returns false if the group does not fit.
bool RangeList::Extend(ByteRange& range) const {
    const Runs& one = open_.runs;
    Runs& runs = range.runs;
    if (runs.bytes != one.bytes || runs.block.count != one.block.count ||
        runs.block.stride != one.block.stride) {
        return false;
    }
    const uint64_t last = range.begin + runs.repeat.Span();
    if (open_.begin == last) {
        return true;  // `range` contains the bytes of the group already
    }
    if (open_.begin < last || (runs.repeat.count > 1 && open_.begin - last != runs.repeat.stride)) {
        return false;
    }
    runs.repeat.stride = open_.begin - last;
    ++runs.repeat.count;
    return true;
}

void RangeList::Close() {
    // Repeats of a masked instruction have few different groups, so look only at the last ranges.
    constexpr size_t kLookBack = 8;
    bool found = false;
    for (size_t i = ranges_.size(); i > first_ && i + kLookBack > ranges_.size() && !found; --i) {
        found = Extend(ranges_[i - 1]);
    }
    if (!found) {
        Append(open_.begin, open_.runs);
    }
    open_.runs.bytes = 0;
}

void RangeList::Finish() {
    if (open_.runs.bytes != 0) {
        Close();
    }
    for (size_t i = first_; i < ranges_.size(); ++i) {
        ByteRange& range = ranges_[i];
        range.runs = Normal(range.runs);
        const BufferRecord* buffer = core_.FindBuffer(range.memory, range.begin);
        if (buffer != nullptr && range.memory != Memory::Gm) {
            range.queue = buffer->queue;
            range.slot = buffer->slot;
        }
    }
}

}  // namespace twin
