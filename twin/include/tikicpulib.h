// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/user_macros_aside.h"

// Kernel unit tests in the toolkit's style: a C++ program calls a kernel of its own sources, on
// cores that the test chooses. `cannery cc --unit-test` and `cannery flags --kernels` compile it.

#ifndef __CCE_KT_TEST__
#define __CCE_KT_TEST__ 1
#endif

// Tests expect these headers here.
#include <sys/stat.h>
#include <unistd.h>

#include <cassert>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <map>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "core/unit_test.h"
#include "device/sys/system.h"
#include "device/sys/tiling.h"
#include "device/types/dtype.h"
#include "device/types/half.h"
#include "securec.h"

#ifndef TWIN_BOTH_KINDS
#error \
    "tikicpulib.h: this source is compiled for one kind of core or for a host that launches with \
<<<>>>; compile unit tests with `cannery cc --unit-test` or $(cannery flags --kernels)"
#endif

/// Cores of a block: one cube core and two vector cores for MIX_MODE, one of each for MIX_AIC_1_1.
enum class KernelMode {
    MIX_MODE = 0,
    AIC_MODE = 1,
    AIV_MODE = 2,
    MIX_AIC_1_1 = 3,
};

namespace AscendC {

/// Allocates zeroed global memory; the twin reports accesses beyond `size`.
inline void* GmAlloc(size_t size) { return ::twin::unit_test::Allocate(size); }
inline void GmFree(void* ptr) { ::twin::unit_test::Check(twinTestFree(ptr)); }

/// Sets the mode of all later launches. Before the first call, launches use the kernel's own type,
/// as on the hardware.
inline void SetKernelMode(KernelMode mode) {
    ::twin::unit_test::Check(twinTestSetMode(static_cast<int32_t>(mode)));
}

}  // namespace AscendC

/// Sets the tiling key of all later launches.
#define ICPU_SET_TILING_KEY(tilingKey) twinTestSetTilingKey(static_cast<uint64_t>(tilingKey))

/// Runs `func(arguments...)` on every core of `blkdim` blocks and waits. Throws std::runtime_error
/// if the twin finds an error, so that the test framework ends the test case.
#define ICPU_RUN_KF(func, blkdim, ...)                                                           \
    ::twin::unit_test::Run(                                                                      \
        ::twin::unit_test::Request{#func, #__VA_ARGS__, __FILE__, __LINE__, 0, nullptr, nullptr, \
                                   nullptr, 0},                                                  \
        static_cast<int64_t>(blkdim), [&] { func(__VA_ARGS__); }, ##__VA_ARGS__)

#include "core/user_macros_back.h"
