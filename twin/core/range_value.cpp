// SPDX-License-Identifier: Apache-2.0
#include "core/range_value.h"

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>
#include <cstring>

#include "core/float16.h"

namespace twin {
namespace {

std::array<uint32_t, 256> MakeCrcTable() {
    std::array<uint32_t, 256> table{};
    for (uint32_t byte = 0; byte < table.size(); ++byte) {
        uint32_t rest = byte;
        for (int bit = 0; bit < 8; ++bit) {
            rest = (rest & 1U) != 0 ? rest >> 1 ^ 0xEDB88320U : rest >> 1;
        }
        table[byte] = rest;
    }
    return table;
}

uint32_t AddToCrc(uint32_t crc, const uint8_t* bytes, uint64_t count) {
    static const std::array<uint32_t, 256> kTable = MakeCrcTable();
    for (uint64_t i = 0; i < count; ++i) {
        crc = kTable[(crc ^ bytes[i]) & 0xFFU] ^ crc >> 8;
    }
    return crc;
}

uint64_t BytesOf(ElementType type, uint32_t elements) {
    if (!type.Known()) {
        return elements;
    }
    return type.Value() == Dtype::I4 ? (elements + 1) / 2
                                     : uint64_t{elements} * SizeOf(type.Value());
}

template <typename T>
T Load(const char* bytes) {
    T value;
    std::memcpy(&value, bytes, sizeof(T));
    return value;
}

/// Formats one element, or for I4 the two elements of a byte.
std::string ElementText(const char* bytes, Dtype dtype) {
    char text[48];
    const auto real = [&text](double value, int digits) {
        std::snprintf(text, sizeof(text), "%.*g", digits, value);
    };
    switch (dtype) {
        case Dtype::F16:
            real(HalfToFloat(Load<uint16_t>(bytes)), 5);
            break;
        case Dtype::Bf16:
            real(Bfloat16ToFloat(Load<uint16_t>(bytes)), 4);
            break;
        case Dtype::F32:
            real(Load<float>(bytes), 9);
            break;
        case Dtype::F64:
            real(Load<double>(bytes), 17);
            break;
        case Dtype::I4: {
            const auto pair = Load<uint8_t>(bytes);
            const auto part = [](uint32_t four) { return static_cast<int>(four ^ 8U) - 8; };
            std::snprintf(text, sizeof(text), "%d %d", part(pair & 15U), part(pair >> 4U));
            break;
        }
        case Dtype::I8:
            return std::to_string(Load<int8_t>(bytes));
        case Dtype::U8:
        case Dtype::Bool:
            return std::to_string(Load<uint8_t>(bytes));
        case Dtype::I16:
            return std::to_string(Load<int16_t>(bytes));
        case Dtype::U16:
            return std::to_string(Load<uint16_t>(bytes));
        case Dtype::I32:
            return std::to_string(Load<int32_t>(bytes));
        case Dtype::U32:
            return std::to_string(Load<uint32_t>(bytes));
        case Dtype::I64:
            return std::to_string(Load<int64_t>(bytes));
        case Dtype::U64:
            return std::to_string(Load<uint64_t>(bytes));
    }
    return text;
}

std::string Hex(const std::string& bytes) {
    std::string text;
    for (const char byte : bytes) {
        char digits[4];
        std::snprintf(digits, sizeof(digits), "%02x", static_cast<uint8_t>(byte));
        text += digits;
    }
    return text;
}

}  // namespace

bool HasValue(const Instruction& instruction, size_t range) {
    const ByteRange& bytes = instruction.ranges[range];
    const bool local = bytes.memory != Memory::Gm;
    if (instruction.movedByCaller) {
        return false;
    }
    // The scalar unit accesses GM through its data cache, and writes after the record is made.
    if (instruction.pipe == Pipe::S) {
        return local && !bytes.write;
    }
    return local || !bytes.write || instruction.atomic == AtomicOp::None;
}

RangeValue ValueOfRange(const ByteRange& range, const Core& core, uint32_t elements) {
    const uint8_t* const start = range.memory == Memory::Gm
                                     ? reinterpret_cast<const uint8_t*>(range.begin)
                                     : core.memory[static_cast<size_t>(range.memory)] + range.begin;
    const uint64_t most = BytesOf(range.type, elements);
    const Runs& runs = range.runs;
    RangeValue value;
    uint32_t crc = UINT32_MAX;
    for (uint64_t repeat = 0; repeat < runs.repeat.count; ++repeat) {
        for (uint64_t block = 0; block < runs.block.count; ++block) {
            const uint8_t* const run =
                start + repeat * runs.repeat.stride + block * runs.block.stride;
            crc = AddToCrc(crc, run, runs.bytes);
            const uint64_t more = std::min(most - value.first.size(), runs.bytes);
            value.first.append(reinterpret_cast<const char*>(run), more);
        }
    }
    value.known = true;
    value.crc = ~crc;
    value.whole = value.first.size() == runs.TotalBytes();
    return value;
}

std::string ValueText(const RangeValue& value, ElementType type) {
    if (!value.known) {
        return "";
    }
    std::string text = " =";
    if (type.Known()) {
        const size_t step = std::max(1U, SizeOf(type.Value()));
        for (size_t at = 0; at + step <= value.first.size(); at += step) {
            text += " " + ElementText(value.first.data() + at, type.Value());
        }
    } else if (!value.first.empty()) {
        text += " 0x" + Hex(value.first);
    }
    char crc[24];
    std::snprintf(crc, sizeof(crc), " crc %08" PRIx32, value.crc);
    return text + (value.whole || value.first.empty() ? "" : " ...") + crc;
}

std::string ValueJson(const RangeValue& value, ElementType type) {
    if (!value.known) {
        return "";
    }
    return std::string(", \"dtype\": \"") + type.Text() +
           "\", \"crc32\": " + std::to_string(value.crc) + ", \"first\": \"" + Hex(value.first) +
           "\"";
}

}  // namespace twin
