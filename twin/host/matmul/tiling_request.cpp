// SPDX-License-Identifier: Apache-2.0
#include "host/matmul/tiling_request.h"

#include <algorithm>
#include <initializer_list>

namespace twin::host::matmul {
namespace {

using matmul_tiling::CubeFormat;
using matmul_tiling::DataType;
using matmul_tiling::MatTilingType;

template <typename T>
bool OneOf(T value, std::initializer_list<T> list) {
    return std::find(list.begin(), list.end(), value) != list.end();
}

DataType Canonical(DataType type) {
    return type == DataType::DT_BFLOAT16 ? DataType::DT_BF16 : type;
}

bool ProductFits(DataType input, DataType output) {
    using D = DataType;
    switch (input) {
        case D::DT_FLOAT16:
        case D::DT_BF16:
            return OneOf(output, {D::DT_FLOAT, D::DT_FLOAT16, D::DT_BF16, D::DT_INT8});
        case D::DT_FLOAT:
            return OneOf(output, {D::DT_FLOAT, D::DT_FLOAT16, D::DT_BF16});
        case D::DT_INT8:
            return OneOf(output, {D::DT_INT32, D::DT_FLOAT16, D::DT_INT8, D::DT_UINT8});
        case D::DT_INT4:
            return OneOf(output, {D::DT_INT32, D::DT_FLOAT16, D::DT_INT8});
        default:
            return false;
    }
}

bool BiasFits(DataType input, DataType bias) {
    using D = DataType;
    if (OneOf(input, {D::DT_INT8, D::DT_INT4})) {
        return bias == D::DT_INT32;
    }
    return OneOf(bias, {D::DT_FLOAT, D::DT_FLOAT16});
}

}  // namespace

int32_t Bits(DataType type) {
    const auto found = matmul_tiling::DTYPE_BIT_TAB.find(type);
    return found == matmul_tiling::DTYPE_BIT_TAB.end() ? 0 : static_cast<int32_t>(found->second);
}

const char* CheckTypes(const MatTilingType& a, const MatTilingType& b, const MatTilingType& c,
                       const MatTilingType* bias) {
    const DataType input = Canonical(a.dataType);
    if (input != Canonical(b.dataType)) {
        return "A and B must have one data type";
    }
    if (!OneOf(input, {DataType::DT_FLOAT16, DataType::DT_BF16, DataType::DT_FLOAT,
                       DataType::DT_INT8, DataType::DT_INT4})) {
        return "A and B are float16, bfloat16, float32, int8 or int4";
    }
    if (!ProductFits(input, Canonical(c.dataType))) {
        return "C cannot have this type for these A and B";
    }
    if (bias != nullptr && !BiasFits(input, Canonical(bias->dataType))) {
        return "a bias is float32 or float16, and int32 for int8 and int4 operands";
    }
    if (!OneOf(a.type, {CubeFormat::ND, CubeFormat::NZ, CubeFormat::VECTOR, CubeFormat::SCALAR})) {
        return "A is ND, NZ, VECTOR or SCALAR";
    }
    if (!OneOf(b.type, {CubeFormat::ND, CubeFormat::NZ, CubeFormat::SCALAR})) {
        return "B is ND, NZ or SCALAR";
    }
    for (const MatTilingType* const operand : {&a, &b}) {
        if (operand->pos == matmul_tiling::TPosition::TSCM && operand->type != CubeFormat::NZ) {
            return "an operand in TSCM is NZ";
        }
    }
    if (!OneOf(c.type, {CubeFormat::ND, CubeFormat::NZ, CubeFormat::ND_ALIGN})) {
        return "C is ND, NZ or ND_ALIGN";
    }
    if (bias != nullptr && bias->type != CubeFormat::ND) {
        return "a bias is ND";
    }
    return nullptr;
}

void DescribeOperands(const MatTilingType& a, const MatTilingType& b, const MatTilingType* bias,
                      const matmul_tiling::BufferPool& pool, PlanRequest* request) {
    request->inputBits = Bits(a.dataType);
    request->transA = a.isTrans;
    request->transB = b.isTrans;
    request->inL1A = a.pos == matmul_tiling::TPosition::TSCM;
    request->inL1B = b.pos == matmul_tiling::TPosition::TSCM;
    request->biasBytes = bias == nullptr ? 0 : Bits(bias->dataType) / 8;
    request->l1 = pool.l1Size;
    request->l0a = pool.l0ASize;
    request->l0b = pool.l0BSize;
    request->l0c = pool.l0CSize;
    request->bt = pool.btSize;
}

}  // namespace twin::host::matmul
