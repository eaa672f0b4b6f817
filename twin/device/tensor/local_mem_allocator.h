// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/tensor/local_tensor.h"

namespace AscendC {

/// Allocates tensors one after the other from address 0 upwards, without TPipe. Do not use TPipe in
/// the same kernel: TPipe also allocates from address 0. This class is newer than CANN 8.1.
template <Hardware hard = Hardware::UB>
class LocalMemAllocator {
    static_assert(hard != Hardware::GM && hard != Hardware::MAX,
                  "LocalMemAllocator: a local memory; global memory is not handed out");

public:
    LocalMemAllocator() = default;

    /// Returns the address of the next tensor.
    uint32_t GetCurAddr() const { return head_; }

    template <TPosition pos, class DataType>
    LocalTensor<DataType> Alloc(uint32_t tileSize, TWIN_HERE) {
        static_assert(GetPhyType(pos) == hard, "Alloc: the position lies in another memory");
        LocalTensor<DataType> tensor(pos, head_, tileSize, here);
        twin::RegisterStaticTensor(tensor);
        head_ += tensor.GetLength();
        return tensor;
    }
    template <class DataType>
    LocalTensor<DataType> Alloc(uint32_t tileSize, TWIN_HERE) {
        return Alloc<kPosition, DataType>(tileSize, here);
    }
    template <TPosition pos, class DataType, uint32_t tileSize>
    LocalTensor<DataType> Alloc(TWIN_HERE) {
        return Alloc<pos, DataType>(tileSize, here);
    }
    template <class DataType, uint32_t tileSize>
    LocalTensor<DataType> Alloc(TWIN_HERE) {
        return Alloc<kPosition, DataType>(tileSize, here);
    }

private:
    /// The position of a tensor for which the kernel names no position.
    static constexpr TPosition kPosition = hard == Hardware::L1       ? TPosition::A1
                                           : hard == Hardware::L0A    ? TPosition::A2
                                           : hard == Hardware::L0B    ? TPosition::B2
                                           : hard == Hardware::L0C    ? TPosition::CO1
                                           : hard == Hardware::BIAS   ? TPosition::C2
                                           : hard == Hardware::FIXBUF ? TPosition::C2PIPE2GM
                                                                      : TPosition::VECCALC;
    uint32_t head_ = 0;
};

}  // namespace AscendC
