// SPDX-License-Identifier: Apache-2.0
#pragma once

// The formats of TransData, for kernels and for the host's function that gives its scratch size.
#include <cstdint>

#include "core/export.h"
#include "device/types/data_format.h"

namespace AscendC {

struct TransDataConfig {
    DataFormat srcFormat;
    DataFormat dstFormat;
};

}  // namespace AscendC

namespace twin::transpose {

/// The axes of a tensor in the format NCDHW.
struct Ncdhw {
    int64_t n, c, d, h, w;
};

constexpr int64_t kCube0 = 16;  ///< length of the axes C0 and N0

constexpr int64_t Parts(int64_t length) { return (length + kCube0 - 1) / kCube0; }

constexpr bool IsDivided(AscendC::DataFormat format) {
    return format == AscendC::DataFormat::NDC1HWC0 || format == AscendC::DataFormat::FRACTAL_Z_3D;
}
/// Returns true if TransData converts from the one format to the other.
constexpr bool IsTransData(const AscendC::TransDataConfig& config) {
    return config.srcFormat == AscendC::DataFormat::NCDHW
               ? IsDivided(config.dstFormat)
               : config.dstFormat == AscendC::DataFormat::NCDHW && IsDivided(config.srcFormat);
}

/// Returns the scratch size of TransData in bytes.
TWIN_API uint64_t TransDataScratch(const AscendC::TransDataConfig& config, const Ncdhw& shape);

}  // namespace twin::transpose
