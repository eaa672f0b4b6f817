// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_LANES_FUSED_H
#define TWIN_DEVICE_LANES_FUSED_H

#include "device/lanes/arithmetic.h"

namespace twin::lanes {

/// Two steps in one instruction, with operands of one type. The last three also read their
/// destination.
enum class FusedOp : uint8_t { AddRelu, SubRelu, MulAddDst, FusedMulAdd, FusedMulAddRelu };
/// Two sources of one type and a destination of another.
enum class MixedOp : uint8_t { MulCast, AddReluCast, SubReluCast, MulAddDst };
enum class ShiftOp : uint8_t { Left, Right, RightRounded };

constexpr uint32_t kFusedOps = 5;
constexpr uint32_t kMixedOps = 4;
constexpr uint32_t kShiftOps = 3;

using ShiftFn = void (*)(void* dst, const void* src, uint32_t distance, size_t count);
using DequantSumFn = void (*)(void* dst, const void* src0, const void* src1, float scale,
                              size_t count);

/// Compound arithmetic on contiguous elements. Every step rounds to the type in which it computes,
/// as the single instructions would. A null entry means that the vector unit has no such
/// instruction.
struct FusedTable {
    BinaryFn same[kFusedOps][kDtypeCount];
    BinaryFn mixed[kMixedOps][kDtypeCount][kDtypeCount];  ///< [op][to][from]
    ScalarFn axpy[kDtypeCount][kDtypeCount];              ///< [to][from]; scalar of type from
    ShiftFn shift[kShiftOps][kDtypeCount];
    DequantSumFn addDeqRelu;  ///< half from int32_t
};

/// The best version for this machine.
const FusedTable& BestFused();

}  // namespace twin::lanes

#endif  // TWIN_DEVICE_LANES_FUSED_H
