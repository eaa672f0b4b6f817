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

std::string TypeName(const py::handle& value) {
    return std::string(py::str(py::type::of(value).attr("__name__")));
}

/// Returns the numbers of a sequence or an array; throws TypeError for other values.
template <typename T>
std::vector<T> SequenceOf(const std::string& name, const py::object& values, const char* what) {
    try {
        return values.cast<std::vector<T>>();
    } catch (const py::cast_error&) {
        throw py::type_error(name + ": expected a sequence of " + what + ", got " +
                             std::string(py::repr(values)));
    }
}

aclScalar* MakeScalar(const std::string& name, const py::object& value) {
    // A float of Python becomes a float32 on a card, because aclScalars of doubles do so there.
    const py::module_ numpy = py::module_::import("numpy");
    const bool plain = PyFloat_CheckExact(value.ptr()) != 0;
    const py::array array =
        plain ? numpy.attr("asarray")(value, numpy.attr("float32")) : numpy.attr("asarray")(value);
    const aclDataType type = DataTypeOf(array.dtype());
    if (array.ndim() != 0 || type == ACL_DT_UNDEFINED) {
        throw py::type_error(name + ": expected a number, got " + TypeName(value));
    }
    return Libraries::Instance().Api().aclCreateScalar(const_cast<void*>(array.data()), type);
}

}  // namespace

aclDataType DataTypeOf(const py::dtype& dtype) {
    if (!dtype.attr("isnative").cast<bool>()) {
        throw py::type_error("expected arrays in native byte order, got " +
                             std::string(py::str(dtype.attr("str"))) +
                             "; convert with array.astype(array.dtype.newbyteorder('='))");
    }
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
    const AclApi& api = Libraries::Instance().Api();
    for (const Param& param : params_) {
        if (param.handle == nullptr) {
            continue;
        }
        if (param.list) {  // this destroys the tensors of the list, too
            api.aclDestroyTensorList(static_cast<aclTensorList*>(param.handle));
        } else {
            api.aclDestroyTensor(static_cast<aclTensor*>(param.handle));
        }
    }
}

void Tensors::Add(const std::string& name, const py::object& value, Access access) {
    params_.push_back({arrays_.size(), 1, false, !value.is_none(), nullptr});
    AddArray(name, value, access);
}

void Tensors::AddList(const std::string& name, const py::object& values, Access access) {
    params_.push_back({arrays_.size(), 0, true, !values.is_none(), nullptr});
    if (values.is_none()) {
        return;
    }
    if (!py::isinstance<py::sequence>(values) || py::isinstance<py::array>(values)) {
        throw py::type_error(name + ": expected a list of NumPy arrays, got " + TypeName(values));
    }
    for (const py::handle& value : values) {
        const std::string one = name + "[" + std::to_string(params_.back().count++) + "]";
        if (value.is_none()) {
            throw py::type_error(one + ": expected a NumPy array, got NoneType");
        }
        AddArray(one, py::reinterpret_borrow<py::object>(value), access);
    }
}

void Tensors::AddArray(const std::string& name, const py::object& value, Access access) {
    arrays_.push_back(value);
    if (value.is_none()) {
        return;
    }
    if (!py::isinstance<py::array>(value)) {
        throw py::type_error(name + ": expected a NumPy array or None, got " + TypeName(value));
    }
    const py::array array = py::reinterpret_borrow<py::array>(value);
    for (py::ssize_t i = 0; i < array.ndim(); ++i) {
        const py::ssize_t stride = array.strides(i);
        if (array.size() > 0 && array.shape(i) > 1 &&
            (stride < 0 || stride % array.itemsize() != 0)) {
            throw py::value_error(
                name + ": strides must be multiples of the item size and not negative, got " +
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
    const AclApi& api = Libraries::Instance().Api();
    for (Param& param : params_) {
        std::vector<const aclTensor*> tensors;
        for (size_t i = param.first; param.present && i < param.first + param.count; ++i) {
            const py::array array = py::reinterpret_borrow<py::array>(arrays_[i]);
            aclTensor* const tensor = Describe(array, view_.Address(array.data()));
            tensors.push_back(tensor);
            param.handle = param.list ? nullptr : tensor;
        }
        if (param.list && param.present) {
            param.handle = api.aclCreateTensorList(tensors.data(), tensors.size());
        }
    }
}

HostValues::~HostValues() {
    for (const auto& destroy : destroy_) {
        destroy();
    }
}

const void* HostValues::IntArray(const std::string& name, const py::object& values) {
    if (values.is_none()) {
        return nullptr;
    }
    const auto numbers = SequenceOf<int64_t>(name, values, "integers");
    const AclApi& api = Libraries::Instance().Api();
    aclIntArray* const array = api.aclCreateIntArray(numbers.data(), numbers.size());
    destroy_.emplace_back([&api, array] { api.aclDestroyIntArray(array); });
    return array;
}

const void* HostValues::FloatArray(const std::string& name, const py::object& values) {
    if (values.is_none()) {
        return nullptr;
    }
    const auto numbers = SequenceOf<float>(name, values, "numbers");
    const AclApi& api = Libraries::Instance().Api();
    aclFloatArray* const array = api.aclCreateFloatArray(numbers.data(), numbers.size());
    destroy_.emplace_back([&api, array] { api.aclDestroyFloatArray(array); });
    return array;
}

const void* HostValues::BoolArray(const std::string& name, const py::object& values) {
    if (values.is_none()) {
        return nullptr;
    }
    const auto truths = SequenceOf<uint8_t>(name, values, "True and False");
    const AclApi& api = Libraries::Instance().Api();
    aclBoolArray* const array =
        api.aclCreateBoolArray(reinterpret_cast<const bool*>(truths.data()), truths.size());
    destroy_.emplace_back([&api, array] { api.aclDestroyBoolArray(array); });
    return array;
}

const void* HostValues::Scalar(const std::string& name, const py::object& value) {
    if (value.is_none()) {
        return nullptr;
    }
    aclScalar* const scalar = MakeScalar(name, value);
    destroy_.emplace_back([scalar] { Libraries::Instance().Api().aclDestroyScalar(scalar); });
    return scalar;
}

const void* HostValues::ScalarList(const std::string& name, const py::object& values) {
    if (values.is_none()) {
        return nullptr;
    }
    if (!py::isinstance<py::sequence>(values)) {
        throw py::type_error(name + ": expected a list of numbers, got " + TypeName(values));
    }
    std::vector<const aclScalar*> scalars;
    for (const py::handle& value : values) {
        const std::string one = name + "[" + std::to_string(scalars.size()) + "]";
        scalars.push_back(MakeScalar(one, py::reinterpret_borrow<py::object>(value)));
    }
    const AclApi& api = Libraries::Instance().Api();
    aclScalarList* const list = api.aclCreateScalarList(scalars.data(), scalars.size());
    destroy_.emplace_back([&api, list] { api.aclDestroyScalarList(list); });
    return list;
}

}  // namespace cannery
