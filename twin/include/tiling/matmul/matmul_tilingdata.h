// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel_tiling/cube_tiling.h"
#include "register/plain_tiling.h"

namespace optiling {

TWIN_HOST_TILING(TCubeTiling, CUBE)

}  // namespace optiling
