// SPDX-License-Identifier: Apache-2.0
#include "tensors.h"

#include <pybind11/stl.h>

#include <string>

#include "errors.h"
#include "libraries.h"

namespace py = pybind11;

namespace cannery {
namespace {

struct NumberType {
    char kind;
    py::ssize_t bytes;
    aclDataType type;
};

constexpr NumberType kNumberTypes[] = {
    {'f', 2, ACL_FLOAT16},   {'f', 4, ACL_FLOAT},       {'f', 8, ACL_DOUBLE}, {'i', 1, ACL_INT8},
    {'i', 2, ACL_INT16},     {'i', 4, ACL_INT32},       {'i', 8, ACL_INT64},  {'u', 1, ACL_UINT8},
    {'u', 2, ACL_UINT16},    {'u', 4, ACL_UINT32},      {'u', 8, ACL_UINT64}, {'b', 1, ACL_BOOL},
    {'c', 8, ACL_COMPLEX64}, {'c', 16, ACL_COMPLEX128},
};

aclTensor* Describe(const py::array& array, void* address) {
    const py::ssize_t rank = array.ndim();
    std::vector<int64_t> dims(array.shape(), array.shape() + rank);
    std::vector<int64_t> strides(rank);
    for (py::ssize_t i = 0; i < rank; ++i) {
        // NumPy may have any number as the stride of a dimension of length 1.
        strides[i] = array.shape(i) > 1 ? array.strides(i) / array.itemsize() : 1;
    }
    const bool contiguous = (array.flags() & py::array::c_style) != 0;
    const std::vector<int64_t> storage =
        contiguous
            ? dims
            : std::vector<int64_t>{static_cast<int64_t>(SpanBytes(array)) / array.itemsize()};
    // The storage begins at the first element, so the offset is 0.
    aclTensor* tensor = Libraries::Instance().Api().aclCreateTensor(
        dims.data(), dims.size(), DataTypeOf(array.dtype()), strides.data(), 0, ACL_FORMAT_ND,
        storage.data(), storage.size(), address);
    if (tensor == nullptr) {
        throw std::runtime_error("aclCreateTensor returned no tensor: " + RecentErrorText());
    }
    return tensor;
}

}  // namespace

aclDataType DataTypeOf(const py::dtype& dtype) {
    for (const NumberType& number : kNumberTypes) {
        if (dtype.kind() == number.kind && dtype.itemsize() == number.bytes) {
            return number.type;
        }
    }
    const std::string name = py::str(dtype.attr("name"));
    if (name == "bfloat16") {
        return ACL_BF16;
    }
    return name == "int4" ? ACL_INT4 : ACL_DT_UNDEFINED;
}

uint64_t SpanBytes(const py::array& array) {
    if (array.size() == 0) {
        return 0;
    }
    uint64_t bytes = array.itemsize();
    for (py::ssize_t i = 0; i < array.ndim(); ++i) {
        bytes +=
            static_cast<uint64_t>(array.shape(i) - 1) * static_cast<uint64_t>(array.strides(i));
    }
    return bytes;
}

Tensors::~Tensors() {
    for (const aclTensor* tensor : tensors_) {
        Libraries::Instance().Api().aclDestroyTensor(tensor);
    }
}

void Tensors::Add(const char* name, const py::object& value, Access access) {
    arrays_.push_back(value);
    if (value.is_none()) {
        return;
    }
    if (!py::isinstance<py::array>(value)) {
        throw py::type_error(std::string(name) + ": expected a NumPy array or None, got " +
                             std::string(py::str(py::type::of(value).attr("__name__"))));
    }
    const py::array array = py::reinterpret_borrow<py::array>(value);
    for (py::ssize_t i = 0; i < array.ndim(); ++i) {
        const py::ssize_t stride = array.strides(i);
        if (array.size() > 0 && array.shape(i) > 1 &&
            (stride < 0 || stride % array.itemsize() != 0)) {
            throw py::value_error(
                std::string(name) +
                ": strides must be multiples of the item size and not negative, got " +
                std::to_string(stride) + " bytes in dimension " + std::to_string(i) +
                "; pass a contiguous copy");
        }
    }
    const uint64_t bytes = SpanBytes(array);
    // A strided output has gaps with other data, which the copy back must not change.
    const bool hasGaps = access == Access::kWrite && bytes > static_cast<uint64_t>(array.nbytes());
    view_.Add(array.data(), bytes, hasGaps ? Access::kReadWrite : access);
}

void Tensors::Open() {
    view_.Open();
    for (const py::object& value : arrays_) {
        if (value.is_none()) {
            tensors_.push_back(nullptr);
        } else {
            const py::array array = py::reinterpret_borrow<py::array>(value);
            tensors_.push_back(Describe(array, view_.Address(array.data())));
        }
    }
}

IntArray::IntArray(const py::object& values) {
    if (!values.is_none()) {
        const auto numbers = values.cast<std::vector<int64_t>>();
        array_ = Libraries::Instance().Api().aclCreateIntArray(numbers.data(), numbers.size());
    }
}

IntArray::~IntArray() {
    if (array_ != nullptr) {
        Libraries::Instance().Api().aclDestroyIntArray(array_);
    }
}

}  // namespace cannery
