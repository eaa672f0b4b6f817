// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_TENSOR_LOCAL_MEM_ALLOCATOR_H
#define TWIN_DEVICE_TENSOR_LOCAL_MEM_ALLOCATOR_H

#include "device/tensor/local_tensor.h"

namespace AscendC {

/// Hands out tensors from address 0 upwards without TPipe, one behind the other (newer than 8.1).
/// Not to be mixed with TPipe, which starts at 0 too.
template <Hardware hard = Hardware::UB>
class LocalMemAllocator {
    static_assert(hard == Hardware::UB, "LocalMemAllocator: this twin models the unified buffer");

public:
    LocalMemAllocator() = default;

    /// Where the next tensor starts.
    uint32_t GetCurAddr() const { return head_; }

    template <TPosition pos, class DataType>
    LocalTensor<DataType> Alloc(uint32_t tileSize, TWIN_HERE) {
        static_assert(GetPhyType(pos) == hard, "Alloc: the position lies in another memory");
        LocalTensor<DataType> tensor(pos, head_, tileSize, here);
        twin::RegisterStaticTensor(twin::Of(tensor));
        head_ += tensor.GetLength();
        return tensor;
    }
    template <class DataType>
    LocalTensor<DataType> Alloc(uint32_t tileSize, TWIN_HERE) {
        return Alloc<TPosition::VECCALC, DataType>(tileSize, here);
    }
    template <TPosition pos, class DataType, uint32_t tileSize>
    LocalTensor<DataType> Alloc(TWIN_HERE) {
        return Alloc<pos, DataType>(tileSize, here);
    }
    template <class DataType, uint32_t tileSize>
    LocalTensor<DataType> Alloc(TWIN_HERE) {
        return Alloc<TPosition::VECCALC, DataType>(tileSize, here);
    }

private:
    uint32_t head_ = 0;
};

}  // namespace AscendC

#endif  // TWIN_DEVICE_TENSOR_LOCAL_MEM_ALLOCATOR_H
