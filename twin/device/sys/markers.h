// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_SYS_MARKERS_H
#define TWIN_DEVICE_SYS_MARKERS_H

#include "device/types/enums.h"

// Statements that give the toolkit's build information about a kernel. The twin prints, asserts and
// adds in a fixed order anyway, so they do nothing.
#define ENABLE_PRINTF() static_cast<void>(0)
#define ENABLE_PRINTF_DUMP_SIZE() static_cast<void>(0)
#define ENABLE_ASSERT() static_cast<void>(0)
#define ENABLE_ASSERT_DUMP_SIZE() static_cast<void>(0)
#define ENABLE_DETERMINISTIC() static_cast<void>(0)

// Marks for the toolkit's profiler, which are empty unless it traces.
#define TRACE_START(apid) static_cast<void>(0)
#define TRACE_STOP(apid) static_cast<void>(0)

namespace AscendC {

inline void MetricsProfStart() {}
inline void MetricsProfStop() {}

/// Newer than 8.1: lets the next kernel of a fused chain start early, or waits for the previous
/// one. A kernel that is launched separately has no neighbours.
template <pipe_t AIV_PIPE = PIPE_MTE3, pipe_t AIC_PIPE = PIPE_FIX, bool FORCE = false>
inline void SetNextTaskStart() {}
template <bool FORCE = false>
inline void WaitPreTaskEnd() {}

}  // namespace AscendC

#endif  // TWIN_DEVICE_SYS_MARKERS_H
