// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>

#include "graph/types.h"
#include "kernel_tiling/cube_tiling.h"
#include "tiling/platform/platform_ascendc.h"

namespace matmul_tiling {

#ifndef TWIN_KERNEL_NAME
/// Tiling sources use this name in `sizeof(half)`; as in the toolkit, the size is 8.
using half = double;
#endif

constexpr int32_t UINT8_BYTES = 1;
constexpr int32_t INT8_BYTES = 1;
constexpr int32_t FP32_BYTES = 4;
constexpr int32_t FP16_BYTES = 2;
constexpr int32_t C0_SIZE = 16;
constexpr int32_t C0_BYTE_SIZE = 32;
constexpr int32_t BITS_PER_BYTE = 8;

/// Data types of Matmul. The first have the numbers of ge::DataType.
enum class DataType : int32_t {
    TWIN_GE_DATA_TYPES(TWIN_TYPE_ENUMERATOR) DT_UNDEFINED = 28,
    DT_BFLOAT16 = 33,
    // Types of other chips, with the numbers of CANN 9; GetTiling refuses them.
    DT_HIFLOAT8 = 34,
    DT_FLOAT8_E4M3FN = 35,
    DT_FLOAT8_E5M2 = 36,
    DT_FLOAT4_E2M1 = 37,
    DT_FLOAT8_E8M0 = 38,
    DT_FLOAT4_E1M2 = 39,
    DT_MAX
};

/// Bytes per element; types of 4 bits count as one byte.
const std::map<DataType, uint32_t> DTYPE_BYTE_TAB = {
    {DataType::DT_FLOAT, 4},      {DataType::DT_FLOAT16, 2},       {DataType::DT_INT8, 1},
    {DataType::DT_INT16, 2},      {DataType::DT_UINT16, 2},        {DataType::DT_UINT8, 1},
    {DataType::DT_INT32, 4},      {DataType::DT_INT64, 8},         {DataType::DT_UINT32, 4},
    {DataType::DT_UINT64, 8},     {DataType::DT_BF16, 2},          {DataType::DT_BFLOAT16, 2},
    {DataType::DT_INT4, 1},       {DataType::DT_FLOAT4_E2M1, 1},   {DataType::DT_FLOAT4_E1M2, 1},
    {DataType::DT_HIFLOAT8, 1},   {DataType::DT_FLOAT8_E4M3FN, 1}, {DataType::DT_FLOAT8_E5M2, 1},
    {DataType::DT_FLOAT8_E8M0, 1}};

const std::map<DataType, uint32_t> DTYPE_BIT_TAB = {
    {DataType::DT_FLOAT, 32},     {DataType::DT_FLOAT16, 16},      {DataType::DT_INT8, 8},
    {DataType::DT_INT16, 16},     {DataType::DT_UINT16, 16},       {DataType::DT_UINT8, 8},
    {DataType::DT_INT32, 32},     {DataType::DT_INT64, 64},        {DataType::DT_UINT32, 32},
    {DataType::DT_UINT64, 64},    {DataType::DT_BF16, 16},         {DataType::DT_BFLOAT16, 16},
    {DataType::DT_INT4, 4},       {DataType::DT_FLOAT4_E2M1, 4},   {DataType::DT_FLOAT4_E1M2, 4},
    {DataType::DT_HIFLOAT8, 8},   {DataType::DT_FLOAT8_E4M3FN, 8}, {DataType::DT_FLOAT8_E5M2, 8},
    {DataType::DT_FLOAT8_E8M0, 8}};

enum class TPosition : int32_t { TWIN_POSITIONS, MAX };
enum class TilingPolicy : int32_t { FIXED_A_TSCM, FIXED_B_TSCM, FIXED_A_B_TSCM, NO_POLICY };
enum class CubeFormat : int32_t { ND = 0, NZ, ZN, ZZ, NN, ND_ALIGN, SCALAR, VECTOR };
enum class MatrixTraverse : int32_t { NOSET = 0, FIRSTM = 1, FIRSTN = 2 };
enum class MatrixMadType : int32_t { NORMAL = 0, HF32 = 1 };
enum class DequantType : int32_t { SCALAR = 0, TENSOR = 1 };
enum class ScheduleType : int32_t { INNER_PRODUCT = 0, OUTER_PRODUCT = 1, N_BUFFER_33 = 2 };

/// Bytes of local memory that one Matmul object occupies.
struct SysTilingTempBufSize {
    int32_t ubSize = 0;
    int32_t l1Size = 0;
    int32_t l0cSize = 0;
};

struct MatTilingType {
    TPosition pos = TPosition::GM;
    CubeFormat type = CubeFormat::ND;
    DataType dataType = DataType::DT_FLOAT;
    bool isTrans = false;
    bool isDB = false;
};

/// Bytes of each memory that tiling may use.
struct BufferPool {
    int32_t l1Size = 0;
    int32_t l0CSize = 0;
    int32_t ubSize = 0;
    int32_t l0ASize = 0;
    int32_t l0BSize = 0;
    int32_t btSize = 0;
};

/// Memory sizes of the chip, set by code that computes tiling outside a tiling function.
struct PlatformInfo {
    platform_ascendc::SocVersion socVersion;
    uint64_t l1Size = 0;
    uint64_t l0CSize = 0;
    uint64_t ubSize = 0;
    uint64_t l0ASize = 0;
    uint64_t l0BSize = 0;
};

/// The kernel's MatmulConfig: mmConfigType 0 is Norm, 1 is MDL.
struct MatmulConfigParams {
    int32_t mmConfigType;
    bool enableL1CacheUB;
    ScheduleType scheduleType;
    MatrixTraverse traverse;
    bool enVecND2NZ;
    MatmulConfigParams(int32_t mmConfigTypeIn = 1, bool enableL1CacheUBIn = false,
                       ScheduleType scheduleTypeIn = ScheduleType::INNER_PRODUCT,
                       MatrixTraverse traverseIn = MatrixTraverse::NOSET, bool enVecND2NZIn = false)
        : mmConfigType(mmConfigTypeIn),
          enableL1CacheUB(enableL1CacheUBIn),
          scheduleType(scheduleTypeIn),
          traverse(traverseIn),
          enVecND2NZ(enVecND2NZIn) {}
};

}  // namespace matmul_tiling
