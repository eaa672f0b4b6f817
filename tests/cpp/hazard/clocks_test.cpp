// SPDX-License-Identifier: Apache-2.0
#include "hazard/clocks.h"

#include "check.h"

using namespace twin::hazard;

namespace {

constexpr uint32_t kMte2ToV = 4;  // values of the enum HardEvent
constexpr uint32_t kVToMte3 = 7;
constexpr uint32_t kMte2ToS = 24;

bool Knows(const CoreClocks& clocks, Lane lane, Lane of, uint32_t index) {
    return clocks.Known(lane).Covers(of, index);
}

}  // namespace

TEST(AFlagOrdersWhatItsPipeWasGivenBefore) {
    CoreClocks clocks;
    const uint32_t first = clocks.Issue(kMte2);
    clocks.SetFlag(kMte2ToV, 0, kMte2);
    const uint32_t second = clocks.Issue(kMte2);
    clocks.WaitFlag(kMte2ToV, 0, kV);
    clocks.Issue(kV);
    CHECK(Knows(clocks, kV, kMte2, first));
    CHECK(!Knows(clocks, kV, kMte2, second));
    CHECK(!Knows(clocks, kMte3, kMte2, first));
}

TEST(OrderIsTransitive) {
    CoreClocks clocks;
    const uint32_t copy = clocks.Issue(kMte2);
    clocks.SetFlag(kMte2ToV, 0, kMte2);
    clocks.WaitFlag(kMte2ToV, 0, kV);
    clocks.Issue(kV);
    clocks.SetFlag(kVToMte3, 3, kV);
    clocks.WaitFlag(kVToMte3, 3, kMte3);
    clocks.Issue(kMte3);
    CHECK(Knows(clocks, kMte3, kMte2, copy));
}

TEST(APipeDoesNotKnowItsOwnInstructionsWithoutABarrier) {
    CoreClocks clocks;
    const uint32_t first = clocks.Issue(kV);
    clocks.Issue(kV);
    CHECK(!Knows(clocks, kV, kV, first));
    clocks.Barrier(kV);
    clocks.Issue(kV);
    CHECK(Knows(clocks, kV, kV, first));
    CHECK(!Knows(clocks, kS, kV, first));
}

TEST(WhatTheScalarUnitHasWaitedForEverybodyKnows) {
    CoreClocks clocks;
    const uint32_t copy = clocks.Issue(kMte2);
    clocks.SetFlag(kMte2ToS, 0, kMte2);
    clocks.Issue(kMte3);
    CHECK(!Knows(clocks, kMte3, kMte2, copy));
    clocks.WaitFlag(kMte2ToS, 0, kS);
    clocks.Issue(kMte3);
    CHECK(Knows(clocks, kMte3, kMte2, copy));
}

TEST(TheBarrierOfAllPipesEndsEverything) {
    CoreClocks clocks;
    const uint32_t write = clocks.Issue(kS);
    const uint32_t copy = clocks.Issue(kMte3);
    clocks.BarrierAll();
    clocks.Issue(kV);
    CHECK(Knows(clocks, kV, kMte3, copy));
    CHECK(Knows(clocks, kV, kS, write));
}

TEST(LearningBringsWhatTheOtherSideKnewThen) {
    CoreClocks clocks;
    const uint32_t copy = clocks.Issue(kMte2);
    clocks.SetFlag(kMte2ToV, 0, kMte2);
    clocks.Issue(kV);
    clocks.WaitFlag(kMte2ToV, 0, kV);
    const uint32_t second = clocks.Issue(kV);
    CoreClocks early = clocks;
    early.Learn(kS, kV, second - 1);
    CHECK(!Knows(early, kS, kMte2, copy));
    clocks.Learn(kS, kV, second);
    CHECK(Knows(clocks, kS, kMte2, copy));
}

TEST(AFlagSeparatesWhatComesBeforeItFromTheRest) {
    CoreClocks clocks;
    clocks.Issue(kMte2);
    const uint64_t before = clocks.Changes();
    clocks.Issue(kMte2);
    CHECK_EQ(clocks.Changes(), before);  // no flag is between the two instructions
    clocks.SetFlag(0, 0, kMte2);
    clocks.Issue(kMte2);
    CHECK(clocks.Changes() != before);
}

int main(int argc, char** argv) { return check::RunTests(argc, argv); }
