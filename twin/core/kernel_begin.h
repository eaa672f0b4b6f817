// SPDX-License-Identifier: Apache-2.0
#pragma once

// The unit of a kernel includes this first. Otherwise the compiler would instantiate C++17's
// special functions, such as the elliptic integrals, in every kernel that includes <math.h>; none
// calls them.
#include <cstddef>
#undef _GLIBCXX_USE_STD_SPEC_FUNCS
#define _GLIBCXX_USE_STD_SPEC_FUNCS 0
