// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "device/types/fields.h"

namespace twin {

template <typename P, typename = void>
constexpr bool kHasBlockCount = false;
template <typename P>
constexpr bool kHasBlockCount<P, std::void_t<decltype(P::blockCount)>> = true;
template <typename P, typename = void>
constexpr bool kHasMatrixCount = false;
template <typename P>
constexpr bool kHasMatrixCount<P, std::void_t<decltype(P::ndNum)>> = true;

/// Returns it for the stride `field` by the count in `params`, which constructors set first.
template <typename P>
constexpr StrideUse UseOf(const P& params, const char* field) {
    if constexpr (kHasBlockCount<P>) {
        return params.blockCount > 1 ? StrideUse::Used : StrideUse::Unused;
    } else if constexpr (kHasMatrixCount<P>) {
        if (Contains(field, "MatrixStride")) {
            return params.ndNum > 1 ? StrideUse::Used : StrideUse::Unused;
        }
    }
    return StrideUse::Unknown;
}

}  // namespace twin
