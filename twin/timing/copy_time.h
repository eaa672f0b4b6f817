// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_TIMING_COPY_TIME_H
#define TWIN_TIMING_COPY_TIME_H

#include <cstdint>

#include "core/export.h"

extern "C" {
/// Copies of one shape that every core makes one after the other.
struct TwinCopies {
    bool load;
    bool cube;  ///< made by AIC, otherwise by AIV
    uint32_t cores;
    uint64_t copies;    ///< number of copies of each core
    uint64_t runBytes;  ///< bytes of each row of a copy
    uint64_t runs;
    uint64_t pitch;  ///< bytes from row to row
};

/// Modelled microseconds until a core has made them, mean over the cores. No core touches the bytes
/// of another, and L2 is cold. Negative if there is no such SoC.
TWIN_API double twinCopyMicros(const char* soc, const TwinCopies* copies);
}

#endif  // TWIN_TIMING_COPY_TIME_H
