// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_SOC_ASCEND910B2C_H
#define TWIN_SOC_ASCEND910B2C_H

#include "soc/soc.h"

namespace twin {

// Source: CANN 8.1.RC1, data/platform_config/Ascend910B2C.ini. It leaves the HBM size blank: 64 GiB
// as on Ascend910B2.
inline constexpr SocInfo kAscend910B2C = {
    "Ascend910B2C",           "ascend910b",
    /*aicCores=*/24,          /*aivCores=*/48,
    /*cubeMHz=*/1800,         /*l2Bytes=*/192ULL << 20,
    /*hbmBytes=*/64ULL << 30,
};

}  // namespace twin

#endif  // TWIN_SOC_ASCEND910B2C_H
