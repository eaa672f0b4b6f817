// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/types.h"

namespace twin {

/// Numbers of one chip. Sizes are in bytes, rates in bytes per cycle and core, as CANN's tiling
/// sees them. Source of every number: the platform configuration files that CANN 8.1.RC1 ships per
/// SoC version.
struct SocInfo {
    const char* name;       ///< name of the chip, as aclrtGetSocName spells it
    const char* shortName;  ///< name of the series, as OpDef configs spell it
    uint32_t aicCores;
    uint32_t aivCores;
    uint32_t cubeMHz;
    uint64_t l2Bytes;
    uint64_t hbmBytes;
    uint32_t hbmGBs;  ///< bandwidth of HBM that kernels reach, in 1e9 bytes per second: measured,
                      ///< not nominal
    uint64_t ubBytes = 196608;
    uint64_t l1Bytes = 524288;
    uint64_t l0aBytes = 65536;
    uint64_t l0bBytes = 65536;
    uint64_t l0cBytes = 131072;
    uint64_t btBytes = 1024;
    uint64_t fbBytes = 2048;
    uint32_t l2Rate = 110;
    uint32_t hbmRate = 32;
    // For the model of time; docs/timing.md gives the sources.
    double l2ReadBytes = 135.0;  ///< bytes per cycle and AI core that the cache serves at most
    double l2WriteBytes = 63.0;
    uint64_t systemWorkspaceBytes = 16ULL << 20;
};

/// Returns nullptr if the name is not that of a known chip.
TWIN_API const SocInfo* FindSoc(const char* name);
TWIN_API size_t SocCount();
TWIN_API const SocInfo& SocAt(size_t index);

}  // namespace twin
