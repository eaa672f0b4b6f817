// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_REDUCE_STEPS_H
#define TWIN_DEVICE_REDUCE_STEPS_H

#include "device/reduce/request.h"
#include "device/types/enums.h"

// The steps of ReduceSum, ReduceMax and ReduceMin besides reduction instructions: the library
// finishes them on the scalar unit.

namespace twin::reduce {

constexpr uint32_t kPair = 2;  ///< value and index

/// `operand` from `elements` on; beyond its end it is empty, and the next check reports that.
Operand At(const Operand& operand, uint64_t elements, Dtype dtype);

/// One flag of the library: it is set and waited for at once.
void Sync(AscendC::HardEvent event, Location where);
/// The scalar unit is finished: vector instructions and copies to GM may go on.
void ReleaseScalar(Location where);

/// Copies one element through the scalar unit.
uint32_t LoadElement(Opcode api, const Operand& from, Dtype dtype, Location where);
void StoreElement(Opcode api, const Operand& to, uint32_t bits, Dtype dtype, Location where);

/// The steps put bits into the mask register, which counter mode would read as an element count
/// (T432).
void RequireNormalMode(const Core& core, Opcode api);

}  // namespace twin::reduce

#endif  // TWIN_DEVICE_REDUCE_STEPS_H
