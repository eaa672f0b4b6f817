// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_MATMUL_PRESETS_H
#define TWIN_DEVICE_MATMUL_PRESETS_H

#include <type_traits>

#include "device/matmul/config.h"

namespace twin::matmul {

/// The settings that all presets share.
constexpr MatmulConfig PlainConfig(bool intrinsicsLimit, bool batchLoop, bool vecNd2Nz) {
    MatmulConfig config{};
    config.intrinsicsCheck = intrinsicsLimit;
    config.isNBatch = batchLoop;
    config.enVecND2NZ = vecNd2Nz;
    config.enUnitFlag = false;
    config.batchMode = BatchMode::NONE;
    config.enableUBReuse = true;
    config.scheduleType = ScheduleType::INNER_PRODUCT;
    return config;
}

constexpr void Apply(MatmulConfig& config, const MatmulShapeParams& part) {
    config.singleCoreM = part.singleCoreM;
    config.singleCoreN = part.singleCoreN;
    config.singleCoreK = part.singleCoreK;
    config.basicM = part.basicM;
    config.basicN = part.basicN;
    config.basicK = part.basicK;
}
constexpr void Apply(MatmulConfig& config, const MatmulQuantParams& part) {
    config.isPerTensor = part.isPerTensor;
    config.hasAntiQuantOffset = part.hasAntiQuantOffset;
}
constexpr void Apply(MatmulConfig& config, const MatmulBatchParams& part) {
    config.isNBatch = part.isNBatch;
    config.batchMode = part.batchMode;
    config.isBiasBatch = part.isBiasBatch;
    config.bmmOutMode = part.bmmOutMode;
}
constexpr void Apply(MatmulConfig& config, const MatmulFuncParams& part) {
    config.intrinsicsCheck = part.intrinsicsCheck;
    config.enVecND2NZ = part.enVecND2NZ;
    config.enableDoubleCache = part.enableDoubleCache;
    config.enableL1CacheUB = part.enableL1CacheUB;
    config.doMTE2Preload = part.doMTE2Preload;
    config.iterateOrder = part.iterateOrder;
    config.scheduleType = part.scheduleType;
    config.enableReuse = part.enableReuse;
    config.enableUBReuse = part.enableUBReuse;
    config.isPartialOutput = part.isPartialOutput;
    config.isA2B2Shared = part.isA2B2Shared;
    config.isEnableChannelSplit = part.isEnableChannelSplit;
    config.enableKdimReorderLoad = part.enableKdimReorderLoad;
}

}  // namespace twin::matmul

constexpr MatmulConfig GetNormalConfig(
    const bool intrinsicsLimit = false, const bool batchLoop = false, const bool isVecND2NZ = false,
    const BatchMode bmmMode = BatchMode::BATCH_LESS_THAN_L1, const bool isMsgReuse = true,
    const IterateOrder iterateOrder = IterateOrder::UNDEF,
    const ScheduleType scheduleType = ScheduleType::INNER_PRODUCT, const bool enUnitFlag = true,
    const bool enableMixDualMaster = false,
    const BatchOutMode bmmOutMode = BatchOutMode::SINGLE_BATCH) {
    MatmulConfig config = twin::matmul::PlainConfig(intrinsicsLimit, batchLoop, isVecND2NZ);
    config.doNorm = true;
    config.batchMode = bmmMode;
    config.enableReuse = isMsgReuse;
    config.iterateOrder = iterateOrder;
    config.scheduleType = scheduleType;
    config.enUnitFlag = enUnitFlag;
    config.bmmOutMode = bmmOutMode;
    config.enableMixDualMaster = enableMixDualMaster;
    return config;
}

/// One copy loads whole groups of base blocks (stepM, stepN, stepKa, stepKb) into L1.
constexpr MatmulConfig GetMDLConfig(const bool intrinsicsLimit = false,
                                    const bool batchLoop = false, const uint32_t doMTE2Preload = 0,
                                    const bool isVecND2NZ = false, bool isPerTensor = false,
                                    bool hasAntiQuantOffset = false, const bool enUnitFlag = false,
                                    const bool isMsgReuse = true, const bool enableUBReuse = true,
                                    const bool enableL1CacheUB = false,
                                    const bool enableMixDualMaster = false,
                                    const bool enableKdimReorderLoad = false) {
    MatmulConfig config = twin::matmul::PlainConfig(intrinsicsLimit, batchLoop, isVecND2NZ);
    config.doMultiDataLoad = true;
    config.doMTE2Preload = doMTE2Preload;
    config.isPerTensor = isPerTensor;
    config.hasAntiQuantOffset = hasAntiQuantOffset;
    config.enUnitFlag = enUnitFlag;
    config.enableReuse = isMsgReuse;
    config.enableUBReuse = enableUBReuse;
    config.enableL1CacheUB = enableL1CacheUB;
    config.enableMixDualMaster = enableMixDualMaster;
    config.enableKdimReorderLoad = enableKdimReorderLoad;
    return config;
}

constexpr MatmulConfig GetSpecialMDLConfig(const bool intrinsicsLimit = false,
                                           const bool batchLoop = false,
                                           const uint32_t doMTE2Preload = 0,
                                           const bool isVecND2NZ = false, bool isPerTensor = false,
                                           bool hasAntiQuantOffset = false) {
    MatmulConfig config = twin::matmul::PlainConfig(intrinsicsLimit, batchLoop, isVecND2NZ);
    config.doSpecialMDL = true;
    config.doMTE2Preload = doMTE2Preload;
    config.isPerTensor = isPerTensor;
    config.hasAntiQuantOffset = hasAntiQuantOffset;
    return config;
}

/// The compiler knows the base block.
constexpr MatmulConfig GetBasicConfig(const uint32_t basicM, const uint32_t basicN,
                                      const uint32_t basicK, const bool intrinsicsLimit = false,
                                      const bool batchLoop = false,
                                      const BatchMode bmmMode = BatchMode::BATCH_LESS_THAN_L1) {
    MatmulConfig config = twin::matmul::PlainConfig(intrinsicsLimit, batchLoop, false);
    config.doBasicBlock = true;
    config.basicM = basicM;
    config.basicN = basicN;
    config.basicK = basicK;
    config.batchMode = bmmMode;
    return config;
}

constexpr MatmulConfig GetSpecialBasicConfig(
    const uint32_t basicM, const uint32_t basicN, const uint32_t basicK, const uint32_t singleCoreM,
    const uint32_t singleCoreN, const uint32_t singleCoreK, const uint32_t stepM,
    const uint32_t stepN, const bool intrinsicsLimit = false, const bool batchLoop = false,
    const BatchMode bmmMode = BatchMode::BATCH_LESS_THAN_L1) {
    MatmulConfig config =
        GetBasicConfig(basicM, basicN, basicK, intrinsicsLimit, batchLoop, bmmMode);
    config.doBasicBlock = false;
    config.doSpecialBasicBlock = true;
    config.singleCoreM = singleCoreM;
    config.singleCoreN = singleCoreN;
    config.singleCoreK = singleCoreK;
    config.stepM = stepM;
    config.stepN = stepN;
    config.baseMN = basicM * basicN;
    config.singleCoreMN = singleCoreM * singleCoreN;
    return config;
}

/// The two vector cores of a block share the copy of A or B in L1.
constexpr MatmulConfig GetIBShareNormConfig(const bool intrinsicsLimit = false,
                                            const bool batchLoop = false,
                                            const bool isVecND2NZ = false,
                                            const BatchMode bmmMode = BatchMode::BATCH_LESS_THAN_L1,
                                            const bool isDoubleCache = false,
                                            const bool enUnitFlag = true) {
    MatmulConfig config = twin::matmul::PlainConfig(intrinsicsLimit, batchLoop, isVecND2NZ);
    config.doIBShareNorm = true;
    config.batchMode = bmmMode;
    config.enableDoubleCache = isDoubleCache;
    config.enUnitFlag = enUnitFlag;
    return config;
}

constexpr MatmulConfig CFG_NORM = GetNormalConfig();
constexpr MatmulConfig CFG_MDL = GetMDLConfig();
constexpr MatmulConfig MM_CFG_BB = GetBasicConfig(128, 128, 128);
constexpr MatmulConfig CFG_IBSHARE_NORM = GetIBShareNormConfig();

/// A preset in which some parts are replaced.
template <MatmulConfigMode configMode, typename... ArgTypes>
inline constexpr MatmulConfig GetMMConfig(ArgTypes&&... args) {
    MatmulConfig config = CFG_NORM;
    if constexpr (configMode == MatmulConfigMode::CONFIG_MDL) {
        config = CFG_MDL;
    } else if constexpr (configMode == MatmulConfigMode::CONFIG_SPECIALMDL) {
        config = GetSpecialMDLConfig();
    } else if constexpr (configMode == MatmulConfigMode::CONFIG_IBSHARE) {
        config = CFG_IBSHARE_NORM;
    }
    (twin::matmul::Apply(config, args), ...);
    return config;
}

#endif  // TWIN_DEVICE_MATMUL_PRESETS_H
