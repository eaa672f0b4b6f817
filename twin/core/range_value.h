// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/core.h"
#include "core/instruction.h"

namespace twin {

/// The value of the bytes of a range: their CRC-32 (as zlib computes it), and the first bytes.
struct RangeValue {
    bool known = false;
    uint32_t crc = 0;
    std::string first;
    bool whole = false;  ///< `first` has all bytes of the range
};

/// Returns true if, when the record is made, the memory contains the bytes that the instruction
/// reads or writes. Returns false if the instruction moves the bytes at another time, or if atomic
/// copies of other cores may change the bytes: the value could then differ from run to run.
bool HasValue(const Instruction& instruction, size_t range);
/// Reads the bytes of the range now. Stores the first `elements` elements, or the first `elements`
/// bytes if the type is unknown.
RangeValue ValueOfRange(const ByteRange& range, const Core& core, uint32_t elements);
/// Returns a text such as " = 1 2 3 ... crc 8f2a0017".
std::string ValueText(const RangeValue& value, ElementType type);
/// Returns the value as members of a JSON object, each after a comma.
std::string ValueJson(const RangeValue& value, ElementType type);

}  // namespace twin
