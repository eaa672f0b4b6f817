// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_LIB_NORMALIZATION_LAYERNORM_GRAD_TILINGDATA_H
#define TWIN_INCLUDE_LIB_NORMALIZATION_LAYERNORM_GRAD_TILINGDATA_H

#include "kernel_tiling/advanced_tilings.h"
#include "register/tilingdata_base.h"

namespace optiling {

#ifdef TWIN_KERNEL_NAME  // the kernel has the plain struct
using ::LayerNormGradTiling;
#else
// clang-format off
BEGIN_TILING_DATA_DEF(LayerNormGradTiling)
TWIN_LAYER_NORM_GRAD_TILING_FIELDS(TILING_DATA_FIELD_DEF)
END_TILING_DATA_DEF
// clang-format on
#endif

}  // namespace optiling

#endif  // TWIN_INCLUDE_LIB_NORMALIZATION_LAYERNORM_GRAD_TILINGDATA_H
