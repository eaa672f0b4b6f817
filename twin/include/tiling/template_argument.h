// SPDX-License-Identifier: Apache-2.0
#pragma once

// Template tiling. A header declares a kernel's template parameters and their allowed combinations.
// Tiling packs a combination into the tiling key with GET_TPL_TILING_KEY; the key selects the
// kernel's instance. ASCENDC_TPL_DATATYPE_*, _KERNEL_TYPE_*, _DETERMINISTIC_SEL, _INPUT and _OUTPUT
// are newer than CANN 8.1.
#include <cstdint>

// Numbers of bits that a parameter can have in the tiling key.
#define ASCENDC_TPL_1_BW 1
#define ASCENDC_TPL_2_BW 2
#define ASCENDC_TPL_4_BW 4
#define ASCENDC_TPL_8_BW 8
// Kinds of parameters.
#define ASCENDC_TPL_DTYPE 0
#define ASCENDC_TPL_FORMAT 1
#define ASCENDC_TPL_UINT 2
#define ASCENDC_TPL_BOOL 3
// How a UINT parameter lists its values: ranges (their number, then first and last value of each),
// a list, or ranges followed by a list.
#define ASCENDC_TPL_UI_RANGE 0
#define ASCENDC_TPL_UI_LIST 1
#define ASCENDC_TPL_UI_MIX 2
// Kernel types of a selection; their numbers differ from those of KERNEL_TYPE_*.
#define ASCENDC_TPL_AIV_ONLY 0
#define ASCENDC_TPL_AIC_ONLY 1
#define ASCENDC_TPL_MIX_AIV_1_0 4
#define ASCENDC_TPL_MIX_AIC_1_0 5
#define ASCENDC_TPL_MIX_AIC_1_1 6
#define ASCENDC_TPL_MIX_AIC_1_2 7
// Not a value: tells the toolkit to skip instances without the data type of input or output x.
#define ASCENDC_TPL_INPUT(x) (100000000 + (x))
#define ASCENDC_TPL_OUTPUT(x) (900000000 + (x))

#include "tiling/template_codes.h"

#if defined(TWIN_KERNEL_NAME) || defined(ASCENDC_TPL_KERNEL)
#include "core/user_macros_aside.h"
#include "device/sys/template_tiling.h"
// clang-format off: not sorted
#include "core/user_macros_back.h"
// clang-format on
#else
#include "tiling/template_host.h"
#endif
