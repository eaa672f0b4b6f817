// SPDX-License-Identifier: Apache-2.0
#include "device/vec/scratch.h"

#include <algorithm>
#include <cinttypes>
#include <cstring>

namespace twin::vec {

void UseScratch(Issue& issue, uint64_t bytes) {
    const Core& core = issue.core();
    const uint64_t end = std::min(kScratchBegin + std::min(bytes, kScratchBytes), core.UbBytes());
    for (const BufferRecord& buffer : core.buffers) {
        if (core.strict && buffer.memory == Memory::Ub && buffer.begin < end &&
            buffer.begin + buffer.bytes > kScratchBegin) {
            Fail(
                "T415",
                "scratch in use: %s overwrites UB+0x%" PRIx64 " to 0x%" PRIx64
                ", where a %s buffer of %u B lies (UB+0x%x)\n  try: keep the buffers below 184 KiB",
                issue.api(), kScratchBegin, end, buffer.kind, buffer.bytes, buffer.begin);
        }
    }
    if (end > kScratchBegin) {
        const Operand region = UbPlace(kScratchBegin, end - kScratchBegin);
        std::memset(issue.Write(Arg::Scratch, region, Memory::Ub, Runs{region.bytes}), 0,
                    region.bytes);
    }
}

}  // namespace twin::vec
