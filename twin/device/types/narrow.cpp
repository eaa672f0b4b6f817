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
    const uint64_t low = static_cast<uint64_t>(value) & ((uint64_t{1} << bits) - 1);
    const bool negative = isSigned && (low >> (bits - 1)) != 0;
    const int64_t kept = static_cast<int64_t>(low) - (negative ? int64_t{1} << bits : 0);
    // A value just below 2^32 is usually the result of an unsigned subtraction below zero.
    const bool below = value < 0 || (value > INT32_MAX && value <= UINT32_MAX);
    Fail("T402",
         "field overflow: %lld is assigned to %s, which has the type %sint%u_t; the chip takes it "
         "for %lld\n  try: %s",
         static_cast<long long>(value), field, isSigned ? "" : "u", bits,
         static_cast<long long>(kept),
         below ? "a subtraction that does not go below zero"
               : "a smaller value in each of several calls, or a structure with a wider field");
}

}  // namespace twin
