// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_CORE_BUFFER_H
#define TWIN_CORE_BUFFER_H

#include <cstdint>

#include "core/location.h"
#include "core/types.h"

namespace twin {

/// The owner of a piece of local memory; InitBuffer fills it, records and errors read it.
struct BufferRecord {
    Memory memory;
    uint32_t begin;
    uint32_t bytes;
    int16_t queue;     ///< queue or buffer, in order of InitBuffer
    int16_t slot;      ///< buffer inside the queue
    const char* kind;  ///< "VECIN", "VECOUT", "TBuf", "LocalTensor"
    Location where;    ///< place of the InitBuffer call
};

/// A piece of local memory gets an owner, or loses it: by Reset, at the end of its pipe or pool, or
/// when a new TPipe starts over.
struct BufferEvent {
    const BufferRecord& buffer;
    bool made;          ///< false: taken back
    uint64_t sequence;  ///< number of the core's next instruction
    Location where;     ///< place of the call
};

}  // namespace twin

#endif  // TWIN_CORE_BUFFER_H
