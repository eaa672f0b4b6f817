// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_SOC_ASCEND910B4_1_H
#define TWIN_SOC_ASCEND910B4_1_H

#include "soc/soc.h"

namespace twin {

// Source: CANN 8.1.RC1, data/platform_config/Ascend910B4-1.ini.
inline constexpr SocInfo kAscend910B4_1 = {
    "Ascend910B4-1",          "ascend910b",
    /*aicCores=*/20,          /*aivCores=*/40,
    /*cubeMHz=*/1500,         /*l2Bytes=*/168ULL << 20,
    /*hbmBytes=*/32ULL << 30,
};

}  // namespace twin

#endif  // TWIN_SOC_ASCEND910B4_1_H
