// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cstring>
#include <string>

#include "core/core.h"
#include "core/core_output.h"
#include "device/tensor/operand.h"
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

void PrintTensor(const Operand& operand, uint32_t count, Dtype dtype, Location where) {
    Core& core = Self();
    core.Begin(where);
    const uint32_t size = SizeOf(dtype);
    if (size == 0) {
        Fail("T404", "no elements of their own: LocalTensor<%s>::Print", Name(dtype));
    }
    const uint8_t* data = CheckLocalOperand(core, operand, Memory::Ub, uint64_t{count} * size, size,
                                            "LocalTensor::Print", "tensor");
    const uint32_t perLine = kBlockBytes / size;
    std::string text;
    for (uint32_t i = 0; i < count; ++i) {
        if (i % perLine == 0) {
            char number[16];
            std::snprintf(number, sizeof(number), "%04u : ", i);
            text += (i == 0 ? "" : "\n") + std::string(number);
        }
        text += ElementText(dtype, data + uint64_t{i} * size) + " ";
    }
    text += '\n';
    PrintFromCore(text.data(), text.size());
}

int32_t WriteTensor(const Operand& operand, const std::string& file, Location where) {
    Core& core = Self();
    core.Begin(where);
    const uint8_t* data = CheckLocalOperand(core, operand, Memory::Ub, operand.bytes, 1,
                                            "LocalTensor::ToFile", "tensor");
    std::FILE* stream = std::fopen(file.c_str(), "wb");
    if (stream == nullptr) {
        return -1;
    }
    const size_t written = std::fwrite(data, 1, operand.bytes, stream);
    return std::fclose(stream) == 0 && written == operand.bytes ? 0 : -1;
}

}  // namespace twin
