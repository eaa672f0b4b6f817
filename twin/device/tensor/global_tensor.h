// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "device/tensor/local_tensor.h"
#include "device/tensor/operand.h"
#include "device/types/dtype.h"
#include "device/types/enums.h"
#include "device/types/half.h"

namespace twin {

/// The result of GlobalTensor::operator(): an element that is read and written through the data
/// cache.
template <typename T>
struct GmReference {
    GmOperand place;
    Location where;

    operator T() const {
        return *static_cast<const T*>(
            GmScalar(place, sizeof(T), "GlobalTensor::operator()", where));
    }
    const GmReference& operator=(const T& value) const {
        GmScalarWrite(place, &value, sizeof(T), "GlobalTensor::operator()", where);
        return *this;
    }
    const GmReference& operator=(const GmReference& other) const {
        return *this = static_cast<T>(other);
    }
    template <typename U>
    const GmReference& operator+=(const U& value) const {
        return *this = static_cast<T>(static_cast<T>(*this) + value);
    }
    template <typename U>
    const GmReference& operator-=(const U& value) const {
        return *this = static_cast<T>(static_cast<T>(*this) - value);
    }
};

}  // namespace twin

namespace AscendC {

/// A typed view of global memory. The pointer passed to SetGlobalBuffer points into a tensor or
/// an allocation; accesses must stay in this tensor or allocation. The chip does not check accesses
/// against the size of this view; only pedantic mode does.
template <typename T>
class GlobalTensor {
public:
    using PrimType = T;

    GlobalTensor() = default;

    void SetGlobalBuffer(__gm__ T* buffer, uint64_t bufferSize) {
        address_ = buffer;
        oriAddress_ = buffer;
        origin_ = buffer;
        bufferSize_ = bufferSize;
    }
    void SetGlobalBuffer(__gm__ T* buffer) { SetGlobalBuffer(buffer, 0); }

    const __gm__ T* GetPhyAddr() const { return address_; }
    __gm__ T* GetPhyAddr(const uint64_t offset) const {
        return reinterpret_cast<T*>(Address(address_) + Bytes(offset));
    }

    T GetValue(const uint64_t offset, TWIN_HERE) const {
        const void* value =
            twin::GmScalar(Place(offset), sizeof(T), "GlobalTensor::GetValue", here);
        if constexpr (std::is_same<T, int4b_t>::value) {
            return twin::Nibble(value, static_cast<uint32_t>(offset));
        } else {
            return *static_cast<const T*>(value);
        }
    }
    /// Writes only to the core's data cache. DataCacheCleanAndInvalid later writes the whole line
    /// of 64 B to memory, where other cores see it.
    void SetValue(const uint64_t offset, T value, TWIN_HERE) const {
        static_assert(!std::is_same<T, int4b_t>::value,
                      "GlobalTensor<int4b_t>::SetValue: two numbers share a byte, which this call "
                      "would overwrite");
        twin::GmScalarWrite(Place(offset), &value, sizeof(T), "GlobalTensor::SetValue", here);
    }
    /// Returns a reference that reads and writes like GetValue and SetValue.
    twin::GmReference<T> operator()(const uint64_t offset, TWIN_HERE) const {
        return twin::GmReference<T>{Place(offset), here};
    }
    /// Returns the number of elements; 0 if SetGlobalBuffer got no size.
    uint64_t GetSize() const { return bufferSize_; }
    GlobalTensor operator[](const uint64_t offset) const {
        GlobalTensor view = *this;
        view.address_ = reinterpret_cast<T*>(Address(address_) + Bytes(offset));
        view.oriAddress_ = view.address_;
        return view;
    }
    /// Moves the start of the tensor by `offset` elements.
    void SetAddr(const uint64_t offset) { address_ = oriAddress_ = (*this)[offset].address_; }
    void SetShapeInfo(const ShapeInfo& shapeInfo) { shape_ = twin::KeepShape(shapeInfo); }
    ShapeInfo GetShapeInfo() const { return shape_ == nullptr ? ShapeInfo() : *shape_; }
    /// Sets a hint for the L2 cache, which never changes results.
    template <CacheRwMode rwMode = CacheRwMode::RW>
    void SetL2CacheHint(CacheMode mode) {
        const bool past = mode == CacheMode::CACHE_MODE_DISABLE;
        readsPastL2_ = rwMode == CacheRwMode::WRITE ? readsPastL2_ : past;
        writesPastL2_ = rwMode == CacheRwMode::READ ? writesPastL2_ : past;
    }

    __gm__ T* address_ = nullptr;
    __gm__ T* oriAddress_ = nullptr;
    uint64_t bufferSize_ = 0;
    bool readsPastL2_ = false;
    bool writesPastL2_ = false;
    __gm__ T* origin_ =
        nullptr;  ///< the argument of SetGlobalBuffer: decides in which tensor accesses must stay

    const ShapeInfo* shape_ = nullptr;

    /// Returns the size of `count` elements in bytes; two int4b_t share a byte.
    static uint64_t Bytes(uint64_t count) {
        return std::is_same<T, int4b_t>::value ? count / 2 : count * sizeof(T);
    }
    static uintptr_t Address(const T* pointer) { return reinterpret_cast<uintptr_t>(pointer); }
    /// Returns element `offset` as an operand of instructions.
    twin::GmOperand Place(uint64_t offset) const {
        twin::GmOperand place{Address(origin_), Address(address_) + Bytes(offset)};
        place.declared = Bytes(bufferSize_);
        if constexpr (twin::kHasDtype<T>) {
            place.type = twin::kDtypeOf<T>;
        }
        place.readsPastL2 = readsPastL2_;
        place.writesPastL2 = writesPastL2_;
        return place;
    }
};

}  // namespace AscendC

namespace twin {

/// Returns the part of UB from a raw pointer of the kernel to the end of UB. The end of the
/// tensor cannot be found from a raw pointer.
TWIN_API Operand LocalAt(const void* pointer, const char* api, Location where);
/// Returns the part of the position's memory from a raw pointer to the end of that memory.
TWIN_API Operand LocalAt(const void* pointer, AscendC::TPosition position, const char* api,
                         Location where);

/// Returns the position in UB, L1 or L0C to which a raw pointer of the kernel leads, or GM.
TWIN_API AscendC::TPosition PositionAt(const void* pointer);

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
