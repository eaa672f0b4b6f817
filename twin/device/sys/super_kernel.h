// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// Newer toolkits can fuse the kernels of a graph into one, a super kernel. A kernel then has a
// second entry, marked __sk__. The twin compiles this entry but does not call it: it fuses nothing.

#define __sk__

namespace sk {

/// What a super kernel tells a kernel in it, where GetBlockNum has another meaning.
struct SkSystemArgs {
    uint16_t skBlockIdx;
    uint16_t skNumBlocks;
    uint16_t skTaskSyncCfg;
    uint8_t reserve[10];

    uint16_t SkGetBlockIdx() const { return skBlockIdx; }
    uint16_t SkGetNumBlocks() const { return skNumBlocks; }
    uint16_t SkGetTaskSyncCfg() const { return skTaskSyncCfg; }
    void SkSetTaskSyncCfg(uint16_t config) { skTaskSyncCfg = config; }
};

}  // namespace sk

namespace twin {

template <auto kernel, uint64_t flags, auto... entries>
struct TwinSuperKernelEntries {
    static_assert(sizeof...(entries) >= 1 && sizeof...(entries) <= 4,
                  "SK_BIND: a kernel has one to four entries for super kernels");
};

}  // namespace twin

/// Binds a kernel to its entries for super kernels: SK_BIND(kernel, flags, entry, ...).
#define SK_BIND(...) static_assert(sizeof(::twin::TwinSuperKernelEntries<__VA_ARGS__>) != 0)
