// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_SOC_ASCEND910_9392_H
#define TWIN_SOC_ASCEND910_9392_H

#include "soc/soc.h"

namespace twin {

// Source: CANN 8.1.RC1, data/platform_config/Ascend910_9392.ini.
inline constexpr SocInfo kAscend910_9392 = {
    "Ascend910_9392", "ascend910_93",           /*aicCores=*/24,          /*aivCores=*/48,
    /*cubeMHz=*/1850, /*l2Bytes=*/192ULL << 20, /*hbmBytes=*/64ULL << 30,
};

}  // namespace twin

#endif  // TWIN_SOC_ASCEND910_9392_H
