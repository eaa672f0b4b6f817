// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_LIB_PAD_PAD_H
#define TWIN_INCLUDE_LIB_PAD_PAD_H

#include "device/advanced/pad.h"

#endif  // TWIN_INCLUDE_LIB_PAD_PAD_H
