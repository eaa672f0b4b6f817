// SPDX-License-Identifier: Apache-2.0
#ifndef CANNERY_TENSORS_H
#define CANNERY_TENSORS_H

#include <pybind11/numpy.h>

#include <cstdint>
#include <vector>

#include "acl_api.h"
#include "device_view.h"

namespace cannery {

/// Returns ACL_DT_UNDEFINED for a type that acl does not have; phase 1 then returns 161002.
aclDataType DataTypeOf(const pybind11::dtype& dtype);

/// Returns the number of bytes from the first element of `array` to the end of the last one.
/// Strides must not be negative.
uint64_t SpanBytes(const pybind11::array& array);

/// The tensors of one operator call, in the order of its parameters. The object must exist only
/// inside a RunScope.
class Tensors {
public:
    Tensors() = default;
    ~Tensors();
    Tensors(const Tensors&) = delete;
    Tensors& operator=(const Tensors&) = delete;

    /// Adds a tensor; None becomes a null pointer. Throws TypeError for a value that is neither
    /// None nor an array, and ValueError if a stride is negative or not a multiple of the item
    /// size.
    void Input(const char* name, const pybind11::object& value) { Add(name, value, Access::kRead); }
    void Output(const char* name, const pybind11::object& value) {
        Add(name, value, Access::kWrite);
    }
    /// Adds a tensor that the operator reads and changes.
    void InPlace(const char* name, const pybind11::object& value) {
        Add(name, value, Access::kReadWrite);
    }
    /// Maps the arrays into the device and makes the descriptors. Throws AclFailure.
    void Open();
    aclTensor* operator[](size_t index) const { return tensors_[index]; }
    void CopyBack() const { view_.CopyBack(); }

private:
    void Add(const char* name, const pybind11::object& value, Access access);

    std::vector<pybind11::object> arrays_;
    std::vector<aclTensor*> tensors_;
    DeviceView view_;
};

/// A list attribute, or an input whose values tiling reads; None becomes a null pointer.
class IntArray {
public:
    explicit IntArray(const pybind11::object& values);
    ~IntArray();
    IntArray(const IntArray&) = delete;
    IntArray& operator=(const IntArray&) = delete;

    aclIntArray* Get() const { return array_; }

private:
    aclIntArray* array_ = nullptr;
};

}  // namespace cannery

#endif  // CANNERY_TENSORS_H
