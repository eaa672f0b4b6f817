// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_TIMING_COPY_TIME_H
#define TWIN_TIMING_COPY_TIME_H

#include <cstdint>

#include "core/export.h"

extern "C" {
/// Copies of one shape, as every core makes them behind each other.
struct TwinCopies {
    bool load;
    bool cube;  ///< by AIC, else by AIV
    uint32_t cores;
    uint64_t copies;    ///< of each core
    uint64_t runBytes;  ///< of each row of a copy
    uint64_t runs;
    uint64_t pitch;  ///< from row to row
};

/// Modelled microseconds until a core has made them, mean over the cores; none of them touches the
/// bytes of another, L2 is cold. Below 0: no such SoC.
TWIN_API double twinCopyMicros(const char* soc, const TwinCopies* copies);
}

#endif  // TWIN_TIMING_COPY_TIME_H
