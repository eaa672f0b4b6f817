// SPDX-License-Identifier: Apache-2.0
// Helpers that make entries of logs for the tests.
#pragma once

#include <cstring>

#include "hazard/log.h"

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

constexpr uint64_t kWord = 128;

/// The scalar unit writes a word that others poll, when that number of stores is known to have
/// ended.
inline void Tell(CoreLog* log, uint32_t value, uint32_t told, uint32_t stores) {
    GmAccess access = At(kWord, kWord + 4, true, kS, told);
    access.told = told;
    access.word = true;
    log->Add(access, told);
    Published what;
    what.line = kWord;
    what.bits = 0xF;
    std::memcpy(what.bytes, &value, sizeof(value));
    what.access = access.access;
    what.told = told;
    Clock clock;
    clock.ended[kMte3] = stores;
    clock.ended[kScalarRead] = told;
    log->Publish(what, clock);
}

inline void Ask(CoreLog* log, uint32_t value) {
    Poll poll;
    poll.access = At(kWord, kWord + 4, false, kScalarRead, 1);
    poll.access.word = true;
    poll.line = kWord;
    poll.bits = 0xF;
    poll.value = value;
    log->Read(poll);
}

inline Stretch All(CoreLog log) {
    Stretch all;
    log.TakeSettled(true, &all);
    return all;
}

}  // namespace twin::hazard
