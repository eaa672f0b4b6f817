// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_SOC_ASCEND910B3_H
#define TWIN_SOC_ASCEND910B3_H

#include "soc/soc.h"

namespace twin {

// Source: CANN 8.1.RC1, data/platform_config/Ascend910B3.ini.
inline constexpr SocInfo kAscend910B3 = {
    "Ascend910B3",
    "ascend910b",
    /*aicCores=*/20,
    /*aivCores=*/40,
    /*cubeMHz=*/1800,
    /*l2Bytes=*/192ULL << 20,
    /*hbmBytes=*/64ULL << 30,
};

}  // namespace twin

#endif  // TWIN_SOC_ASCEND910B3_H
