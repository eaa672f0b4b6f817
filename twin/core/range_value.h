// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_CORE_RANGE_VALUE_H
#define TWIN_CORE_RANGE_VALUE_H

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/core.h"
#include "core/instruction.h"

namespace twin {

/// What stands in the bytes of a range: their CRC-32 (the one of zlib), and the first of them.
struct RangeValue {
    bool known = false;
    uint32_t crc = 0;
    std::string first;
    bool whole = false;  ///< `first` is all
};

/// Whether the range holds what the instruction finds or leaves, and every run of the launch alike.
/// Not where its bytes move before or after the record, nor where atomic copies of other cores
/// meet.
bool HasValue(const Instruction& instruction, size_t range);
/// Its bytes now, and the first `elements` of them; bytes where their type is not known.
RangeValue ValueOfRange(const ByteRange& range, const Core& core, uint32_t elements);
/// " = 1 2 3 ... crc 8f2a0017"
std::string ValueText(const RangeValue& value, ElementType type);
/// Members of a JSON object, each behind a comma.
std::string ValueJson(const RangeValue& value, ElementType type);

}  // namespace twin

#endif  // TWIN_CORE_RANGE_VALUE_H
