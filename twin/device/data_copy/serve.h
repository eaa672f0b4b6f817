// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "core/types.h"

namespace twin::copy {

/// Asks the cube core to run `copy`, in order with this vector core's Matmul requests. Fails if no
/// cube core serves these requests (T490).
void Serve(const char* api, std::function<void()> copy, Location where);

}  // namespace twin::copy
