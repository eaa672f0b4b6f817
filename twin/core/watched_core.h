// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/types.h"

namespace twin {

class Core;
struct BufferRecord;

/// Data of a core that a debugger shows. The pointers are valid as long as the core exists.
struct WatchedCore {
    /// For each byte of a local memory: 1 if an instruction has written the byte, otherwise 0.
    /// Indexed by `Memory`; null if the core lacks the memory.
    const uint8_t* written[kMemories] = {};
    uint32_t poison = 0;  ///< initial pattern of the local memories
    const std::vector<BufferRecord>* buffers = nullptr;
};

/// From now on, notes which bytes of local memories the core's instructions write. A write through
/// a pointer is not noted, but a debugger can compare the bytes with the initial pattern.
TWIN_API WatchedCore WatchCore(Core* core);

}  // namespace twin
