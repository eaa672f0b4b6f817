// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/matmul/config.h"

namespace twin::matmul {

/// Returns the settings that all presets share.
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

}  // namespace twin::matmul

// Sets the field of `config` that has the name of the argument.
#define TWIN_SET_FIELD(NAME) config.NAME = NAME;

constexpr MatmulConfig GetNormalConfig(bool intrinsicsLimit = false, bool batchLoop = false,
                                       bool isVecND2NZ = false,
                                       BatchMode batchMode = BatchMode::BATCH_LESS_THAN_L1,
                                       bool enableReuse = true,
                                       IterateOrder iterateOrder = IterateOrder::UNDEF,
                                       ScheduleType scheduleType = ScheduleType::INNER_PRODUCT,
                                       bool enUnitFlag = true, bool enableMixDualMaster = false,
                                       BatchOutMode bmmOutMode = BatchOutMode::SINGLE_BATCH) {
    MatmulConfig config = twin::matmul::PlainConfig(intrinsicsLimit, batchLoop, isVecND2NZ);
    config.doNorm = true;
    TWIN_EACH(TWIN_SET_FIELD, (batchMode), (enableReuse), (iterateOrder), (scheduleType),
              (enUnitFlag), (bmmOutMode), (enableMixDualMaster))
    return config;
}

/// Returns the MDL preset, in which one copy loads a whole group of base blocks into L1.
constexpr MatmulConfig GetMDLConfig(bool intrinsicsLimit = false, bool batchLoop = false,
                                    uint32_t doMTE2Preload = 0, bool isVecND2NZ = false,
                                    bool isPerTensor = false, bool hasAntiQuantOffset = false,
                                    bool enUnitFlag = false, bool enableReuse = true,
                                    bool enableUBReuse = true, bool enableL1CacheUB = false,
                                    bool enableMixDualMaster = false,
                                    bool enableKdimReorderLoad = false) {
    MatmulConfig config = twin::matmul::PlainConfig(intrinsicsLimit, batchLoop, isVecND2NZ);
    config.doMultiDataLoad = true;
    TWIN_EACH(TWIN_SET_FIELD, (doMTE2Preload), (isPerTensor), (hasAntiQuantOffset), (enUnitFlag),
              (enableReuse), (enableUBReuse), (enableL1CacheUB), (enableMixDualMaster),
              (enableKdimReorderLoad))
    return config;
}

constexpr MatmulConfig GetSpecialMDLConfig(bool intrinsicsLimit = false, bool batchLoop = false,
                                           uint32_t doMTE2Preload = 0, bool isVecND2NZ = false,
                                           bool isPerTensor = false,
                                           bool hasAntiQuantOffset = false) {
    MatmulConfig config = twin::matmul::PlainConfig(intrinsicsLimit, batchLoop, isVecND2NZ);
    config.doSpecialMDL = true;
    TWIN_EACH(TWIN_SET_FIELD, (doMTE2Preload), (isPerTensor), (hasAntiQuantOffset))
    return config;
}

/// Returns the basic-block preset, whose base block is a compile-time constant.
constexpr MatmulConfig GetBasicConfig(uint32_t basicM, uint32_t basicN, uint32_t basicK,
                                      bool intrinsicsLimit = false, bool batchLoop = false,
                                      BatchMode batchMode = BatchMode::BATCH_LESS_THAN_L1) {
    MatmulConfig config = twin::matmul::PlainConfig(intrinsicsLimit, batchLoop, false);
    config.doBasicBlock = true;
    TWIN_EACH(TWIN_SET_FIELD, (basicM), (basicN), (basicK), (batchMode))
    return config;
}

constexpr MatmulConfig GetSpecialBasicConfig(uint32_t basicM, uint32_t basicN, uint32_t basicK,
                                             uint32_t singleCoreM, uint32_t singleCoreN,
                                             uint32_t singleCoreK, uint32_t stepM, uint32_t stepN,
                                             bool intrinsicsLimit = false, bool batchLoop = false,
                                             BatchMode bmmMode = BatchMode::BATCH_LESS_THAN_L1) {
    MatmulConfig config =
        GetBasicConfig(basicM, basicN, basicK, intrinsicsLimit, batchLoop, bmmMode);
    config.doBasicBlock = false;
    config.doSpecialBasicBlock = true;
    TWIN_EACH(TWIN_SET_FIELD, (singleCoreM), (singleCoreN), (singleCoreK), (stepM), (stepN))
    config.baseMN = basicM * basicN;
    config.singleCoreMN = singleCoreM * singleCoreN;
    return config;
}

/// Returns the IBShare preset: the two vector cores of a block share the copy of A or B in L1.
constexpr MatmulConfig GetIBShareNormConfig(bool intrinsicsLimit = false, bool batchLoop = false,
                                            bool isVecND2NZ = false,
                                            BatchMode batchMode = BatchMode::BATCH_LESS_THAN_L1,
                                            bool enableDoubleCache = false,
                                            bool enUnitFlag = true) {
    MatmulConfig config = twin::matmul::PlainConfig(intrinsicsLimit, batchLoop, isVecND2NZ);
    config.doIBShareNorm = true;
    TWIN_EACH(TWIN_SET_FIELD, (batchMode), (enableDoubleCache), (enUnitFlag))
    return config;
}
#undef TWIN_SET_FIELD

constexpr MatmulConfig CFG_NORM = GetNormalConfig();
constexpr MatmulConfig CFG_MDL = GetMDLConfig();
constexpr MatmulConfig MM_CFG_BB = GetBasicConfig(128, 128, 128);
constexpr MatmulConfig CFG_IBSHARE_NORM = GetIBShareNormConfig();

/// Returns the preset `configMode`; fields of the structures in `args` replace the preset's fields.
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
