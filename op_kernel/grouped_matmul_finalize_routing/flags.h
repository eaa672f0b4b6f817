// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_FLAGS_H
#define OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_FLAGS_H

#include <cstdint>

namespace ops::GroupedMatmulFinalizeRoutingOp {

/// Ids of the cross-core flags, with what they report.
constexpr uint16_t kFlagAllSplit = 0;  ///< among vector cores: all digits are in GM
constexpr uint16_t kFlagOutput = 1;    ///< among vector cores: all rows of y are written
constexpr uint16_t kFlagDigits = 2;    ///< to the cube core: all digits are in GM
constexpr uint16_t kFlagTile = 3;      ///< to the vector cores: the next tile is in its slot in GM
constexpr uint16_t kFlagSlot = 4;      ///< to the cube core: a slot has been read
constexpr uint16_t kFlagWeights = 5;   ///< to the cube core: a chunk of weights is unpacked
constexpr uint16_t kFlagUnpacked = 6;  ///< to the vector cores: the unit's weights are in L1
constexpr uint16_t kFlagSums = 7;      ///< among a block's vector cores: sums of columns are in GM

}  // namespace ops::GroupedMatmulFinalizeRoutingOp

#endif  // OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_FLAGS_H
