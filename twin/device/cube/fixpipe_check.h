// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_CUBE_FIXPIPE_CHECK_H
#define TWIN_DEVICE_CUBE_FIXPIPE_CHECK_H

#include "core/core.h"
#include "device/cube/fixpipe.h"

namespace twin::cube {

/// Refuses sizes, strides and modes that the pipe does not support; `withVector` means the form
/// with quantisation words in L1.
void CheckCopyOut(Core& core, const CopyOut& out, bool withVector);

}  // namespace twin::cube

#endif  // TWIN_DEVICE_CUBE_FIXPIPE_CHECK_H
