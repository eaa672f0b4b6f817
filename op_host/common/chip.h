// SPDX-License-Identifier: Apache-2.0
#ifndef OP_HOST_COMMON_CHIP_H
#define OP_HOST_COMMON_CHIP_H

#include <cstddef>
#include <cstdint>

#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {

/// UB is addressed in blocks of this size, and copies are padded to whole blocks.
constexpr int64_t kBlockBytes = 32;
/// GM accesses that start at a multiple of 512 B run at full bandwidth, others at about 70 %.
constexpr int64_t kGmAlignBytes = 512;
/// Largest number of rows that one strided copy moves.
constexpr int64_t kMaxBlockCount = 4095;

/// Numbers of the hardware that tilings use.
struct Chip {
    int64_t cubeCores = 0;
    int64_t vectorCores = 0;
    int64_t ubBytes = 0;
    int64_t l2Bytes = 0;     ///< bytes of the L2 cache, which all cores share; 0 if unknown
    size_t systemBytes = 0;  ///< part of the workspace that the Ascend C library uses
};

/// Reads the numbers of the hardware. Returns false if the platform has no cores or no UB.
inline bool ReadChip(gert::TilingContext* context, Chip* chip) {
    if (context->GetPlatformInfo() == nullptr) {
        return false;
    }
    platform_ascendc::PlatformAscendC platform(context->GetPlatformInfo());
    uint64_t ubBytes = 0;
    uint64_t l2Bytes = 0;
    platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, ubBytes);
    platform.GetCoreMemSize(platform_ascendc::CoreMemType::L2, l2Bytes);
    chip->cubeCores = static_cast<int64_t>(platform.GetCoreNumAic());
    chip->vectorCores = static_cast<int64_t>(platform.GetCoreNumAiv());
    chip->ubBytes = static_cast<int64_t>(ubBytes);
    chip->l2Bytes = static_cast<int64_t>(l2Bytes);
    chip->systemBytes = platform.GetLibApiWorkSpaceSize();
    return chip->cubeCores > 0 && chip->vectorCores > 0 && chip->ubBytes > 0;
}

/// Returns the bytes of an element of a float type. All float types except float32 have 16 bits.
inline int64_t FloatBytes(ge::DataType dtype) { return dtype == ge::DT_FLOAT ? 4 : 2; }

}  // namespace optiling

#endif  // OP_HOST_COMMON_CHIP_H
