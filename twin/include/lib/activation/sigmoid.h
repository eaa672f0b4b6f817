// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_LIB_ACTIVATION_SIGMOID_H
#define TWIN_INCLUDE_LIB_ACTIVATION_SIGMOID_H

#include "device/advanced/sigmoid.h"

#endif  // TWIN_INCLUDE_LIB_ACTIVATION_SIGMOID_H
