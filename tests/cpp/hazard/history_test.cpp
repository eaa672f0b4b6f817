// SPDX-License-Identifier: Apache-2.0
#include "hazard/history.h"

#include <random>
#include <set>

#include "check.h"

using namespace twin::hazard;
using twin::Runs;

namespace {

constexpr uint64_t kBase = 0x12c000000000;
constexpr uint64_t kBytes = 20000;

/// The accesses to a byte since it was last overwritten.
using Log = std::vector<int>;

class Naive {
public:
    Naive() : logs_(kBytes) {}
    std::set<Log> Touch(uint64_t begin, const Runs& runs, int who, bool overwrites) {
        std::set<uint64_t> bytes;
        for (uint64_t r = 0; r < runs.repeat.count; ++r) {
            for (uint64_t b = 0; b < runs.block.count; ++b) {
                for (uint64_t i = 0; i < runs.bytes; ++i) {
                    bytes.insert(begin + r * runs.repeat.stride + b * runs.block.stride + i);
                }
            }
        }
        std::set<Log> met;
        for (const uint64_t byte : bytes) {
            Log& log = logs_[byte - kBase];
            met.insert(log);
            log = overwrites ? Log() : log;
            log.push_back(who);
        }
        return met;
    }
    const Log& operator[](uint64_t byte) const { return logs_[byte - kBase]; }

private:
    std::vector<Log> logs_;
};

}  // namespace

TEST(EveryByteKnowsItsHistory) {
    std::mt19937 random(7);
    const auto below = [&random](uint64_t end) { return random() % end; };
    Naive naive;
    History<Log> history;
    for (int who = 1; who < 3000; ++who) {
        const uint64_t unit = uint64_t{1} << below(9);
        Runs runs(unit * (1 + below(4)));
        runs.block = {1 + below(6), unit * (1 + below(40))};
        runs.repeat = {1 + below(3), unit * (1 + below(90))};
        if (below(20) == 0) {
            runs = Runs(1 + below(kBytes));
        }
        if (runs.Span() > kBytes) {
            continue;
        }
        const uint64_t begin = kBase + below((kBytes - runs.Span()) / unit + 1) * unit;
        const bool overwrites = below(2) == 0;
        std::multiset<Log> met;
        history.Touch(begin, runs, [&](const Log& before, uint64_t from, uint64_t to, Log* after) {
            CHECK(from < to);
            for (uint64_t byte = from; byte < to; ++byte) {
                CHECK(naive[byte] == before);
            }
            met.insert(before);
            *after = overwrites ? Log() : before;
            after->push_back(who);
            return overwrites ? Change::Shared : Change::Own;
        });
        const std::set<Log> want = naive.Touch(begin, runs, who, overwrites);
        CHECK(std::set<Log>(met.begin(), met.end()) == want);
        CHECK_EQ(met.size(), want.size());  // the callback got each history once
    }
}

TEST(OnlyHistoriesOfSomeByteAreKept) {
    History<int> history;
    for (int round = 0; round < 50; ++round) {
        for (uint64_t row = 0; row < 100; ++row) {
            const Runs column(2, {500, 200});
            history.Touch(kBase + 2 * row, column, [&](const int&, uint64_t, uint64_t, int* after) {
                *after = round;
                return Change::Shared;
            });
        }
        CHECK(history.Count() <= 102);
    }
    history.Touch(kBase, Runs(100000), [](const int&, uint64_t begin, uint64_t end, int* after) {
        CHECK_EQ(end - begin, 2U);
        *after = 7;
        return Change::Shared;
    });
    CHECK_EQ(history.Count(), size_t{2});  // the entry of bytes without accesses, and the new entry
}

TEST(WhatChangesNothingLeavesEverything) {
    History<int> history;
    int calls = 0;
    for (int i = 0; i < 3; ++i) {
        history.Touch(kBase + 5, Runs(100), [&](const int& before, uint64_t, uint64_t, int*) {
            ++calls;
            CHECK_EQ(before, 0);
            return Change::None;
        });
    }
    CHECK_EQ(calls, 3);
    CHECK_EQ(history.Count(), size_t{1});
}

int main(int argc, char** argv) { return check::RunTests(argc, argv); }
