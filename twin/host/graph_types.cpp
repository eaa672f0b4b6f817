// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "graph/types.h"
#include "graph/utils/type_utils.h"

namespace ge {

#define TWIN_TYPE_SIZE(NAME, NUMBER, SIZE) {NAME, SIZE},
int GetSizeByDataType(DataType dataType) {
    static const std::map<DataType, int> kSizes = {TWIN_GE_DATA_TYPES(TWIN_TYPE_SIZE)
                                                       TWIN_GE_NEWER_DATA_TYPES(TWIN_TYPE_SIZE)};
    const auto found = kSizes.find(dataType);
    return found == kSizes.end() ? -1 : found->second;
}

int64_t GetSizeInBytes(int64_t elementCount, DataType dataType) {
    constexpr int64_t kBitsPerByte = 8;
    const int size = GetSizeByDataType(dataType);
    int64_t total = 0;
    if (elementCount < 0 || size < 0) {
        return -1;
    }
    if (size < kDataTypeSizeBitOffset) {
        return __builtin_mul_overflow(elementCount, size, &total) ? -1 : total;
    }
    if (__builtin_mul_overflow(elementCount, size - kDataTypeSizeBitOffset, &total)) {
        return -1;
    }
    return total / kBitsPerByte + (total % kBitsPerByte != 0 ? 1 : 0);
}

namespace {

template <typename Enum>
struct Name {
    Enum value;
    const char* text;
};

#define TWIN_TYPE_NAME(NAME, NUMBER, SIZE) {NAME, #NAME},
#define TWIN_FORMAT_NAME(NAME, NUMBER) {NAME, &#NAME[sizeof("FORMAT_") - 1]},
const Name<DataType> kDataTypes[] = {TWIN_GE_DATA_TYPES(TWIN_TYPE_NAME)
                                         TWIN_GE_NEWER_DATA_TYPES(TWIN_TYPE_NAME)};
const Name<Format> kFormats[] = {TWIN_GE_FORMATS(TWIN_FORMAT_NAME)};

template <typename Enum, size_t kCount>
const char* TextOf(const Name<Enum> (&names)[kCount], Enum value, const char* unknown) {
    for (const Name<Enum>& name : names) {
        if (name.value == value) {
            return name.text;
        }
    }
    return unknown;
}

template <typename Enum, size_t kCount>
Enum ValueOf(const Name<Enum> (&names)[kCount], const std::string& text, Enum unknown) {
    for (const Name<Enum>& name : names) {
        if (name.text == text) {
            return name.value;
        }
    }
    return unknown;
}

}  // namespace

const char* GetFormatName(Format format) { return TextOf(kFormats, format, "RESERVED"); }

std::string TypeUtils::DataTypeToSerialString(DataType dataType) {
    return TextOf(kDataTypes, dataType, "UNDEFINED");
}

DataType TypeUtils::SerialStringToDataType(const std::string& name) {
    return ValueOf(kDataTypes, name, DT_UNDEFINED);
}

std::string TypeUtils::FormatToSerialString(Format format) {
    return TextOf(kFormats, format, "RESERVED");
}

Format TypeUtils::SerialStringToFormat(const std::string& name) {
    return ValueOf(kFormats, name, FORMAT_RESERVED);
}

bool TypeUtils::GetDataTypeLength(DataType dataType, uint32_t& bytes) {
    const int size = GetSizeByDataType(dataType);
    if (size <= 0 || size >= kDataTypeSizeBitOffset) {
        return false;
    }
    bytes = static_cast<uint32_t>(size);
    return true;
}

}  // namespace ge
