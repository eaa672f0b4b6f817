// SPDX-License-Identifier: Apache-2.0
#ifndef OP_HOST_COMMON_L2_PLAN_H
#define OP_HOST_COMMON_L2_PLAN_H

#include <algorithm>
#include <cstdint>

#include "chip.h"

namespace optiling {

/// The bytes of GM that a launch accesses.
struct Traffic {
    int64_t readOnce;  ///< bytes of inputs that the launch reads once
    /// Bytes that the launch accesses more than once: inputs that it reads again, workspace, and
    /// outputs to which it adds.
    int64_t accessedAgain;
    int64_t writtenOnce;  ///< bytes of outputs that the launch writes once

    int64_t Total() const { return readOnce + accessedAgain + writtenOnce; }
};

/// What of a launch's traffic bypasses the L2 cache. docs/performance.md gives the reasons.
struct L2Plan {
    bool readsPastL2 = false;      ///< inputs that are read once bypass L2
    int64_t writtenThroughL2 = 0;  ///< bytes of `writtenOnce` that go through L2
};

/// Decides from the sizes alone what bypasses L2. If all bytes fit into L2, nothing bypasses it.
/// Otherwise, a byte that is read once would only evict bytes that are written or accessed again.
/// Of the bytes that are written once, as many as fit stay in L2: they need no access to HBM.
inline L2Plan PlanL2(const Chip& chip, const Traffic& traffic) {
    // Other data, such as code, also needs lines, and the sets of the cache do not fill evenly.
    const int64_t room = chip.l2Bytes - chip.l2Bytes / 16;
    L2Plan plan;
    plan.readsPastL2 = traffic.Total() > room;
    plan.writtenThroughL2 =
        std::min(traffic.writtenOnce, std::max<int64_t>(0, room - traffic.accessedAgain));
    return plan;
}

/// Returns how many tiles of each block store their results through L2; the block has about
/// `tiles / blocks` tiles. If `plan` lets everything through that is written once (`written`
/// bytes), the result is `tiles`, which is enough for every block.
inline int64_t TilesThroughL2(const L2Plan& plan, int64_t written, int64_t tiles, int64_t blocks) {
    if (plan.writtenThroughL2 == written) {
        return tiles;
    }
    const int64_t tilesOfBlock = tiles / blocks;
    return static_cast<int64_t>(static_cast<double>(tilesOfBlock) *
                                static_cast<double>(plan.writtenThroughL2) /
                                static_cast<double>(written));
}

}  // namespace optiling

#endif  // OP_HOST_COMMON_L2_PLAN_H
