// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>  // op_host sources expect all of these headers here
#include <memory>
#include <set>
#include <string>
#include <vector>

#define VAR_UNUSED __attribute__((unused))

// Removes the DT_* macros of type_numbers.h, which would break the enumerations in this file.
#ifdef DT_FLOAT
#include "device/types/no_type_numbers.h"
#endif

namespace ge {

using graphStatus = uint32_t;

const graphStatus GRAPH_FAILED = 0xFFFFFFFF;
const graphStatus GRAPH_SUCCESS = 0;
const graphStatus GRAPH_NOT_CHANGED = 1343242304;
const graphStatus GRAPH_PARAM_INVALID = 50331649;
const graphStatus GRAPH_PARAM_OUT_OF_RANGE = 50331644;
const graphStatus GRAPH_MEM_OPERATE_FAILED = 50331539;
const graphStatus GRAPH_NULL_PTR = 50331538;
const graphStatus GRAPH_MEMCPY_FAILED = 50331537;
const graphStatus GRAPH_MEMSET_FAILED = 50331536;
const graphStatus GRAPH_ADD_OVERFLOW = 50331428;
const graphStatus GRAPH_MUL_OVERFLOW = 50331427;

// Older names of GRAPH_SUCCESS and GRAPH_FAILED.
const uint32_t SUCCESS = 0;
const uint32_t FAILED = 0xFFFFFFFF;

using char_t = char;
using float32_t = float;
using float64_t = double;

static const int64_t UNKNOWN_DIM = -1;
static const int64_t UNKNOWN_DIM_NUM = -2;

/// Sizes above this value are in bits, not bytes: `kDataTypeSizeBitOffset + bits`.
static constexpr int32_t kDataTypeSizeBitOffset = 1000;

// clang-format off
/// Data types with the same numbers in ge and in the tiling of Matmul: name, number and bytes
/// (GetSizeByDataType).
#define TWIN_GE_DATA_TYPES(TYPE) \
    TYPE(DT_FLOAT, 0, 4) TYPE(DT_FLOAT16, 1, 2) TYPE(DT_INT8, 2, 1) TYPE(DT_INT32, 3, 4) \
    TYPE(DT_UINT8, 4, 1) TYPE(DT_INT16, 6, 2) TYPE(DT_UINT16, 7, 2) TYPE(DT_UINT32, 8, 4) \
    TYPE(DT_INT64, 9, 8) TYPE(DT_UINT64, 10, 8) TYPE(DT_DOUBLE, 11, 8) TYPE(DT_BOOL, 12, 1) \
    TYPE(DT_STRING, 13, -1) TYPE(DT_DUAL_SUB_INT8, 14, 1) TYPE(DT_DUAL_SUB_UINT8, 15, 1) \
    TYPE(DT_COMPLEX64, 16, 8) TYPE(DT_COMPLEX128, 17, 16) TYPE(DT_QINT8, 18, 1) \
    TYPE(DT_QINT16, 19, 2) TYPE(DT_QINT32, 20, 4) TYPE(DT_QUINT8, 21, 1) TYPE(DT_QUINT16, 22, 2) \
    TYPE(DT_RESOURCE, 23, 8) TYPE(DT_STRING_REF, 24, -1) TYPE(DT_DUAL, 25, 5) \
    TYPE(DT_VARIANT, 26, 8) TYPE(DT_BF16, 27, 2) TYPE(DT_INT4, 29, 1004) TYPE(DT_UINT1, 30, 1001) \
    TYPE(DT_INT2, 31, 1002) TYPE(DT_UINT2, 32, 1002)
/// Data types that only ge has, not the tiling of Matmul.
#define TWIN_GE_NEWER_DATA_TYPES(TYPE) \
    TYPE(DT_COMPLEX32, 33, 4) TYPE(DT_HIFLOAT8, 34, 1) TYPE(DT_FLOAT8_E5M2, 35, 1) \
    TYPE(DT_FLOAT8_E4M3FN, 36, 1) TYPE(DT_FLOAT8_E8M0, 37, 1) TYPE(DT_FLOAT6_E3M2, 38, 1006) \
    TYPE(DT_FLOAT6_E2M3, 39, 1006) TYPE(DT_FLOAT4_E2M1, 40, 1004) TYPE(DT_FLOAT4_E1M2, 41, 1004)
#define TWIN_GE_FORMATS(FORMAT) \
    FORMAT(FORMAT_NCHW, 0) FORMAT(FORMAT_NHWC, 1) FORMAT(FORMAT_ND, 2) FORMAT(FORMAT_NC1HWC0, 3) \
    FORMAT(FORMAT_FRACTAL_Z, 4) FORMAT(FORMAT_NC1C0HWPAD, 5) FORMAT(FORMAT_NHWC1C0, 6) \
    FORMAT(FORMAT_FSR_NCHW, 7) FORMAT(FORMAT_FRACTAL_DECONV, 8) FORMAT(FORMAT_C1HWNC0, 9) \
    FORMAT(FORMAT_FRACTAL_DECONV_TRANSPOSE, 10) FORMAT(FORMAT_FRACTAL_DECONV_SP_STRIDE_TRANS, 11) \
    FORMAT(FORMAT_NC1HWC0_C04, 12) FORMAT(FORMAT_FRACTAL_Z_C04, 13) FORMAT(FORMAT_CHWN, 14) \
    FORMAT(FORMAT_FRACTAL_DECONV_SP_STRIDE8_TRANS, 15) FORMAT(FORMAT_HWCN, 16) \
    FORMAT(FORMAT_NC1KHKWHWC0, 17) FORMAT(FORMAT_BN_WEIGHT, 18) FORMAT(FORMAT_FILTER_HWCK, 19) \
    FORMAT(FORMAT_HASHTABLE_LOOKUP_LOOKUPS, 20) FORMAT(FORMAT_HASHTABLE_LOOKUP_KEYS, 21) \
    FORMAT(FORMAT_HASHTABLE_LOOKUP_VALUE, 22) FORMAT(FORMAT_HASHTABLE_LOOKUP_OUTPUT, 23) \
    FORMAT(FORMAT_HASHTABLE_LOOKUP_HITS, 24) FORMAT(FORMAT_C1HWNCoC0, 25) FORMAT(FORMAT_MD, 26) \
    FORMAT(FORMAT_NDHWC, 27) FORMAT(FORMAT_FRACTAL_ZZ, 28) FORMAT(FORMAT_FRACTAL_NZ, 29) \
    FORMAT(FORMAT_NCDHW, 30) FORMAT(FORMAT_DHWCN, 31) FORMAT(FORMAT_NDC1HWC0, 32) \
    FORMAT(FORMAT_FRACTAL_Z_3D, 33) FORMAT(FORMAT_CN, 34) FORMAT(FORMAT_NC, 35) \
    FORMAT(FORMAT_DHWNC, 36) FORMAT(FORMAT_FRACTAL_Z_3D_TRANSPOSE, 37) \
    FORMAT(FORMAT_FRACTAL_ZN_LSTM, 38) FORMAT(FORMAT_FRACTAL_Z_G, 39) FORMAT(FORMAT_RESERVED, 40) \
    FORMAT(FORMAT_ALL, 41) FORMAT(FORMAT_NULL, 42) FORMAT(FORMAT_ND_RNN_BIAS, 43) \
    FORMAT(FORMAT_FRACTAL_ZN_RNN, 44) FORMAT(FORMAT_NYUV, 45) FORMAT(FORMAT_NYUV_A, 46) \
    FORMAT(FORMAT_NCL, 47) FORMAT(FORMAT_FRACTAL_Z_WINO, 48) FORMAT(FORMAT_C1HWC0, 49) \
    FORMAT(FORMAT_FRACTAL_NZ_C0_16, 50) FORMAT(FORMAT_FRACTAL_NZ_C0_32, 51) \
    FORMAT(FORMAT_FRACTAL_NZ_C0_2, 52) FORMAT(FORMAT_FRACTAL_NZ_C0_4, 53) \
    FORMAT(FORMAT_FRACTAL_NZ_C0_8, 54)
// clang-format on
#define TWIN_ENUMERATOR(NAME, NUMBER) NAME = NUMBER,
#define TWIN_TYPE_ENUMERATOR(NAME, NUMBER, SIZE) NAME = NUMBER,

/// Data types with the numbers of aclDataType, except DT_UNDEFINED.
enum DataType {
    TWIN_GE_DATA_TYPES(TWIN_TYPE_ENUMERATOR) TWIN_GE_NEWER_DATA_TYPES(TWIN_TYPE_ENUMERATOR) DT_MAX,
    DT_UNDEFINED = 28
};

/// Formats with the numbers of aclFormat.
enum Format { TWIN_GE_FORMATS(TWIN_ENUMERATOR) FORMAT_END, FORMAT_MAX = 0xff };

/// Returns the bytes per element; `kDataTypeSizeBitOffset + bits` for types below one byte; -1 for
/// types without a size.
int GetSizeByDataType(DataType dataType);

/// Returns the bytes of `elementCount` elements, rounded up to whole bytes; -1 for a negative
/// count, for a type without a size, or after an overflow.
int64_t GetSizeInBytes(int64_t elementCount, DataType dataType);

/// Returns a format's number without its upper bits, which describe sub-formats and C0.
inline int32_t GetPrimaryFormat(int32_t format) { return format & 0xff; }
const char* GetFormatName(Format format);

/// The dtypes that a parameter of a graph prototype accepts.
struct TensorType {
    explicit TensorType(DataType type) : types(1, type) {}
    TensorType(const std::initializer_list<DataType>& initialTypes) : types(initialTypes) {}

    static TensorType FloatingDataType() {
        return TensorType({DT_DOUBLE, DT_FLOAT, DT_BF16, DT_FLOAT16});
    }
    static TensorType IndexNumberType() { return TensorType({DT_INT32, DT_INT64}); }
    static TensorType IntegerDataType() {
        return TensorType(
            {DT_INT16, DT_INT32, DT_INT64, DT_INT8, DT_UINT16, DT_UINT32, DT_UINT64, DT_UINT8});
    }
    static TensorType UnaryDataType() {
        return TensorType({DT_COMPLEX128, DT_COMPLEX64, DT_DOUBLE, DT_FLOAT, DT_BF16, DT_FLOAT16});
    }
    static TensorType RealNumberType() {
        return TensorType({DT_DOUBLE, DT_FLOAT, DT_BF16, DT_FLOAT16, DT_INT16, DT_INT32, DT_INT64,
                           DT_INT8, DT_UINT16, DT_UINT32, DT_UINT64, DT_UINT8});
    }
    static TensorType NumberType() {
        return TensorType({DT_COMPLEX128, DT_COMPLEX64, DT_DOUBLE, DT_FLOAT, DT_BF16, DT_FLOAT16,
                           DT_INT16, DT_INT32, DT_INT64, DT_INT8, DT_QINT32, DT_QINT8, DT_QUINT8,
                           DT_UINT16, DT_UINT32, DT_UINT64, DT_UINT8});
    }
    static TensorType BasicType() {
        return TensorType({DT_COMPLEX128, DT_COMPLEX64, DT_DOUBLE, DT_FLOAT, DT_BF16, DT_FLOAT16,
                           DT_INT16, DT_INT32, DT_INT64, DT_INT8, DT_QINT16, DT_QINT32, DT_QINT8,
                           DT_QUINT16, DT_QUINT8, DT_UINT16, DT_UINT32, DT_UINT64, DT_UINT8});
    }
    static TensorType ALL() {
        return TensorType({DT_BOOL,   DT_COMPLEX128, DT_COMPLEX64, DT_DOUBLE, DT_FLOAT,
                           DT_BF16,   DT_FLOAT16,    DT_INT16,     DT_INT32,  DT_INT64,
                           DT_INT8,   DT_QINT16,     DT_QINT32,    DT_QINT8,  DT_QUINT16,
                           DT_QUINT8, DT_RESOURCE,   DT_STRING,    DT_UINT16, DT_UINT32,
                           DT_UINT64, DT_UINT8});
    }

    std::vector<DataType> types;
};

}  // namespace ge
