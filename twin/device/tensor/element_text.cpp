// SPDX-License-Identifier: Apache-2.0
#include "device/tensor/element_text.h"

#include <cstdio>
#include <cstring>

#include "device/types/half.h"

namespace twin {
namespace {

template <typename T>
T Load(const uint8_t* from) {
    T value;
    std::memcpy(&value, from, sizeof(T));
    return value;
}

std::string Real(double value) {
    char text[352];
    std::snprintf(text, sizeof(text), "%f", value);
    return text;
}

}  // namespace

std::string ElementText(Dtype dtype, const uint8_t* from) {
    switch (dtype) {
        case Dtype::F16:
            return Real(static_cast<float>(Load<half>(from)));
        case Dtype::Bf16:
            return Real(static_cast<float>(Load<bfloat16_t>(from)));
        case Dtype::F32:
            return Real(Load<float>(from));
        case Dtype::F64:
            return Real(Load<double>(from));
        case Dtype::I8:
            return std::to_string(Load<int8_t>(from));
        case Dtype::I16:
            return std::to_string(Load<int16_t>(from));
        case Dtype::U16:
            return std::to_string(Load<uint16_t>(from));
        case Dtype::I32:
            return std::to_string(Load<int32_t>(from));
        case Dtype::U32:
            return std::to_string(Load<uint32_t>(from));
        case Dtype::I64:
            return std::to_string(Load<int64_t>(from));
        case Dtype::U64:
            return std::to_string(Load<uint64_t>(from));
        default:
            return std::to_string(*from);
    }
}

}  // namespace twin
