// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_LIB_KERNEL_API_H
#define TWIN_INCLUDE_LIB_KERNEL_API_H

// The advanced vector API, which kernel_operator.h includes, as in the toolkit.
#include "device/activation/activation.h"
#include "device/filter/dropout.h"
#include "device/math/cumsum.h"
#include "device/math/functions.h"
#include "device/math/power.h"
#include "device/pad/broadcast.h"
#include "device/pad/pad.h"
#include "device/quantization/ascend_antiquant.h"
#include "device/quantization/ascend_dequant.h"
#include "device/quantization/ascend_quant.h"

#endif  // TWIN_INCLUDE_LIB_KERNEL_API_H
