// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "core/function_ref.h"
#include "core/types.h"

namespace twin {

/// One number (mark) for every byte of a core's local memories. Mark 0 means that the byte is
/// valid. Any other mark stands for the unwritten bytes from which the byte was computed; the
/// hazard checker reports these unwritten bytes. Instructions that move bytes also move the marks.
/// If an instruction loads from GM, the entry of Memory::Gm has the marks of the loaded bytes.
struct ByteMarks {
    /// A range of local bytes with the same mark, from which a result in GM was computed.
    struct Taken {
        uint8_t mark;
        Memory memory;
        uint64_t begin;
        uint64_t end;
    };

    uint8_t* marks[kMemories] = {};
    const uint8_t* bytes[kMemories] = {};  ///< the bytes to which the marks belong
    std::vector<Taken> taken;  ///< for each mark, the first range of bytes that reached GM
    /// For each byte of UB, the invalid bits if the byte is marked. If this is null, all bits of
    /// marked bytes are invalid.
    const uint8_t* invalidBits = nullptr;

    uint8_t* Of(Memory memory, const uint8_t* byte) const {
        const auto at = static_cast<size_t>(memory);
        return marks[at] + (byte - bytes[at]);
    }

    /// Returns a byte whose bits are 1 where the bits of `byte` are invalid.
    uint8_t InvalidBits(Memory memory, const uint8_t* byte) const {
        const uint8_t all = *Of(memory, byte) == 0 ? 0 : UINT8_MAX;
        return invalidBits == nullptr
                   ? all
                   : all & invalidBits[byte - bytes[static_cast<size_t>(memory)]];
    }

    /// Returns the first mark that is not 0 among `count` marks; 0 if there is none.
    static uint8_t First(const uint8_t* marks, uint64_t count) {
        uint64_t at = 0;
        for (uint64_t word = 0; at + sizeof(word) <= count; at += sizeof(word)) {
            std::memcpy(&word, marks + at, sizeof(word));
            if (word != 0) {
                break;
            }
        }
        while (at < count && marks[at] == 0) {
            ++at;
        }
        return at < count ? marks[at] : uint8_t{0};
    }

    /// Records in `taken` that bytes with these marks have reached global memory.
    void Take(Memory memory, const uint8_t* first, uint64_t count) {
        if (First(first, count) == 0) {
            return;
        }
        const uint64_t begin = static_cast<uint64_t>(first - marks[static_cast<size_t>(memory)]);
        for (uint64_t at = 0; at < count; ++at) {
            const uint8_t mark = first[at];
            bool known = mark == 0;
            for (Taken& other : taken) {
                if (other.mark == mark) {
                    known = true;
                    // Adjacent bytes become one entry.
                    other.end += other.memory == memory && other.end == begin + at ? 1U : 0U;
                }
            }
            if (!known) {
                taken.push_back({mark, memory, begin + at, begin + at + 1});
            }
        }
    }
};

/// A function template that moves marks moves the bytes if its argument is an `OwnBytes`.
struct OwnBytes {
    uint8_t* Of(Memory, const uint8_t* byte) const { return const_cast<uint8_t*>(byte); }
};

/// Moves the marks for one instruction: from the bytes that the instruction reads to the local
/// bytes that it writes. If the instruction writes to global memory, stores the marks in `taken`.
using MarkMover = FunctionRef<void(ByteMarks&)>;

}  // namespace twin
