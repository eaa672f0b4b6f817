// SPDX-License-Identifier: Apache-2.0
#pragma once

// Declares the tilings that the twin supports; the use of any other fails at compile time. Some
// sources use std::cout without including <iostream>, so this header includes <iostream>.
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

// Newer toolkits' names for the shapes and types of tilings.
using TensorShape = ge::Shape;
using TensorDataType = ge::DataType;

}  // namespace AscendC
#endif
