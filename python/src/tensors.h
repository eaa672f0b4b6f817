// SPDX-License-Identifier: Apache-2.0
#ifndef CANNERY_TENSORS_H
#define CANNERY_TENSORS_H

#include <pybind11/numpy.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "acl_api.h"
#include "device_view.h"

namespace cannery {

/// Returns ACL_DT_UNDEFINED for a type that acl does not have; phase 1 then returns 161002.
aclDataType DataTypeOf(const pybind11::dtype& dtype);

/// Returns the number of bytes from the first element of `array` to the end of the last one.
/// Strides must not be negative.
uint64_t SpanBytes(const pybind11::array& array);

/// The tensors and lists of tensors of one operator call, in the order of its parameters. The
/// object must exist only inside a RunScope.
class Tensors {
public:
    Tensors() = default;
    ~Tensors();
    Tensors(const Tensors&) = delete;
    Tensors& operator=(const Tensors&) = delete;

    /// Adds a tensor; None becomes a null pointer. Throws TypeError for a value that is neither
    /// None nor an array, and ValueError if a stride is negative or not a multiple of the item
    /// size.
    void Add(const std::string& name, const pybind11::object& value, Access access);
    /// Adds a list of tensors from a sequence of arrays; None becomes a null pointer.
    void AddList(const std::string& name, const pybind11::object& values, Access access);
    /// Maps the arrays into the device and makes the descriptors. Throws AclFailure.
    void Open();
    /// Returns the tensor or list that the call number `index` of Add and AddList added.
    const void* operator[](size_t index) const { return params_[index].handle; }
    void CopyBack() const { view_.CopyBack(); }

private:
    struct Param {
        size_t first;  ///< index in arrays_
        size_t count;
        bool list;
        bool present;
        void* handle;
    };

    void AddArray(const std::string& name, const pybind11::object& value, Access access);

    std::vector<pybind11::object> arrays_;
    std::vector<Param> params_;
    DeviceView view_;
};

/// The objects of a call that have values and no memory of the device: arrays and scalars.
class HostValues {
public:
    HostValues() = default;
    ~HostValues();
    HostValues(const HostValues&) = delete;
    HostValues& operator=(const HostValues&) = delete;

    /// Each function makes an object from a sequence, or from a number; None becomes a null
    /// pointer. A scalar has the dtype of a NumPy number; int, float and bool become int64, float
    /// and bool. Throws TypeError for other values.
    const void* IntArray(const std::string& name, const pybind11::object& values);
    const void* FloatArray(const std::string& name, const pybind11::object& values);
    const void* BoolArray(const std::string& name, const pybind11::object& values);
    const void* Scalar(const std::string& name, const pybind11::object& value);
    const void* ScalarList(const std::string& name, const pybind11::object& values);

private:
    std::vector<std::function<void()>> destroy_;
};

}  // namespace cannery

#endif  // CANNERY_TENSORS_H
