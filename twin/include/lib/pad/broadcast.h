// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_LIB_PAD_BROADCAST_H
#define TWIN_INCLUDE_LIB_PAD_BROADCAST_H

#include "device/advanced/broadcast.h"

#endif  // TWIN_INCLUDE_LIB_PAD_BROADCAST_H
