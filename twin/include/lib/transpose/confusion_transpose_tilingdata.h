// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_LIB_TRANSPOSE_CONFUSION_TRANSPOSE_TILINGDATA_H
#define TWIN_INCLUDE_LIB_TRANSPOSE_CONFUSION_TRANSPOSE_TILINGDATA_H

#include "kernel_tiling/advanced_tilings.h"
#include "register/tilingdata_base.h"

namespace optiling {

#ifdef TWIN_KERNEL_NAME  // the kernel has the plain struct
using ::ConfusionTransposeTiling;
#else
// clang-format off
BEGIN_TILING_DATA_DEF(ConfusionTransposeTiling)
TWIN_CONFUSION_TRANSPOSE_TILING_FIELDS(TILING_DATA_FIELD_DEF)
END_TILING_DATA_DEF
// clang-format on
#endif

}  // namespace optiling

#endif  // TWIN_INCLUDE_LIB_TRANSPOSE_CONFUSION_TRANSPOSE_TILINGDATA_H
