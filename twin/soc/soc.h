// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/types.h"

namespace twin {

/// Properties of one SoC. Sizes are in bytes; rates are in bytes per cycle and core, as CANN gives
/// them to tiling functions. Source, if no other is named: the platform configuration file that
/// CANN 8.1.RC1 has for the SoC version.
struct SocInfo {
    const char* name;       ///< name of the SoC, as aclrtGetSocName returns it
    const char* shortName;  ///< name of the series, as AddConfig of OpDef uses it
    uint32_t aicCores;
    uint32_t aivCores;
    uint32_t cubeMHz;
    uint64_t l2Bytes;
    uint64_t hbmBytes;
    uint32_t hbmGBs;  ///< HBM bandwidth in 1e9 bytes per second; soc.cpp names the sources
    uint64_t ubBytes = 196608;
    uint64_t l1Bytes = 524288;
    uint64_t l0aBytes = 65536;
    uint64_t l0bBytes = 65536;
    uint64_t l0cBytes = 131072;
    uint64_t btBytes = 1024;
    uint64_t fbBytes = 7168;   ///< all four buffers of FIXPIPE
    uint64_t fb0Bytes = 2048;  ///< the first one, for the words of quantisation
    uint32_t l2Rate = 110;
    uint32_t hbmRate = 32;
    // Used by the timing model; docs/timing.md gives the sources.
    double l2ReadBytes = 122.0;  ///< most bytes per cycle and AI core that the L2 cache delivers
    double l2WriteBytes = 63.0;
    uint64_t systemWorkspaceBytes = 16ULL << 20;
};

/// Returns the SoC with this name; nullptr if it is not known.
TWIN_API const SocInfo* FindSoc(const char* name);
TWIN_API size_t SocCount();
TWIN_API const SocInfo& SocAt(size_t index);

}  // namespace twin
