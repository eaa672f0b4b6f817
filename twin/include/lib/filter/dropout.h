// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_LIB_FILTER_DROPOUT_H
#define TWIN_INCLUDE_LIB_FILTER_DROPOUT_H

#include "device/advanced/dropout.h"

#endif  // TWIN_INCLUDE_LIB_FILTER_DROPOUT_H
