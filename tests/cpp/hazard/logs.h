// SPDX-License-Identifier: Apache-2.0
// Functions that make log entries for the tests of the hazard checker.
#ifndef TESTS_CPP_HAZARD_LOGS_H
#define TESTS_CPP_HAZARD_LOGS_H

#include <cstring>

#include "hazard/core_log.h"

namespace twin::hazard {

inline GmAccess At(uint64_t begin, uint64_t end, bool write, Lane lane, uint32_t index) {
    GmAccess access;
    access.begin = begin;
    access.runs.bytes = end - begin;
    access.write = write;
    access.access.lane = lane;
    access.access.index = index;
    return access;
}

constexpr uint64_t kWordPlace = 128;

/// Adds the scalar unit's write of a word for which other cores wait. Before this write, the scalar
/// unit has waited until the first `stores` copies of MTE3 have ended.
inline void PublishWord(CoreLog* log, uint32_t value, uint32_t epoch, uint32_t stores) {
    GmAccess access = At(kWordPlace, kWordPlace + 4, true, kS, epoch);
    access.scalarEpoch = epoch;
    access.word = true;
    log->Add(access, epoch);
    PublishedLine what;
    what.line = kWordPlace;
    what.bits = 0xF;
    std::memcpy(what.bytes, &value, sizeof(value));
    what.access = access.access;
    what.scalarEpoch = epoch;
    Clock clock;
    clock.ended[kMte3] = stores;
    clock.ended[kScalarRead] = epoch;
    log->Publish(what, clock);
}

inline void PollWord(CoreLog* log, uint32_t value) {
    Poll poll;
    poll.access = At(kWordPlace, kWordPlace + 4, false, kScalarRead, 1);
    poll.access.word = true;
    poll.line = kWordPlace;
    poll.bits = 0xF;
    poll.value = value;
    log->Read(poll);
}

inline LogSegment All(CoreLog log) {
    LogSegment all;
    log.TakeSettled(true, &all);
    return all;
}

}  // namespace twin::hazard

#endif  // TESTS_CPP_HAZARD_LOGS_H
