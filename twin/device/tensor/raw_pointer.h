// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_TENSOR_RAW_POINTER_H
#define TWIN_DEVICE_TENSOR_RAW_POINTER_H

#include "device/tensor/global_tensor.h"
#include "device/tensor/local_tensor.h"

namespace twin {

/// The unified buffer from the address of a kernel's raw pointer to its end, because a pointer does
/// not know its tensor.
TWIN_API Operand LocalAt(const void* pointer, const char* api, Location where);
/// The same for the memory of any position.
TWIN_API Operand LocalAt(const void* pointer, AscendC::TPosition position, const char* api,
                         Location where);

template <typename T>
AscendC::LocalTensor<T> LocalTensorAt(T* pointer, const char* api, Location where) {
    const Operand place = LocalAt(pointer, api, where);
    AscendC::TBuffAddr address;
    address.logicPos = place.position;
    address.bufferAddr = place.address;
    address.dataLen = place.bytes;
    return AscendC::LocalTensor<T>(address);
}

template <typename T>
AscendC::GlobalTensor<T> GlobalTensorAt(T* pointer) {
    AscendC::GlobalTensor<T> tensor;
    tensor.SetGlobalBuffer(pointer);
    return tensor;
}

}  // namespace twin

#endif  // TWIN_DEVICE_TENSOR_RAW_POINTER_H
