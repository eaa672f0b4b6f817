// SPDX-License-Identifier: Apache-2.0
// Order that kernels make by hand: one core writes a word of global memory by its scalar unit, for
// others to see, another one reads it until it finds what was written.
#include <cstring>

#include "core/data_cache.h"
#include "hazard/core_checker.h"

namespace twin::hazard {
namespace {

uint64_t LineOf(uint64_t place) { return place / DataCache::kLineBytes * DataCache::kLineBytes; }

uint64_t BitsOf(uint64_t begin, uint64_t end) {
    return ((uint64_t{1} << (end - begin)) - 1) << (begin - LineOf(begin));
}

}  // namespace

/// Whoever finds it knows what the scalar unit knew, and that this write is there; not that earlier
/// writes past the cache are (DataSyncBarrier).
void CoreChecker::Publish(Published what) {
    Clock clock = clocks_.Known(kS);
    clock.ended[kScalarRead] = what.told;
    logs[part_].Publish(what, clock);
    Logged(true);
}

void CoreChecker::PublishWord(const ByteRange& range) {
    const uint64_t end = range.begin + range.runs.bytes;
    Published what;
    what.line = LineOf(range.begin);
    what.bits = BitsOf(range.begin, end);
    std::memcpy(what.bytes + (range.begin - what.line),
                &instruction_->As<record::GmScalar>()->value, range.runs.bytes);
    what.access = now_;
    what.told = Stamp();
    LogAccess(range.begin, range.runs, now_, true, Cached::No, what.told, true);
    Publish(what);
}

void CoreChecker::PollWord(const ByteRange& range, const Access& read, Cached cached) {
    Poll poll;
    poll.access.begin = range.begin;
    poll.access.runs = range.runs;
    poll.access.access = read;
    poll.access.cached = cached;
    poll.access.word = true;
    poll.line = LineOf(range.begin);
    poll.bits = BitsOf(range.begin, range.begin + range.runs.bytes);
    poll.value = instruction_->As<record::GmScalar>()->value;
    acquired_ = true;
    logs[part_].Read(poll);
    Logged(true);
}

}  // namespace twin::hazard
