// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/core.h"
#include "core/instruction.h"

namespace twin {

/// The value of the bytes of a range: their CRC-32 (the one of zlib), and the first of them.
struct RangeValue {
    bool known = false;
    uint32_t crc = 0;
    std::string first;
    bool whole = false;  ///< `first` has all bytes of the range
};

/// Returns true if the range contains what the instruction reads or writes, which is the same in
/// every run of the launch. Returns false if its bytes move before or after the record, or if
/// atomic copies of other cores change the bytes.
bool HasValue(const Instruction& instruction, size_t range);
/// Reads the bytes now, and the first `elements` of them; bytes if their type is not known.
RangeValue ValueOfRange(const ByteRange& range, const Core& core, uint32_t elements);
/// Returns a text such as " = 1 2 3 ... crc 8f2a0017".
std::string ValueText(const RangeValue& value, ElementType type);
/// Returns members of a JSON object, each after a comma.
std::string ValueJson(const RangeValue& value, ElementType type);

}  // namespace twin
