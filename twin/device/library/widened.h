// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/library_steps.h"

namespace twin {

/// Lists steps on floats: half is converted to the floats in `wide` before tail(dst, src), and back
/// after it.
template <typename Tail>
void Widened(CallSteps s, bool half, View wide, View dst, View src, Tail tail) {
    if (!half) {
        return tail(dst, src);
    }
    s.Cast(wide, src);
    tail(wide, wide);
    s.Cast(dst, wide);
}

}  // namespace twin
