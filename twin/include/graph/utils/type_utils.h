// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "graph/ascend_string.h"
#include "graph/types.h"

namespace ge {

/// Converts dtypes and formats to names ("DT_FLOAT16", "FRACTAL_NZ") and back.
class TypeUtils {
public:
    /// Returns a dtype's name; returns "UNDEFINED" for a number without a name.
    static std::string DataTypeToSerialString(DataType dataType);
    /// Returns the dtype of a name; returns DT_UNDEFINED for an unknown name.
    static DataType SerialStringToDataType(const std::string& name);
    /// Returns a format's name; returns "RESERVED" for a number without a name.
    static std::string FormatToSerialString(Format format);
    /// Returns the format of a name; returns FORMAT_RESERVED for an unknown name.
    static Format SerialStringToFormat(const std::string& name);
    /// Sets `bytes` to the size of a dtype; returns false if the dtype has no whole bytes.
    static bool GetDataTypeLength(DataType dataType, uint32_t& bytes);
    static AscendString DataTypeToAscendString(const DataType& dataType) {
        return AscendString(DataTypeToSerialString(dataType).c_str());
    }
    static DataType AscendStringToDataType(const AscendString& name) {
        return SerialStringToDataType(name.GetString());
    }
    static AscendString FormatToAscendString(const Format& format) {
        return AscendString(FormatToSerialString(format).c_str());
    }
    static Format AscendStringToFormat(const AscendString& name) {
        return SerialStringToFormat(name.GetString());
    }
};

}  // namespace ge
