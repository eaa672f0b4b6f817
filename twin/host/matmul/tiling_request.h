// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_HOST_MATMUL_TILING_REQUEST_H
#define TWIN_HOST_MATMUL_TILING_REQUEST_H

#include "host/matmul/block_plan.h"
#include "tiling/matmul/matmul_tiling_types.h"

namespace twin::host::matmul {

/// Returns nullptr, or why Matmul on A2 and A3 cannot multiply these types.
const char* CheckTypes(const matmul_tiling::MatTilingType& a, const matmul_tiling::MatTilingType& b,
                       const matmul_tiling::MatTilingType& c,
                       const matmul_tiling::MatTilingType* bias);

/// Bits of one element; 0 for a type without a size.
int32_t Bits(matmul_tiling::DataType type);

/// Copies the data of the chip and the operands into a request; sizes and settings do not change.
void DescribeOperands(const matmul_tiling::MatTilingType& a, const matmul_tiling::MatTilingType& b,
                      const matmul_tiling::MatTilingType* bias,
                      const matmul_tiling::BufferPool& pool, PlanRequest* request);

}  // namespace twin::host::matmul

#endif  // TWIN_HOST_MATMUL_TILING_REQUEST_H
