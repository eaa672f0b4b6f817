// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_CUBE_PRODUCT_H
#define TWIN_DEVICE_CUBE_PRODUCT_H

#include "core/core.h"
#include "device/cube/params.h"
#include "device/lanes/matrix.h"

// Helpers of all kinds of matrix products.

namespace twin::cube {

/// Refuses sizes that do not fit their fields; returns true if there is nothing to multiply.
bool IsEmpty(const char* api, const AscendC::MmadParams& params);
/// The product of operands of `dtype` under the core's HF32 mode.
lanes::MatrixFn ProductOf(const Core& core, Dtype dtype);
/// This thread's memory for repacked operands.
lanes::MatrixScratch& ProductScratch();
/// Saturates C if CTRL[48] asks for it, and poisons the elements beyond m and n.
void FinishProduct(const Core& core, uint8_t* c, uint32_t m, uint32_t n, bool isFloat);

}  // namespace twin::cube

#endif  // TWIN_DEVICE_CUBE_PRODUCT_H
