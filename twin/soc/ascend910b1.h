// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_SOC_ASCEND910B1_H
#define TWIN_SOC_ASCEND910B1_H

#include "soc/soc.h"

namespace twin {

// Source: CANN 8.1.RC1, data/platform_config/Ascend910B1.ini.
inline constexpr SocInfo kAscend910B1 = {
    "Ascend910B1",
    "ascend910b",
    /*aicCores=*/24,
    /*aivCores=*/48,
    /*cubeMHz=*/1850,
    /*l2Bytes=*/192ULL << 20,
    /*hbmBytes=*/64ULL << 30,
};

}  // namespace twin

#endif  // TWIN_SOC_ASCEND910B1_H
