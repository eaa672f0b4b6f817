// SPDX-License-Identifier: Apache-2.0
#ifndef OP_HOST_COMMON_COPY_COSTS_H
#define OP_HOST_COMMON_COPY_COSTS_H

#include <algorithm>
#include <cstdint>

namespace optiling {

// Estimates with which tilings compare tiles, in cycles of a core.

/// Bytes that copies from HBM move in a cycle: to one core if no other core loads, and to all cores
/// together.
constexpr int64_t kCoreBytesPerCycle = 64;
constexpr int64_t kChipBytesPerCycle = 800;
/// Time until the first bytes of a load arrive, and until a store has ended.
constexpr int64_t kLoadLatency = 450;
constexpr int64_t kStoreLatency = 250;
/// Time by which each block more makes a launch longer: blocks start one after the other, and all
/// of them load the code of the kernel.
constexpr int64_t kBlockCycles = 140;
/// If rows have fewer bytes, their number may decide the time of a copy instead of their bytes.
constexpr int64_t kNarrowBytes = 128;

/// Returns the bytes that a copy from HBM moves in a cycle if `blocks` cores load at once.
inline int64_t LoadBytesPerCycle(int64_t blocks) {
    return std::min(kCoreBytesPerCycle, kChipBytesPerCycle / blocks);
}

}  // namespace optiling

#endif  // OP_HOST_COMMON_COPY_COSTS_H
