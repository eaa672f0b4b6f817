// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "core/types.h"

namespace twin::copy {

/// On a vector core: passes `copy` to the cube core, which makes it in the order of the requests
/// for products.
void Serve(const char* api, std::function<void()> copy, Location where);

}  // namespace twin::copy
