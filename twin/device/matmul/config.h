// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "device/types/parameters.h"

// Enumerations and configuration of Matmul objects. The names are global, as in CANN 8.1.RC1.

enum class CubeFormat { ND = 0, NZ, ZN, ZZ, NN, ND_ALIGN, SCALAR, VECTOR };
enum class LayoutMode { NONE = 0, BSNGD, SBNGD, BNGS1S2, NORMAL };
enum class BatchMode { NONE = 0, BATCH_LESS_THAN_L1, BATCH_LARGE_THAN_L1, SINGLE_LARGE_THAN_L1 };
enum BatchOutMode { SINGLE_BATCH = 0, MULTI_BATCH, DYNAMIC };  ///< newer than CANN 8.1
enum class IterateOrder { ORDER_M = 0, ORDER_N, UNDEF };
enum class ScheduleType { INNER_PRODUCT = 0, OUTER_PRODUCT };
enum class MatmulVersion { NORMAL = 0, MULTI_DATA_LOAD, BASIC_BLOCK, IBSHARE_NORM };
enum IterateMode : uint8_t {
    ITERATE_MODE_NORMAL = 0b00000001,
    ITERATE_MODE_ALL = 0b00000010,
    ITERATE_MODE_BATCH = 0b00000100,
    ITERATE_MODE_N_BATCH = 0b00001000,
    ITERATE_MODE_DEFAULT = 0b11111111,
};
enum class MatmulConfigMode { CONFIG_NORM, CONFIG_MDL, CONFIG_SPECIALMDL, CONFIG_IBSHARE };

/// Configuration of a Matmul object: how it loads operands, orders blocks and writes C. Most fields
/// only change speed. Sizes that are 0 come from the tiling.
struct MatmulConfig {
    bool doNorm;
    bool doBasicBlock;
    bool doMultiDataLoad;
    uint32_t basicM;  ///< size of the base block along M; 0: from the tiling
    uint32_t basicN;
    uint32_t basicK;
    bool intrinsicsCheck;  ///< rows more than 65535 elements apart are copied one by one
    bool isNBatch;
    bool enVecND2NZ;
    bool doSpecialBasicBlock;
    uint32_t doMTE2Preload;
    uint32_t singleCoreM;
    uint32_t singleCoreN;
    uint32_t singleCoreK;
    uint32_t stepM;
    uint32_t stepN;
    uint32_t baseMN;
    uint32_t singleCoreMN;
    bool enUnitFlag = true;
    bool isPerTensor;
    bool hasAntiQuantOffset;
    bool doIBShareNorm;
    bool doSpecialMDL;
    bool enableInit = true;
    BatchMode batchMode;
    bool enableEnd = true;
    bool enableGetTensorC = true;
    bool enableSetOrgShape = true;
    bool enableSetBias = true;
    bool enableSetTail = true;
    bool enableQuantVector = true;
    bool enableSetDefineData = true;
    uint8_t iterateMode = IterateMode::ITERATE_MODE_DEFAULT;
    bool enableReuse = true;
    bool enableUBReuse;
    bool enableL1CacheUB;
    bool intraBlockPartSum = false;
    IterateOrder iterateOrder{IterateOrder::UNDEF};
    ScheduleType scheduleType;
    bool enableDoubleCache;
    bool isBiasBatch = true;
    bool enableStaticPadZeros = false;
    bool isPartialOutput = false;
    bool enableMixDualMaster = false;
    bool isA2B2Shared = false;
    bool isEnableChannelSplit = false;
    bool enableKdimReorderLoad = false;
    // The fields below are newer than CANN 8.1.
    bool isCO1Shared = false;
    uint32_t sharedCO1BufferSize = 65536;
    BatchOutMode bmmOutMode = SINGLE_BATCH;
    bool enableL1BankConflictOptimise = false;
    bool enableRelu = false;
};

// These macros define one part of a configuration for GetMMConfig: a structure, and the function
// `Apply`, which copies the fields of the structure to the configuration.
#define TWIN_PART_MEMBER(TYPE, NAME, ...) TYPE NAME __VA_ARGS__;
#define TWIN_PART_APPLY(TYPE, NAME, ...) config.NAME = part.NAME;
#define TWIN_MATMUL_PART(CLASS, ...)                                \
    struct CLASS {                                                  \
        TWIN_EACH(TWIN_PART_MEMBER, __VA_ARGS__)                    \
    };                                                              \
    namespace twin::matmul {                                        \
    constexpr void Apply(MatmulConfig& config, const CLASS& part) { \
        TWIN_EACH(TWIN_PART_APPLY, __VA_ARGS__)                     \
    }                                                               \
    }
TWIN_MATMUL_PART(MatmulShapeParams, (uint32_t, singleCoreM), (uint32_t, singleCoreN),
                 (uint32_t, singleCoreK), (uint32_t, basicM), (uint32_t, basicN),
                 (uint32_t, basicK))
TWIN_MATMUL_PART(MatmulQuantParams, (bool, isPerTensor), (bool, hasAntiQuantOffset))
TWIN_MATMUL_PART(MatmulBatchParams, (bool, isNBatch), (BatchMode, batchMode),
                 (bool, isBiasBatch, = true), (BatchOutMode, bmmOutMode, = SINGLE_BATCH))
TWIN_MATMUL_PART(MatmulFuncParams, (bool, intrinsicsCheck), (bool, enVecND2NZ),
                 (bool, enableDoubleCache), (bool, enableL1CacheUB), (uint32_t, doMTE2Preload),
                 (IterateOrder, iterateOrder), (ScheduleType, scheduleType),
                 (bool, enableReuse, = true), (bool, enableUBReuse),
                 (bool, isPartialOutput, = false), (bool, isA2B2Shared, = false),
                 (bool, isEnableChannelSplit, = false), (bool, enableKdimReorderLoad, = false))
#undef TWIN_MATMUL_PART
#undef TWIN_PART_APPLY
#undef TWIN_PART_MEMBER

/// Position and size of the block of C that Iterate has computed last.
struct MatrixOffset {
    int32_t offset;
    int32_t row, col;
    int32_t height, width;
};
