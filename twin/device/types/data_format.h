// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace AscendC {

/// The order of a tensor's axes. The last three are newer than CANN 8.1.
enum class DataFormat : uint8_t {
    ND = 0,
    NZ,
    NCHW,
    NC1HWC0,
    NHWC,
    NCDHW,
    NDC1HWC0,
    FRACTAL_Z_3D,
};

}  // namespace AscendC
