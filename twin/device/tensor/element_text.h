// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "core/types.h"

namespace twin {

/// Returns one element's text for DumpTensor and Print; floating-point numbers have six decimals.
std::string ElementText(Dtype dtype, const uint8_t* from);

}  // namespace twin
