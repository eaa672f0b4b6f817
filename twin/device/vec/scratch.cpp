// SPDX-License-Identifier: Apache-2.0
#include "device/vec/scratch.h"

#include <algorithm>
#include <cinttypes>
#include <cstring>

namespace twin::vec {

void UseScratch(Core& core, const char* api, uint64_t bytes) {
    const uint64_t end = std::min(kScratchBegin + std::min(bytes, kScratchBytes), core.ubBytes);
    for (const BufferRecord& buffer : core.buffers) {
        if (core.strict && buffer.memory == Memory::Ub && buffer.begin < end &&
            buffer.begin + buffer.bytes > kScratchBegin) {
            Fail(
                "T415",
                "scratch in use: %s overwrites UB+0x%" PRIx64 " to 0x%" PRIx64
                ", where a %s buffer of %u B lies (UB+0x%x)\n  try: keep the buffers below 184 KiB",
                api, kScratchBegin, end, buffer.kind, buffer.bytes, buffer.begin);
        }
    }
    if (end > kScratchBegin) {
        std::memset(core.ub + kScratchBegin, 0, end - kScratchBegin);
    }
}

}  // namespace twin::vec
