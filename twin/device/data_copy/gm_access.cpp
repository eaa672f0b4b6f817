// SPDX-License-Identifier: Apache-2.0
#include "device/data_copy/gm_access.h"

#include <cinttypes>

namespace twin::copy {

void CheckCount(const char* api, uint64_t bytes, uint32_t elementBytes) {
    const uint64_t count = bytes >> __builtin_ctz(elementBytes);
    if (__builtin_expect(count > INT32_MAX, 0)) {
        Fail("T408",
             "count out of range: %s of %d elements, of which the parameter's 32 bits make %" PRIu64
             "\n  try: no copy where nothing is left",
             api, static_cast<int32_t>(count), count);
    }
}

uint64_t WholeBlocks(const Core& core, const char* api, uint64_t bytes, uint32_t elementBytes) {
    CheckCount(api, bytes, elementBytes);
    const uint64_t tail = bytes % kBlockBytes;
    if (tail != 0 && core.strict) {
        Fail("T407",
             "length not a multiple of 32 B: %s of %" PRIu64
             " B; the chip silently drops the last %" PRIu64
             " B\n  try: DataCopyPad, which copies any number of bytes",
             api, bytes, tail);
    }
    return bytes - tail;
}

}  // namespace twin::copy
