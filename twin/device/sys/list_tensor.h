// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/tensor/global_tensor.h"

namespace twin {

/// The tensors of a dynamic input. A kernel gets a pointer to these 64-bit words:
///   word 0: byte offset of the data pointers
///   for each tensor: one word, then one word per dimension. In the first word, bits 0-31 are the
///   number of dimensions; bits 32-63 are the tensor's index (first tensor: number of tensors)
/// A list without shapes has two words instead: {0 | count << 32, 0xFFFFFFFF}.
/// In the call of an operator, bits 32-63 are 1 for all tensors, and ranks may differ.
struct TensorList {
    const uint64_t* shapes = nullptr;  ///< the first word of the first tensor
    const uint64_t* pointers = nullptr;
    uint32_t dimensions = 0;
    uint32_t count = 0;    ///< what GetSize returns: the number that the first tensor's word has
    uint32_t tensors = 0;  ///< how many tensors the list has
    bool sameRank = true;  ///< whether all tensors have `dimensions` dimensions
};

TWIN_API TensorList ReadTensorList(const void* data, uint32_t length, uint32_t shapeSize,
                                   Location where);
/// Returns the address of tensor `index`.
TWIN_API void* TensorListPointer(const TensorList& list, uint32_t index, Location where);
/// Copies the shape of tensor `index` into `shape`.
TWIN_API void TensorListShape(const TensorList& list, uint32_t index, uint64_t* shape,
                              Location where);
[[noreturn]] TWIN_API void RefuseDimension(uint32_t offset, uint64_t dimensions, Location where);

}  // namespace twin

namespace AscendC {

/// One tensor of a list. First call SetShapeAddr, because ListTensorDesc::GetDesc writes the shape
/// to the address that SetShapeAddr sets.
template <class T>
class TensorDesc {
public:
    void SetShapeAddr(uint64_t* shapePtr) { shape_ = shapePtr; }
    uint64_t GetDim() { return dimensions_; }
    uint64_t GetIndex() { return index_; }
    uint64_t GetShape(uint32_t offset, TWIN_HERE) {
        if (offset >= dimensions_) {
            twin::RefuseDimension(offset, dimensions_, here);
        }
        return shape_[offset];
    }
    __gm__ T* GetDataPtr() { return data_; }
    /// Returns the tensor. As on the chip, its size is the number of bytes, not of elements.
    GlobalTensor<T> GetDataObj() {
        uint64_t bytes = sizeof(T);
        for (uint32_t i = 0; i < dimensions_; ++i) {
            bytes *= shape_[i];
        }
        GlobalTensor<T> tensor;
        tensor.SetGlobalBuffer(data_, static_cast<uint32_t>(bytes));
        return tensor;
    }

private:
    friend class ListTensorDesc;
    uint32_t dimensions_ = 0;
    uint32_t index_ = 0;
    uint64_t* shape_ = nullptr;
    __gm__ T* data_ = nullptr;
};

/// A dynamic input: tensors of the same type and with the same number of dimensions.
class ListTensorDesc {
public:
    ListTensorDesc() = default;
    ListTensorDesc(__gm__ void* data, uint32_t length = 0xffffffff, uint32_t shapeSize = 0xffffffff,
                   TWIN_HERE)
        : list_(twin::ReadTensorList(data, length, shapeSize, here)) {}

    void Init(__gm__ void* data, uint32_t length = 0xffffffff, uint32_t shapeSize = 0xffffffff,
              TWIN_HERE) {
        list_ = twin::ReadTensorList(data, length, shapeSize, here);
    }
    template <class T>
    void GetDesc(TensorDesc<T>& desc, uint32_t index, TWIN_HERE) {
        twin::TensorListShape(list_, index, desc.shape_, here);
        desc.data_ = static_cast<T*>(twin::TensorListPointer(list_, index, here));
        desc.dimensions_ = list_.dimensions;
        desc.index_ = index;
    }
    template <class T>
    __gm__ T* GetDataPtr(uint32_t index, TWIN_HERE) {
        return static_cast<T*>(twin::TensorListPointer(list_, index, here));
    }
    uint32_t GetSize() { return list_.count; }

private:
    twin::TensorList list_;
};

}  // namespace AscendC
