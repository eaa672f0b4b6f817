// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_LIB_ACTIVATION_REGLU_H
#define TWIN_INCLUDE_LIB_ACTIVATION_REGLU_H

#include "device/advanced/glu.h"

#endif  // TWIN_INCLUDE_LIB_ACTIVATION_REGLU_H
