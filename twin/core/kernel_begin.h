// SPDX-License-Identifier: Apache-2.0
#pragma once

// The translation unit of a kernel includes this file first. Otherwise <math.h> would make the
// compiler instantiate C++17's special functions, such as elliptic integrals; kernels call none.
// <cstddef> defines the macro that is changed below. A card's compiler knows the types of both
// headers before it reads any.
#include <cstddef>
#include <cstdint>
#undef _GLIBCXX_USE_STD_SPEC_FUNCS
#define _GLIBCXX_USE_STD_SPEC_FUNCS 0
