// SPDX-License-Identifier: Apache-2.0
#pragma once

// The advanced vector API, which kernel_operator.h includes, as in the toolkit.
#include "device/activation/activations.h"
#include "device/filter/dropout.h"
#include "device/math/functions.h"
#include "device/pad/pad.h"
#include "device/quantization/ascend_antiquant.h"
#include "device/quantization/ascend_quant.h"
#include "device/sys/hccl.h"
