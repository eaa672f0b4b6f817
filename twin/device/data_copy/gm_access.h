// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_DATA_COPY_GM_ACCESS_H
#define TWIN_DEVICE_DATA_COPY_GM_ACCESS_H

#include <cstdint>

#include "core/core.h"
#include "device/tensor/operand.h"

// What all copies from and to global memory share.

namespace twin::copy {

/// Drops the tail that the chip drops, or refuses it.
uint64_t WholeBlocks(Core& core, const char* api, uint64_t bytes);
/// DataCopy wants whole elements on GM; DataCopyPad takes any byte.
void CheckGmAlignment(const GmOperand& gm, uint32_t elementBytes, const char* api);
/// Orders `count` runs of `bytes`, `stride` apart, against the scalar data cache and against
/// pending atomic copies; both are rare.
void OrderRuns(Core& core, const GmOperand& gm, uint64_t count, uint64_t bytes, uint64_t stride,
               bool write, const char* api);
/// "add", "max", "min" or "" by the core's atomic mode, which must be of elements of this size.
const char* AtomicName(Core& core, uint32_t elementBytes, const char* api);
/// A vector core reaches L1 only through the Matmul server: as a copy of its own that is not
/// modelled.
void RefuseTscm(const Operand& operand, const char* api);

}  // namespace twin::copy

#endif  // TWIN_DEVICE_DATA_COPY_GM_ACCESS_H
