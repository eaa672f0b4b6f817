// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdint.h>

// Tiling data for kernels with collective communication; the sizes are the toolkit's.

struct Mc2ServerCfg {
    uint32_t version = 0;
    uint8_t debugMode = 0;
    uint8_t sendArgIndex = 0;
    uint8_t recvArgIndex = 0;
    uint8_t commOutArgIndex = 0;
    uint8_t reserved[8] = {};
};

struct Mc2HcommCfg {
    uint8_t skipLocalRankCopy = 0;
    uint8_t skipBufferWindowCopy = 0;
    uint8_t stepSize = 0;
    char reserved[13] = {};
    char groupName[128] = {};
    char algConfig[128] = {};
    uint32_t opType = 0;
    uint32_t reduceType = 0;
};

/// Tiling data whose contents kernels do not read; Mc2CcTilingConfig fills them.
struct Mc2InitTiling {
    uint8_t reserved[64] = {};
};
struct Mc2CcTiling {
    uint8_t reserved[280] = {};
};

static_assert(sizeof(Mc2HcommCfg) == sizeof(Mc2CcTiling), "one is the other's content");
