// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/user_macros_checked.h"
#include "device/c_api/cast.h"
#include "device/c_api/copy.h"
#include "device/c_api/system.h"
#include "device/c_api/vector.h"
#include "kernel_operator.h"

// clang-format off: not sorted
#include "core/user_macros_back.h"
