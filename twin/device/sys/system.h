// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_SYS_SYSTEM_H
#define TWIN_DEVICE_SYS_SYSTEM_H

#include <cstdint>

#include "core/core.h"
#include "device/types/enums.h"
#include "device/types/qualifiers.h"

#define ASCEND_IS_AIV (::twin::Self().kind == ::twin::CoreKind::Aiv)
#define ASCEND_IS_AIC (::twin::Self().kind == ::twin::CoreKind::Aic)
#define ASCEND_IS_NOT_AIV (::twin::Self().kind != ::twin::CoreKind::Aiv)
#define ASCEND_IS_NOT_AIC (::twin::Self().kind != ::twin::CoreKind::Aic)

namespace AscendC {

inline int64_t GetBlockIdx() { return twin::Self().blockIdx; }
/// blockDim of the launch.
inline int64_t GetBlockNum() { return twin::Self().blockNum; }
inline int64_t GetSubBlockIdx() { return twin::Self().subBlockIdx; }
inline int64_t GetTaskRation() { return twin::Self().taskRation; }
inline constexpr int16_t GetDataBlockSizeInBytes() { return ONE_BLK_SIZE; }

/// A packaged operator gets its part of the workspace already; so does a kernel launched by hand on
/// the twin.
inline GM_ADDR GetUserWorkspace(GM_ADDR workspace) { return workspace; }

}  // namespace AscendC

#endif  // TWIN_DEVICE_SYS_SYSTEM_H
