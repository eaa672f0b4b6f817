// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "lib/hccl/hccl_tiling.h"

namespace AscendC {
namespace {

constexpr uint32_t kTaken = 0;
constexpr uint32_t kRefused = 1;

/// Copies a name; refuses an empty name and a name that is too long for the field.
uint32_t SetText(char (&field)[128], const std::string& text) {
    if (text.empty() || text.size() >= sizeof(field)) {
        return kRefused;
    }
    std::memset(field, 0, sizeof(field));
    std::memcpy(field, text.data(), text.size());
    return kTaken;
}

}  // namespace

Mc2CcTilingConfig::Mc2CcTilingConfig(const std::string& groupName, uint32_t opType,
                                     const std::string& algConfig, uint32_t reduceType) {
    SetGroupName(groupName);
    SetOpType(opType);
    SetAlgConfig(algConfig);
    SetReduceType(reduceType);
}

Mc2CcTilingConfig::~Mc2CcTilingConfig() = default;

// The twin never reads this tiling, because it does not communicate with other devices.
uint32_t Mc2CcTilingConfig::GetTiling(::Mc2InitTiling& tiling) {
    ::Mc2ServerCfg server;
    server.debugMode = debugMode_;
    tiling = ::Mc2InitTiling();
    std::memcpy(tiling.reserved, &server, sizeof(server));
    return kTaken;
}

uint32_t Mc2CcTilingConfig::GetTiling(::Mc2CcTiling& tiling) {
    if (config_.groupName[0] == '\0' || config_.algConfig[0] == '\0') {
        return kRefused;
    }
    std::memcpy(tiling.reserved, &config_, sizeof(config_));
    return kTaken;
}

uint32_t Mc2CcTilingConfig::SetOpType(uint32_t opType) {
    config_.opType = opType;
    return kTaken;
}

uint32_t Mc2CcTilingConfig::SetGroupName(const std::string& groupName) {
    return SetText(config_.groupName, groupName);
}

uint32_t Mc2CcTilingConfig::SetAlgConfig(const std::string& algConfig) {
    return SetText(config_.algConfig, algConfig);
}

uint32_t Mc2CcTilingConfig::SetReduceType(uint32_t reduceType) {
    config_.reduceType = reduceType;
    return kTaken;
}

uint32_t Mc2CcTilingConfig::SetStepSize(uint8_t stepSize) {
    config_.stepSize = stepSize;
    return kTaken;
}

uint32_t Mc2CcTilingConfig::SetSkipLocalRankCopy(uint8_t skipLocalRankCopy) {
    config_.skipLocalRankCopy = skipLocalRankCopy;
    return kTaken;
}

uint32_t Mc2CcTilingConfig::SetSkipBufferWindowCopy(uint8_t skipBufferWindowCopy) {
    config_.skipBufferWindowCopy = skipBufferWindowCopy;
    return kTaken;
}

uint32_t Mc2CcTilingConfig::SetDebugMode(uint8_t debugMode) {
    debugMode_ = debugMode;
    return kTaken;
}

}  // namespace AscendC
