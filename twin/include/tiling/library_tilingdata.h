// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel_tiling/advanced_tilings.h"
#include "register/plain_tiling.h"

namespace optiling {

TWIN_LIBRARY_TILINGS(TWIN_HOST_TILING)

}  // namespace optiling
