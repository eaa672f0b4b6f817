// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_LIBRARY_TMP_H
#define TWIN_DEVICE_LIBRARY_TMP_H

#include "device/tensor/local_tensor.h"

namespace twin::advanced {

/// sharedTmpBuffer of a call; without one the call takes what the core's TPipe has left.
struct Tmp {
    Operand place = {};
    bool given = false;

    Tmp() = default;
    Tmp(const AscendC::LocalTensor<uint8_t>& tensor) : place(Of(tensor)), given(true) {}
};

/// Bytes of scratch: what the library refuses to go below, and what it uses when it has it.
struct TmpNeed {
    uint64_t min = 0;
    uint64_t use = 0;
};

}  // namespace twin::advanced

#endif  // TWIN_DEVICE_LIBRARY_TMP_H
