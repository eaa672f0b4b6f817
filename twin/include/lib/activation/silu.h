// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_LIB_ACTIVATION_SILU_H
#define TWIN_INCLUDE_LIB_ACTIVATION_SILU_H

#include "device/advanced/swish.h"

#endif  // TWIN_INCLUDE_LIB_ACTIVATION_SILU_H
