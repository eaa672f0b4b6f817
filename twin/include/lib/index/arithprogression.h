// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_LIB_INDEX_ARITHPROGRESSION_H
#define TWIN_INCLUDE_LIB_INDEX_ARITHPROGRESSION_H

#include "device/fill/arith_progression.h"

#endif  // TWIN_INCLUDE_LIB_INDEX_ARITHPROGRESSION_H
