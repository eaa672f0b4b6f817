// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_SOC_ASCEND910_9362_H
#define TWIN_SOC_ASCEND910_9362_H

#include "soc/soc.h"

namespace twin {

// Source: CANN 8.1.RC1, data/platform_config/Ascend910_9362.ini.
inline constexpr SocInfo kAscend910_9362 = {
    "Ascend910_9362", "ascend910_93",           /*aicCores=*/20,          /*aivCores=*/40,
    /*cubeMHz=*/1500, /*l2Bytes=*/168ULL << 20, /*hbmBytes=*/32ULL << 30,
};

}  // namespace twin

#endif  // TWIN_SOC_ASCEND910_9362_H
