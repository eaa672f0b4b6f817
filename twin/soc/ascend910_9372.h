// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_SOC_ASCEND910_9372_H
#define TWIN_SOC_ASCEND910_9372_H

#include "soc/soc.h"

namespace twin {

// Source: CANN 8.1.RC1, data/platform_config/Ascend910_9372.ini.
inline constexpr SocInfo kAscend910_9372 = {
    "Ascend910_9372", "ascend910_93",           /*aicCores=*/20,          /*aivCores=*/40,
    /*cubeMHz=*/1800, /*l2Bytes=*/192ULL << 20, /*hbmBytes=*/64ULL << 30,
};

}  // namespace twin

#endif  // TWIN_SOC_ASCEND910_9372_H
