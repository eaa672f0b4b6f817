// SPDX-License-Identifier: Apache-2.0
#include "core/core.h"
#include "device/types/parameters.h"

namespace twin {

uint8_t WrapTo8(int64_t value, Location where) {
    Core* core = SelfOrNull();
    if (core != nullptr && core->strict) {
        core->Begin(where);
        Fail(
            "T402",
            "field overflow: %lld is passed for a parameter of 8 bits (a repeat count, a stride, a "
            "number of buffers); the chip takes it for %u\n  try: at most 255 per call, or the "
            "form "
            "with an element count",
            static_cast<long long>(value), static_cast<unsigned>(static_cast<uint8_t>(value)));
    }
    return static_cast<uint8_t>(value);
}

void FieldOverflow(const char* field, int64_t value, uint32_t bits, bool isSigned, Location where) {
    Core* core = SelfOrNull();
    if (core == nullptr || !core->strict) {
        return;
    }
    core->Begin(where);
    const bool known = *field != '\0';
    const uint64_t kept = static_cast<uint64_t>(value) & ((uint64_t{1} << bits) - 1);
    Fail(
        "T402",
        "field overflow: %lld is %s %s%s%sint%u_t; the chip takes it for %llu\n  try: a value that "
        "fits, in several calls or in a larger unit",
        static_cast<long long>(value), known ? "assigned to" : "cast to", field,
        known ? ", which has the type " : "", isSigned ? "" : "u", bits,
        static_cast<unsigned long long>(kept));
}

}  // namespace twin
