// SPDX-License-Identifier: Apache-2.0
#pragma once

// A high-level tiling that the twin does not model is not declared, so using it fails at compile
// time. Sources expect <iostream> here.
#include <iostream>

#include "tiling/platform/platform_ascendc.h"
#ifdef TWIN_KERNEL_NAME  // a kernel that includes its operator's tiling header
#include "kernel_tiling/kernel_tiling.h"
#include "register/tilingdata_base.h"
#else
#include "lib/hccl/hccl_tiling.h"
#include "tiling/library_scratch.h"
#include "tiling/library_tilings.h"
#include "tiling/matmul/matmul_tiling.h"

namespace AscendC {

// The names that newer toolkits give to the shapes and types of tilings.
using TensorShape = ge::Shape;
using TensorDataType = ge::DataType;

}  // namespace AscendC
#endif
