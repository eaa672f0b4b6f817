// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "device/tensor/operand.h"
#include "device/tensor/operators.h"
#include "device/types/dtype.h"
#include "device/types/enums.h"

namespace AscendC {

/// Address of a local tensor. Its members have the toolkit's names, because kernels read them.
struct TBuffAddr {
    uint32_t dataLen = 0;
    uint32_t bufferAddr = 0;
    TBufHandle bufferHandle = nullptr;
    uint8_t logicPos = 0;
    uint8_t* absAddr = nullptr;
};

/// A typed view of local memory. Copies are cheap and refer to the same bytes.
template <typename T>
class LocalTensor {
public:
    using PrimType = T;

    static_assert(
        !twin::kHasTrait<T>,
        "LocalTensor<TensorTrait<T>>: tensor traits are not modelled; use LocalTensor<T>");

    LocalTensor() = default;
    explicit LocalTensor(TBuffAddr& address) : address_(address) {}
    /// Makes a tensor of `tileSize` elements from byte `addr` of the position's memory, without
    /// TPipe.
    LocalTensor(TPosition pos, uint32_t addr, uint32_t tileSize, TWIN_HERE) {
        address_.logicPos = static_cast<uint8_t>(pos);
        InitBuffer(addr, tileSize, here);
    }
    LocalTensor(const LocalTensor&) = default;
    LocalTensor& operator=(const LocalTensor&) = default;
    TWIN_TENSOR_OPERATORS

    void SetAddr(const TBuffAddr& address) { address_ = address; }
    void InitBuffer(const uint32_t bufferOffset, const uint32_t bufferSize, TWIN_HERE) {
        address_.bufferAddr = bufferOffset;
        address_.dataLen = twin::BytesOf<T>(bufferSize);
        twin::CheckStaticTensor(View(0), here);
    }
    TBufHandle GetBufferHandle() const { return address_.bufferHandle; }

    // On a card, and so in kernels, an address is a number: x.GetPhyAddr() + 32 is 32 bytes
    // further. In the toolkit's CPU debug build, and so in unit tests, it is a pointer.
#ifdef __CCE_KT_TEST__
    T* GetPhyAddr() const { return static_cast<T*>(twin::LocalPointer(View(0))); }
    T* GetPhyAddr(const uint32_t offset) const {
        return GetPhyAddr() + twin::BytesOf<T>(offset) / sizeof(T);
    }
#else
    uint64_t GetPhyAddr() const { return reinterpret_cast<uint64_t>(twin::LocalPointer(View(0))); }
    uint64_t GetPhyAddr(const uint32_t offset) const {
        return GetPhyAddr() + twin::BytesOf<T>(offset);
    }
#endif

    T GetValue(const uint32_t offset, TWIN_HERE) const {
        void* place = twin::LocalScalar(View(offset), sizeof(T), false, twin::Opcode::GetValue,
                                        here, twin::kDtypeOf<T>);
        if constexpr (std::is_same<T, int4b_t>::value) {
            return twin::Nibble(place, offset);
        } else {
            return *static_cast<T*>(place);
        }
    }
    template <typename T1>
    void SetValue(const uint32_t index, const T1 value, TWIN_HERE) const {
        void* place = twin::LocalScalar(View(index), sizeof(T), true, twin::Opcode::SetValue, here);
        if constexpr (std::is_same<T, int4b_t>::value) {
            twin::SetNibble(place, index, static_cast<T>(value));
        } else {
            *static_cast<T*>(place) = static_cast<T>(value);
        }
    }
    T& operator()(const uint32_t offset, TWIN_HERE) const {
        static_assert(
            !std::is_same<T, int4b_t>::value,
            "operator(): an int4b_t is half a byte and has no reference; use GetValue and "
            "SetValue");
        return *static_cast<T*>(
            twin::LocalScalar(View(offset), sizeof(T), true, twin::Opcode::ElementReference, here));
    }
    /// Returns a view from element `at` to the end of the tensor.
    LocalTensor operator[](const twin::Offset at) const {
        const uint32_t offset = at.value;
        const uint64_t bytes = twin::BytesOf<T>(offset);
        if (std::is_same<T, int4b_t>::value && offset % 2 != 0) {
            twin::RefuseOddView(offset, at.where);
        }
        if (bytes > address_.dataLen) {
            twin::RefuseView(View(0), bytes, at.where);
        }
        LocalTensor view = *this;
        view.address_.bufferAddr += static_cast<uint32_t>(bytes);
        view.address_.dataLen -=
            static_cast<uint32_t>(bytes > address_.dataLen ? address_.dataLen : bytes);
        return view;
    }
    template <typename U>
    LocalTensor<U> ReinterpretCast() const {
        LocalTensor<U> view;
        view.address_ = address_;
        return view;
    }

    int32_t GetPosition() const { return address_.logicPos; }
    /// Returns the number of elements.
    uint32_t GetSize() const { return twin::ElementsIn<T>(address_.dataLen); }
    void SetSize(const uint32_t size) { address_.dataLen = twin::BytesOf<T>(size); }
    uint32_t GetLength() const { return address_.dataLen; }
    void SetBufferLen(uint32_t dataLen) { address_.dataLen = twin::BytesOf<T>(dataLen); }
    /// Stores a number with the buffer; EnQue and DeQue do not change this number.
    void SetUserTag(const TTagType tag) { twin::BufferTag(address_.bufferHandle) = tag; }
    TTagType GetUserTag() const { return twin::BufferTag(address_.bufferHandle); }
    void SetShapeInfo(const ShapeInfo& shapeInfo) { shape_ = twin::KeepShape(shapeInfo); }
    ShapeInfo GetShapeInfo() const { return shape_ == nullptr ? ShapeInfo() : *shape_; }
    /// Prints `len` elements, 32 B per line.
    void Print(uint32_t len, TWIN_HERE) const {
        twin::PrintTensor(View(0), len < GetSize() ? len : GetSize(), twin::kDtypeOf<T>, here);
    }
    void Print(TWIN_HERE) const { Print(GetSize(), here); }
    /// Writes the tensor's bytes to a file. Returns 0, or -1 if the file cannot be written.
    int32_t ToFile(const twin::FileName fileName, TWIN_HERE) const {
        return twin::WriteTensor(View(0), fileName.text, here);
    }
    template <typename T1>
    void SetAddrWithOffset(LocalTensor<T1>& src, uint32_t offset) {
        address_ = src.address_;
        address_.bufferAddr += twin::BytesOf<T1>(offset);
    }

    TBuffAddr address_;

private:
    twin::Operand View(uint32_t offset) const {
        const uint64_t bytes = twin::BytesOf<T>(offset);
        const uint64_t left = bytes > address_.dataLen ? 0 : address_.dataLen - bytes;
        return twin::Operand{static_cast<uint32_t>(address_.bufferAddr + bytes),
                             static_cast<uint32_t>(left), address_.logicPos};
    }

    const ShapeInfo* shape_ = nullptr;
};

}  // namespace AscendC
