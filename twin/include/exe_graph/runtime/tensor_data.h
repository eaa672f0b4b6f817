// SPDX-License-Identifier: Apache-2.0
#ifndef EXE_GRAPH_RUNTIME_TENSOR_DATA_H
#define EXE_GRAPH_RUNTIME_TENSOR_DATA_H

#include <cstddef>
#include <cstdint>

#include "graph/ge_error_codes.h"

namespace gert {

enum TensorPlacement : int32_t {
    kOnDeviceHbm,
    kOnHost,
    kFollowing,
    kOnDeviceP2p,
    kTensorPlacementEnd
};

enum TensorOperateType : int32_t {
    kGetTensorAddress,
    kFreeTensor,
    kPlusShareCount,
    kTensorOperateType
};

using TensorAddress = void*;
using ConstTensorAddressPtr = const void*;
using TensorAddrManager = ge::graphStatus (*)(TensorAddress address, TensorOperateType operation,
                                              void** out);

/// The address of a tensor's elements. The memory belongs to its owner: no manager is called.
class TensorData {
public:
    explicit TensorData(TensorAddress address = nullptr, TensorAddrManager = nullptr)
        : address_(address) {}
    TensorData(TensorAddress address, TensorAddrManager, size_t bytes, TensorPlacement placement)
        : address_(address), bytes_(bytes), placement_(placement) {}
    TensorData(const TensorData&) = delete;
    TensorData& operator=(const TensorData&) = delete;
    TensorData(TensorData&&) = default;
    TensorData& operator=(TensorData&&) = default;

    TensorAddress GetAddr() const { return address_; }
    ge::graphStatus SetAddr(ConstTensorAddressPtr address, TensorAddrManager) {
        address_ = const_cast<TensorAddress>(address);
        return ge::GRAPH_SUCCESS;
    }
    size_t GetSize() const { return bytes_; }
    void SetSize(const size_t bytes) { bytes_ = bytes; }
    TensorPlacement GetPlacement() const { return placement_; }
    void SetPlacement(const TensorPlacement placement) { placement_ = placement; }

private:
    TensorAddress address_ = nullptr;
    size_t bytes_ = 0;
    TensorPlacement placement_ = kTensorPlacementEnd;
};

}  // namespace gert

#endif  // EXE_GRAPH_RUNTIME_TENSOR_DATA_H
