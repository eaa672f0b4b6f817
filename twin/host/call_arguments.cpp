// SPDX-License-Identifier: Apache-2.0
#include "host/call_arguments.h"

#include <cstring>
#include <utility>

#include "host/error.h"
#include "opdev/bfloat16.h"
#include "opdev/fp16_t.h"

namespace twin::host {
namespace {

constexpr size_t kMostTensors = 256;  // of one dynamic input or output, as on a card

std::shared_ptr<HostValues> ValuesOf(ge::DataType dataType, const void* data, size_t bytes,
                                     std::vector<int64_t> dims) {
    auto values = std::make_shared<HostValues>();
    values->dataType = dataType;
    values->dims = std::move(dims);
    // There is memory for at least one value, so that the kernel gets an address.
    values->words.resize(bytes / sizeof(uint64_t) + 1);
    if (bytes != 0) {
        std::memcpy(values->words.data(), data, bytes);
    }
    return values;
}

template <typename T>
std::shared_ptr<HostValues> ArrayOf(const HandleTable<MetaArray<T>>& table, const void* object,
                                    ge::DataType dataType) {
    const auto array = table.Find(object);
    if (array == nullptr) {
        return nullptr;
    }
    const auto& values = array->values;
    return ValuesOf(dataType, values.data(), values.size() * sizeof(T),
                    {static_cast<int64_t>(values.size())});
}

/// Returns the value of a scalar. A double becomes a float, as on a card.
std::shared_ptr<HostValues> ScalarOf(const void* object) {
    const auto scalar = MetaTables::Instance().scalars.Find(object);
    if (scalar == nullptr) {
        return nullptr;
    }
    if (scalar->dataType == ACL_DOUBLE) {
        double wide = 0;
        std::memcpy(&wide, scalar->value.data(), sizeof(wide));
        const auto narrow = static_cast<float>(wide);
        return ValuesOf(ge::DT_FLOAT, &narrow, sizeof(narrow), {});
    }
    return ValuesOf(static_cast<ge::DataType>(scalar->dataType), scalar->value.data(),
                    scalar->value.size(), {});
}

size_t BytesOf(ge::DataType dataType) {
    return static_cast<size_t>(ge::GetSizeByDataType(dataType));
}

/// Returns the values of a list of scalars, which must have one type.
std::shared_ptr<HostValues> ScalarsOf(const std::string& opType, const std::string& label,
                                      const MetaList& list) {
    std::vector<uint8_t> bytes;
    ge::DataType dataType = ge::DT_FLOAT;
    for (size_t i = 0; i < list.values.size(); ++i) {
        const auto value = ScalarOf(list.values[i]);
        if (value == nullptr || (i > 0 && value->dataType != dataType)) {
            Refuse(kAclnnInvalid, "%s: scalar %zu of %s %s", opType.c_str(), i, label.c_str(),
                   value == nullptr ? "is no scalar of this process, or destroyed already"
                                    : "has another dtype than scalar 0");
        }
        dataType = value->dataType;
        const auto* const data = reinterpret_cast<const uint8_t*>(value->words.data());
        bytes.insert(bytes.end(), data, data + BytesOf(dataType));
    }
    return ValuesOf(dataType, bytes.data(), bytes.size(),
                    {static_cast<int64_t>(list.values.size())});
}

/// Calls visit(T()) with the C++ type of a dtype; returns false for a dtype that is no real number.
template <typename Visit>
bool WithType(ge::DataType dataType, const Visit& visit) {
    switch (dataType) {
        case ge::DT_FLOAT:
            return visit(float{}), true;
        case ge::DT_FLOAT16:
            return visit(op::fp16_t{}), true;
        case ge::DT_BF16:
            return visit(op::bfloat16{}), true;
        case ge::DT_DOUBLE:
            return visit(double{}), true;
        case ge::DT_INT8:
            return visit(int8_t{}), true;
        case ge::DT_INT16:
            return visit(int16_t{}), true;
        case ge::DT_INT32:
            return visit(int32_t{}), true;
        case ge::DT_INT64:
            return visit(int64_t{}), true;
        case ge::DT_UINT8:
            return visit(uint8_t{}), true;
        case ge::DT_UINT16:
            return visit(uint16_t{}), true;
        case ge::DT_UINT32:
            return visit(uint32_t{}), true;
        case ge::DT_UINT64:
            return visit(uint64_t{}), true;
        case ge::DT_BOOL:
            return visit(bool{}), true;
        default:
            return false;
    }
}

template <typename T>
constexpr bool IsHalf = std::is_same_v<T, op::fp16_t> || std::is_same_v<T, op::bfloat16>;

/// Converts a number. Numbers of 16 bits are converted by way of float.
template <typename To, typename From>
To Converted(From value) {
    if constexpr (IsHalf<From>) {
        return Converted<To>(static_cast<float>(value));
    } else if constexpr (IsHalf<To>) {
        return To(static_cast<float>(value));
    } else {
        return static_cast<To>(value);
    }
}

std::vector<ExecutorTensor> ListOfTensors(const std::string& opType, const ExecutorTensor& form,
                                          const MetaList& list) {
    if (list.values.size() > kMostTensors) {
        Refuse(kAclnnInvalid, "%s: %s has %zu tensors; expected at most %zu", opType.c_str(),
               form.label.c_str(), list.values.size(), kMostTensors);
    }
    std::vector<ExecutorTensor> tensors;
    for (size_t i = 0; i < list.values.size(); ++i) {
        ExecutorTensor tensor = form;
        tensor.label += "[" + std::to_string(i) + "]";
        tensor.tensor = FindTensor(static_cast<const aclTensor*>(list.values[i]));
        if (tensor.tensor == nullptr) {
            Refuse(kAclnnInvalid, "%s: %s is no tensor of this process, or destroyed already",
                   opType.c_str(), tensor.label.c_str());
        }
        DescribeTensor(opType, &tensor);
        tensors.push_back(std::move(tensor));
    }
    return tensors;
}

}  // namespace

std::vector<ExecutorTensor> ResolveArgument(const std::string& opType, const ParamModel& param,
                                            const CallArgument& argument, bool output) {
    ExecutorTensor tensor;
    tensor.output = output;
    tensor.label = std::string(output ? "output " : "input ") + param.name;
    MetaTables& tables = MetaTables::Instance();
    if (argument.object == nullptr) {
        if (!param.Optional()) {
            Refuse(kAclnnNullptr, "%s: %s is null; it is required", opType.c_str(),
                   tensor.label.c_str());
        }
        return {tensor};
    }
    std::shared_ptr<MetaList> list;
    switch (argument.kind) {
        case ArgumentKind::kTensor:
            tensor.tensor = FindTensor(static_cast<const aclTensor*>(argument.object));
            break;
        case ArgumentKind::kTensorList:
            list = tables.tensorLists.Find(argument.object);
            break;
        case ArgumentKind::kIntArray:
            tensor.values = ArrayOf(tables.intArrays, argument.object, ge::DT_INT64);
            break;
        case ArgumentKind::kFloatArray:
            tensor.values = ArrayOf(tables.floatArrays, argument.object, ge::DT_FLOAT);
            break;
        case ArgumentKind::kBoolArray:
            tensor.values = ArrayOf(tables.boolArrays, argument.object, ge::DT_BOOL);
            break;
        case ArgumentKind::kScalar:
            tensor.values = ScalarOf(argument.object);
            break;
        case ArgumentKind::kScalarList:
            list = tables.scalarLists.Find(argument.object);
            tensor.values = list == nullptr ? nullptr : ScalarsOf(opType, tensor.label, *list);
            break;
    }
    if (!tensor.Present() && list == nullptr) {
        Refuse(kAclnnInvalid, "%s: %s is no object of this process, or destroyed already",
               opType.c_str(), tensor.label.c_str());
    }
    if (argument.kind == ArgumentKind::kTensorList) {
        return ListOfTensors(opType, tensor, *list);
    }
    DescribeTensor(opType, &tensor);
    return {tensor};
}

std::vector<uint8_t> BytesOf(const ops::ScalarVar& number) {
    using Type = ops::ScalarType;
    uint64_t bits = number.scalar_num.value_u64;
    size_t bytes = sizeof(uint64_t);
    if (number.scalar_type == Type::FLOAT16) {
        bits = FloatToHalf(number.scalar_num.value_f32);
    }
    switch (number.scalar_type) {
        case Type::UINT8:
        case Type::INT8:
            bytes = 1;
            break;
        case Type::UINT16:
        case Type::INT16:
        case Type::FLOAT16:
            bytes = 2;
            break;
        case Type::UINT32:
        case Type::INT32:
        case Type::FLOAT32:
            bytes = 4;
            break;
        default:
            break;
    }
    std::vector<uint8_t> result(bytes);
    std::memcpy(result.data(), &bits, bytes);  // the lowest byte comes first
    return result;
}

void ConvertValues(const std::string& opType, ge::DataType dataType, ExecutorTensor* tensor) {
    HostValues& values = *tensor->values;
    if (values.dataType == dataType) {
        return;
    }
    const auto count = static_cast<size_t>(tensor->extent.elements);
    std::vector<uint64_t> words(count * BytesOf(dataType) / sizeof(uint64_t) + 1);
    const bool fits = WithType(values.dataType, [&](auto from) {
        WithType(dataType, [&](auto to) {
            const auto* const source = reinterpret_cast<const decltype(from)*>(values.words.data());
            auto* const target = reinterpret_cast<decltype(to)*>(words.data());
            for (size_t i = 0; i < count; ++i) {
                target[i] = Converted<decltype(to)>(source[i]);
            }
        });
    });
    if (!fits || !WithType(dataType, [](auto) {})) {
        Refuse(kAclnnInvalid, "%s: %s is a %s; its definition converts it to %s, which is not done",
               opType.c_str(), tensor->label.c_str(), DataTypeName(values.dataType).c_str(),
               DataTypeName(dataType).c_str());
    }
    auto converted = std::make_shared<HostValues>(values);
    converted->dataType = dataType;
    converted->words = std::move(words);
    tensor->values = std::move(converted);
    DescribeTensor(opType, tensor);
}

}  // namespace twin::host
