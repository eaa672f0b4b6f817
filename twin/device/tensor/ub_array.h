// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/core.h"

namespace twin {

/// Returns the place in UB of an array that a kernel declares there. Declarations get places from
/// address 0 on, in the order in which the kernel first reaches them; `declaration` identifies one.
TWIN_API void* PlaceInUb(const void* declaration, uint64_t bytes, Location where);

/// The array of a declaration such as `__ubuf__ float x[64];`, which compile/tokens.py replaces by
/// `auto& x = ::twin::UbArray<float [64]>([] {});`. The lambda's type identifies the declaration.
template <typename Array, typename Declaration>
inline Array& UbArray(Declaration, TWIN_HERE) {
    static const char declaration = 0;
    return *static_cast<Array*>(PlaceInUb(&declaration, sizeof(Array), here));
}

}  // namespace twin
