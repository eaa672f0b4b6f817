// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_LIB_ACTIVATION_GELU_H
#define TWIN_INCLUDE_LIB_ACTIVATION_GELU_H

#include "device/advanced/gelu.h"

#endif  // TWIN_INCLUDE_LIB_ACTIVATION_GELU_H
