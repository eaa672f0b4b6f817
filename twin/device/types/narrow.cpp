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

}  // namespace twin
