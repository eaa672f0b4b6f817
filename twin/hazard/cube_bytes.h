// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "core/byte_range.h"
#include "core/core.h"
#include "hazard/access.h"

namespace twin::hazard {

/// What the bytes of L1, L0 and the tables are made of: data, nothing that was ever written, or
/// what somebody has read of that.
class CubeBytes {
public:
    /// Who read bytes of a memory that nothing had written.
    struct Origin {
        Access reader;
        Memory memory;
        ByteRange range;
        uint64_t begin;
        uint64_t end;
    };

    ByteMarks marks;

    /// Memories are made when they are first named.
    void Make(const Core& core, Memory memory);
    /// Bytes become data.
    void Write(Memory memory, uint64_t begin, uint64_t end);
    /// Whether all of these are data.
    bool IsData(Memory memory, uint64_t begin, uint64_t end);
    /// Others have written into these bytes of `marks`.
    void Touch(Memory memory, uint64_t begin, uint64_t end);
    /// Calls look(begin, end) for the runs that were never written.
    template <typename Look>
    void EachUnwritten(Memory memory, uint64_t begin, uint64_t end, Look&& look) const {
        const uint8_t* const bytes = marks.marks[static_cast<size_t>(memory)];
        const uint8_t never = Never(memory);
        while (begin < end) {
            const void* const found = std::memchr(bytes + begin, never, end - begin);
            if (found == nullptr) {
                return;
            }
            begin = static_cast<uint64_t>(static_cast<const uint8_t*>(found) - bytes);
            uint64_t stop = begin + 1;
            while (stop < end && bytes[stop] == never) {
                ++stop;
            }
            look(begin, stop);
            begin = stop;
        }
    }
    /// Calls look(mark) for those that say so of any memory.
    template <typename Look>
    static void EachNever(uint8_t* at, const uint8_t* end, Look&& look) {
        constexpr ptrdiff_t kStep = 64;
        while (at < end) {
            const uint8_t* const stop = end - at > kStep ? at + kStep : end;
            uint8_t most = 0;
            for (const uint8_t* each = at; each < stop; ++each) {
                most = std::max(most, *each);
            }
            for (; IsNever(most) && at < stop; ++at) {
                if (IsNever(*at)) {
                    look(at);
                }
            }
            at += stop - at;
        }
    }
    /// The mark of what this reader makes of such bytes.
    uint8_t MarkOf(const Origin& origin);
    const Origin& OriginOf(uint8_t mark) const { return origins_[mark - 1U]; }
    void Clear();

    /// The mark of bytes of a memory that nothing has written.
    static constexpr uint8_t Never(Memory memory) {
        return static_cast<uint8_t>(UINT8_MAX - static_cast<uint32_t>(memory));
    }
    static constexpr bool IsNever(uint8_t mark) { return mark > kMostOrigins; }
    static Memory MemoryOf(uint8_t never) { return static_cast<Memory>(UINT8_MAX - never); }

private:
    static constexpr uint8_t kMostOrigins = UINT8_MAX - kMemories;
    static constexpr uint64_t kBlock = 512;

    std::vector<uint8_t> images_[kMemories];
    std::vector<uint8_t> dirty_[kMemories];  ///< by kBlock: some may be no data
    std::vector<Origin> origins_;            ///< from mark 1 on
};

}  // namespace twin::hazard
