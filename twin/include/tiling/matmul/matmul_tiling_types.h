// SPDX-License-Identifier: Apache-2.0
#ifndef TILING_MATMUL_MATMUL_TILING_TYPES_H
#define TILING_MATMUL_MATMUL_TILING_TYPES_H

#include <cstdint>
#include <map>

#include "tiling/platform/platform_ascendc.h"

namespace matmul_tiling {

constexpr int32_t UINT8_BYTES = 1;
constexpr int32_t INT8_BYTES = 1;
constexpr int32_t FP32_BYTES = 4;
constexpr int32_t FP16_BYTES = 2;
constexpr int32_t C0_SIZE = 16;
constexpr int32_t C0_BYTE_SIZE = 32;
constexpr int32_t BITS_PER_BYTE = 8;

/// The numbers are those of ge::DataType.
enum class DataType : int32_t {
    DT_FLOAT = 0,
    DT_FLOAT16 = 1,
    DT_INT8 = 2,
    DT_INT32 = 3,
    DT_UINT8 = 4,
    DT_INT16 = 6,
    DT_UINT16 = 7,
    DT_UINT32 = 8,
    DT_INT64 = 9,
    DT_UINT64 = 10,
    DT_DOUBLE = 11,
    DT_BOOL = 12,
    DT_STRING = 13,
    DT_DUAL_SUB_INT8 = 14,
    DT_DUAL_SUB_UINT8 = 15,
    DT_COMPLEX64 = 16,
    DT_COMPLEX128 = 17,
    DT_QINT8 = 18,
    DT_QINT16 = 19,
    DT_QINT32 = 20,
    DT_QUINT8 = 21,
    DT_QUINT16 = 22,
    DT_RESOURCE = 23,
    DT_STRING_REF = 24,
    DT_DUAL = 25,
    DT_VARIANT = 26,
    DT_BF16 = 27,
    DT_UNDEFINED = 28,
    DT_INT4 = 29,
    DT_UINT1 = 30,
    DT_INT2 = 31,
    DT_UINT2 = 32,
    DT_BFLOAT16 = 33,
    DT_MAX = 34
};

/// Bytes per element; int4 counts as one.
const std::map<DataType, uint32_t> DTYPE_BYTE_TAB = {
    {DataType::DT_FLOAT, 4},  {DataType::DT_FLOAT16, 2}, {DataType::DT_INT8, 1},
    {DataType::DT_INT16, 2},  {DataType::DT_UINT16, 2},  {DataType::DT_UINT8, 1},
    {DataType::DT_INT32, 4},  {DataType::DT_INT64, 8},   {DataType::DT_UINT32, 4},
    {DataType::DT_UINT64, 8}, {DataType::DT_BF16, 2},    {DataType::DT_BFLOAT16, 2},
    {DataType::DT_INT4, 1}};

const std::map<DataType, uint32_t> DTYPE_BIT_TAB = {
    {DataType::DT_FLOAT, 32},  {DataType::DT_FLOAT16, 16}, {DataType::DT_INT8, 8},
    {DataType::DT_INT16, 16},  {DataType::DT_UINT16, 16},  {DataType::DT_UINT8, 8},
    {DataType::DT_INT32, 32},  {DataType::DT_INT64, 64},   {DataType::DT_UINT32, 32},
    {DataType::DT_UINT64, 64}, {DataType::DT_BF16, 16},    {DataType::DT_BFLOAT16, 16},
    {DataType::DT_INT4, 4}};

enum class TPosition : int32_t {
    GM,
    A1,
    A2,
    B1,
    B2,
    C1,
    C2,
    CO1,
    CO2,
    VECIN,
    VECOUT,
    VECCALC,
    LCM = VECCALC,
    SPM,
    SHM = SPM,
    TSCM,
    MAX,
};

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

/// Bytes that tiling may use.
struct BufferPool {
    int32_t l1Size = 0;
    int32_t l0CSize = 0;
    int32_t ubSize = 0;
    int32_t l0ASize = 0;
    int32_t l0BSize = 0;
    int32_t btSize = 0;
};

/// Describes the chip by hand, for tiling outside a tiling function.
struct PlatformInfo {
    platform_ascendc::SocVersion socVersion;
    uint64_t l1Size = 0;
    uint64_t l0CSize = 0;
    uint64_t ubSize = 0;
    uint64_t l0ASize = 0;
    uint64_t l0BSize = 0;
};

/// Says which MatmulConfig the kernel uses: mmConfigType 0 is Norm, 1 is MDL.
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

#endif  // TILING_MATMUL_MATMUL_TILING_TYPES_H
