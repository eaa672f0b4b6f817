// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/opcodes.h"
#include "core/types.h"

namespace twin {

/// One dimension of a strided access: `count` runs of bytes, which start `stride` bytes apart.
struct Level {
    uint64_t count = 1;
    uint64_t stride = 0;

    uint64_t Span() const { return count == 0 ? 0 : (count - 1) * stride; }
};

/// The bytes of an operand: runs of `bytes` bytes. `block` describes the runs inside one repeat,
/// and `repeat` the repeats. If the hardware processes one contiguous run in several repeats,
/// `pace` is the number of bytes per repeat; otherwise `pace` is 0.
struct Runs {
    uint64_t bytes = 0;
    Level block;
    Level repeat;
    uint64_t pace = 0;

    Runs() = default;
    constexpr explicit Runs(uint64_t bytes, Level block = {}, Level repeat = {})
        : bytes(bytes), block(block), repeat(repeat) {}

    uint64_t TotalBytes() const { return bytes * block.count * repeat.count; }
    uint64_t Span() const { return TotalBytes() == 0 ? 0 : repeat.Span() + block.Span() + bytes; }
};

/// Element type of an instruction; copies, flags and barriers have none.
class ElementType {
public:
    ElementType() = default;
    ElementType(Dtype dtype) : dtype_(static_cast<int8_t>(dtype)) {}
    bool Known() const { return dtype_ >= 0; }
    bool operator==(ElementType other) const { return dtype_ == other.dtype_; }
    /// Returns the type, which must be known.
    Dtype Value() const { return static_cast<Dtype>(dtype_); }
    const char* Text() const { return Known() ? Name(Value()) : ""; }

private:
    int8_t dtype_ = -1;
};

/// Bytes that an instruction reads or writes. In local memory, `begin` is an offset. In GM, `begin`
/// is a host address before Core::Record is called, and a modelled device address afterwards.
struct ByteRange {
    Arg operand = Arg::None;
    Memory memory = Memory::Ub;
    bool write = false;
    bool filler = false;  ///< padding that DataCopyPad adds without a request by the kernel
    ElementType type;     ///< type of the elements, if it is known
    uint64_t begin = 0;
    Runs runs;
    int16_t queue = -1;  ///< number of the owning queue or buffer, in order of InitBuffer; -1: none
    int16_t slot = -1;   ///< number of the buffer in its queue
};

/// Calls visit(begin, end) for each contiguous run of bytes in the range.
template <typename Visit>
void EachRun(const ByteRange& range, Visit&& visit) {
    const Runs& runs = range.runs;
    for (uint64_t repeat = 0; repeat < runs.repeat.count; ++repeat) {
        for (uint64_t block = 0; block < runs.block.count; ++block) {
            const uint64_t begin =
                range.begin + repeat * runs.repeat.stride + block * runs.block.stride;
            visit(begin, begin + runs.bytes);
        }
    }
}

}  // namespace twin
