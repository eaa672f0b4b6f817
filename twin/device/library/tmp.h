// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_LIBRARY_TMP_H
#define TWIN_DEVICE_LIBRARY_TMP_H

#include "device/tensor/local_tensor.h"

namespace twin::advanced {

/// sharedTmpBuffer of a call; without one the call uses the rest of UB of the core's TPipe.
struct Tmp {
    Operand place = {};
    bool given = false;

    Tmp() = default;
    Tmp(const AscendC::LocalTensor<uint8_t>& tensor) : place(Of(tensor)), given(true) {}
};

/// Bytes of scratch: the minimum of the library, and the size that it uses if it has it.
struct TmpNeed {
    uint64_t min = 0;
    uint64_t use = 0;
};

}  // namespace twin::advanced

#endif  // TWIN_DEVICE_LIBRARY_TMP_H
