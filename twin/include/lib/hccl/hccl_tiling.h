// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "kernel_tiling/mc2_tilings.h"
#include "register/tilingdata_base.h"

namespace optiling {

#ifdef TWIN_KERNEL_NAME  // kernels use the plain structs
using ::Mc2CcTiling, ::Mc2HcommCfg, ::Mc2InitTiling, ::Mc2ServerCfg;
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

namespace AscendC {

/// Settings of one collective communication of a kernel. Functions return 0, or 1 for values that
/// the twin does not support.
class Mc2CcTilingConfig {
public:
    explicit Mc2CcTilingConfig(const std::string& groupName, uint32_t opType,
                               const std::string& algConfig, uint32_t reduceType = 0);
    virtual ~Mc2CcTilingConfig();

    uint32_t GetTiling(::Mc2InitTiling& tiling);
    uint32_t GetTiling(::Mc2CcTiling& tiling);

    uint32_t SetOpType(uint32_t opType);
    uint32_t SetGroupName(const std::string& groupName);
    uint32_t SetAlgConfig(const std::string& algConfig);
    uint32_t SetReduceType(uint32_t reduceType);
    uint32_t SetStepSize(uint8_t stepSize);
    uint32_t SetSkipLocalRankCopy(uint8_t skipLocalRankCopy);
    uint32_t SetSkipBufferWindowCopy(uint8_t skipBufferWindowCopy);
    uint32_t SetDebugMode(uint8_t debugMode);

private:
    ::Mc2HcommCfg config_;
    uint8_t debugMode_ = 0;
};

}  // namespace AscendC
