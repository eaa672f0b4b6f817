// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_CORE_INSTRUCTION_H
#define TWIN_CORE_INSTRUCTION_H

#include <cstdint>

#include "core/location.h"
#include "core/types.h"

namespace twin {

/// Bytes that an instruction touches: `count` runs of `bytes`, `stride` apart. GM addresses are
/// host addresses, local ones are offsets into their memory.
struct ByteRange {
    Memory memory = Memory::Ub;
    bool write = false;
    uint64_t begin = 0;
    uint64_t bytes = 0;
    uint64_t count = 1;
    uint64_t stride = 0;
    int16_t queue = -1;  ///< queue or buffer that owns the range, in order of InitBuffer; -1: none
    int16_t slot = -1;   ///< buffer inside the queue

    uint64_t TotalBytes() const { return bytes * count; }
    uint64_t Span() const { return count == 0 ? 0 : (count - 1) * stride + bytes; }
};

/// Which queue operation made the library issue a flag.
enum class QueueEvent : uint8_t { None, Alloc, EnQue, DeQue, Free, Drain };

/// Element type of an instruction; copies, flags and barriers have none.
class ElementType {
public:
    ElementType& operator=(Dtype dtype) {
        dtype_ = static_cast<int8_t>(dtype);
        return *this;
    }
    bool Known() const { return dtype_ >= 0; }
    const char* Text() const { return Known() ? Name(static_cast<Dtype>(dtype_)) : ""; }

private:
    int8_t dtype_ = -1;
};

/// What one Ascend C call put into one pipe. Everything a hazard checker or a timing model needs
/// later.
struct Instruction {
    uint64_t sequence = 0;  ///< program order on its core
    uint32_t block = 0;
    uint8_t subBlock = 0;
    CoreKind core = CoreKind::Aiv;
    Pipe pipe = Pipe::S;
    const char* opcode = "";
    ElementType dtype;
    uint32_t repeats = 0;
    uint64_t elements = 0;
    static constexpr uint32_t kMaxRanges = 5;  ///< a merge of four lists has five
    uint32_t rangeCount = 0;
    ByteRange ranges[kMaxRanges];
    int8_t flagEvent = -1;  ///< HardEvent of a SetFlag or WaitFlag, else -1
    int8_t flagId = -1;
    bool flagSet = false;
    int8_t crossFlagId = -1;  ///< of a flag between cores, else -1
    QueueEvent queueEvent = QueueEvent::None;
    const char* atomic = "";  ///< of a copy to GM: "add", "max", "min"
    Location where;

    void Add(const ByteRange& range) {
        if (rangeCount < kMaxRanges) {
            ranges[rangeCount++] = range;
        }
    }
};

TWIN_API const char* Name(QueueEvent event);

}  // namespace twin

#endif  // TWIN_CORE_INSTRUCTION_H
