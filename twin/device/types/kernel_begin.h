// SPDX-License-Identifier: Apache-2.0
#pragma once

// The translation unit of a kernel includes this file first. Otherwise <math.h> would make the
// compiler instantiate C++17's special functions, such as elliptic integrals; kernels call none.
// <cstddef> is included because it defines the macro that is changed below.
#include <cstddef>
#undef _GLIBCXX_USE_STD_SPEC_FUNCS
#define _GLIBCXX_USE_STD_SPEC_FUNCS 0
// A card's compiler knows half, uint64_t and the like before it reads a header.
#include "core/user_macros_checked.h"
#include "device/types/half.h"

// clang-format off: not sorted
#include "core/user_macros_back.h"
