// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_LIB_HCCL_HCCL_TILINGDATA_H
#define TWIN_INCLUDE_LIB_HCCL_HCCL_TILINGDATA_H

#include "kernel_tiling/mc2_tilings.h"
#include "register/tilingdata_base.h"

namespace optiling {

#ifdef TWIN_KERNEL_NAME  // the kernel has the plain structs
using ::Mc2CcTiling;
using ::Mc2HcommCfg;
using ::Mc2InitTiling;
using ::Mc2ServerCfg;
#else
BEGIN_TILING_DATA_DEF(Mc2ServerCfg)
TILING_DATA_FIELD_DEF(uint32_t, version);
TILING_DATA_FIELD_DEF(uint8_t, debugMode);
TILING_DATA_FIELD_DEF(uint8_t, sendArgIndex);
TILING_DATA_FIELD_DEF(uint8_t, recvArgIndex);
TILING_DATA_FIELD_DEF(uint8_t, commOutArgIndex);
TILING_DATA_FIELD_DEF_ARR(uint8_t, 8, reserved);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(Mc2ServerCfgOpApi, Mc2ServerCfg)

BEGIN_TILING_DATA_DEF(Mc2HcommCfg)
TILING_DATA_FIELD_DEF(uint8_t, skipLocalRankCopy);
TILING_DATA_FIELD_DEF(uint8_t, skipBufferWindowCopy);
TILING_DATA_FIELD_DEF(uint8_t, stepSize);
TILING_DATA_FIELD_DEF_ARR(char, 13, reserved);
TILING_DATA_FIELD_DEF_ARR(char, 128, groupName);
TILING_DATA_FIELD_DEF_ARR(char, 128, algConfig);
TILING_DATA_FIELD_DEF(uint32_t, opType);
TILING_DATA_FIELD_DEF(uint32_t, reduceType);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(Mc2HcommCfgOpApi, Mc2HcommCfg)

BEGIN_TILING_DATA_DEF(Mc2InitTiling)
TILING_DATA_FIELD_DEF_ARR(uint8_t, 64, reserved);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(Mc2InitTilingOpApi, Mc2InitTiling)

BEGIN_TILING_DATA_DEF(Mc2CcTiling)
TILING_DATA_FIELD_DEF_ARR(uint8_t, 280, reserved);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(Mc2CcTilingOpApi, Mc2CcTiling)
#endif

}  // namespace optiling

#endif  // TWIN_INCLUDE_LIB_HCCL_HCCL_TILINGDATA_H
