// SPDX-License-Identifier: Apache-2.0
// Host sources include this header; toolkits compile them as C++11.
#pragma once

#include <cstdint>

namespace AscendC {

/// The axes of a matrix that a call reduces (R) or keeps (A).
enum class ReducePattern : uint32_t { AR = 0, RA = 1 };

}  // namespace AscendC
