// SPDX-License-Identifier: Apache-2.0
// Tests of the plan of what bypasses the L2 cache.
#include "common/l2_plan.h"

#include <cstdint>

#include "check.h"

using optiling::Chip;
using optiling::L2Plan;
using optiling::PlanL2;
using optiling::TilesThroughL2;
using optiling::Traffic;

namespace {

constexpr int64_t kL2Bytes = 160;
constexpr int64_t kRoom = 150;  // a sixteenth is left for other data

Chip ChipOf(int64_t l2Bytes) {
    Chip chip;
    chip.l2Bytes = l2Bytes;
    return chip;
}

L2Plan Plan(const Traffic& traffic) { return PlanL2(ChipOf(kL2Bytes), traffic); }

}  // namespace

TEST(NothingBypassesL2IfEverythingFits) {
    const L2Plan plan = Plan({100, 10, 40});
    CHECK(!plan.readsPastL2);
    CHECK_EQ(plan.writtenThroughL2, 40);
}

TEST(ReadsBypassL2IfNotEverythingFits) {
    const L2Plan plan = Plan({101, 10, 40});
    CHECK(plan.readsPastL2);
    CHECK_EQ(plan.writtenThroughL2, 40);
}

TEST(OnlyTheOutputsThatFitGoThroughL2) {
    CHECK_EQ(Plan({0, 0, kRoom + 1}).writtenThroughL2, kRoom);
    CHECK_EQ(Plan({0, 20, 1000}).writtenThroughL2, kRoom - 20);
    CHECK_EQ(Plan({0, 1000, 20}).writtenThroughL2, 0);
}

TEST(ALittleMoreTrafficChangesThePlanALittle) {
    for (int64_t written = 0; written < 2 * kRoom; ++written) {
        const int64_t now = Plan({30, 10, written}).writtenThroughL2;
        const int64_t next = Plan({30, 10, written + 1}).writtenThroughL2;
        CHECK(next == now || next == now + 1);
    }
}

TEST(AChipWithoutKnownL2KeepsNothing) {
    const L2Plan plan = PlanL2(ChipOf(0), {1, 0, 1});
    CHECK(plan.readsPastL2);
    CHECK_EQ(plan.writtenThroughL2, 0);
}

TEST(TilesOfABlockStoreThroughL2InTheShareOfThePlan) {
    const L2Plan half = Plan({0, 0, 2 * kRoom});
    CHECK_EQ(TilesThroughL2(half, 2 * kRoom, 80, 8), 5);
    // A block of 87 tiles on 8 blocks has 10 or 11 tiles; of the last tile nothing goes through L2.
    CHECK_EQ(TilesThroughL2(half, 2 * kRoom, 87, 8), 5);
    const L2Plan all = Plan({0, 0, kRoom});
    CHECK_EQ(TilesThroughL2(all, kRoom, 87, 8), 87);
}

int main(int argc, char** argv) { return check::RunTests(argc, argv); }
