// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_PIPE_STACK_BUFFER_H
#define TWIN_DEVICE_PIPE_STACK_BUFFER_H

#include "device/pipe/tpipe.h"

namespace AscendC {

/// The rest of UB after the last InitBuffer. It is not allocated: the next call returns the same
/// memory.
template <typename T, TPosition pos>
inline bool PopStackBuffer(LocalTensor<T>& popLocal, TWIN_HERE) {
    popLocal.SetAddr(twin::StackBuffer(pos, here));
    return true;
}
template <TPosition pos>
inline bool PopStackBuffer(TBuf<pos>& popBuffer, TBufType& bufStart,
                           twin::Location here = twin::Location::Here()) {
    const TBuffAddr address = twin::StackBuffer(pos, here);
    bufStart.address = address.bufferAddr;
    bufStart.dataLen = address.dataLen;
    popBuffer.Attach(&bufStart, address.dataLen);
    return true;
}

}  // namespace AscendC

#endif  // TWIN_DEVICE_PIPE_STACK_BUFFER_H
