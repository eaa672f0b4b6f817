// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_LIB_HCCL_HCCL_TILING_H
#define TWIN_INCLUDE_LIB_HCCL_HCCL_TILING_H

#include <cstdint>
#include <string>

#include "lib/hccl/hccl_tilingdata.h"

namespace AscendC {

/// Describes one collective communication of a kernel. The functions return 0, or 1 for values that
/// they do not support.
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

#endif  // TWIN_INCLUDE_LIB_HCCL_HCCL_TILING_H
