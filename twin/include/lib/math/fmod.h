// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_LIB_MATH_FMOD_H
#define TWIN_INCLUDE_LIB_MATH_FMOD_H

#include "device/advanced/fmod.h"

#endif  // TWIN_INCLUDE_LIB_MATH_FMOD_H
