// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_KFC_TSCM_H
#define TWIN_DEVICE_KFC_TSCM_H

#include "device/tensor/local_tensor.h"

namespace twin::kfc {

/// Cube core: refuses TSCM of a vector core that overlaps the buffers of the Matmul objects.
TWIN_API void CheckTscm(const Operand& tensor, Location where);

}  // namespace twin::kfc

#endif  // TWIN_DEVICE_KFC_TSCM_H
