// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_VEC_SCRATCH_H
#define TWIN_DEVICE_VEC_SCRATCH_H

#include <cstdint>

#include "device/issue/issue.h"

namespace twin::vec {

constexpr uint64_t kScratchBegin = 184U << 10;  ///< AscendC::TMP_UB_OFFSET
constexpr uint64_t kScratchBytes = 8U << 10;

/// The instruction overwrites `bytes` bytes of the scratch region at the end of the unified buffer:
/// strict mode refuses it if a buffer of the kernel is there (T415). The bytes become zero.
void UseScratch(Issue& issue, uint64_t bytes);

}  // namespace twin::vec

#endif  // TWIN_DEVICE_VEC_SCRATCH_H
