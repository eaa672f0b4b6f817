// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/opcodes.h"
#include "core/types.h"

namespace twin {

/// One dimension of a strided access: `count` places, `stride` bytes apart.
struct Level {
    uint64_t count = 1;
    uint64_t stride = 0;

    uint64_t Span() const { return count == 0 ? 0 : (count - 1) * stride; }
};

/// Bytes from an operand's start on: `bytes` at every place of `block` (inside a repeat) and
/// `repeat`. A contiguous run that the hardware works off in repeats says in `pace` how many bytes
/// each of them takes; 0: all at once.
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
    ElementType& operator=(Dtype dtype) {
        dtype_ = static_cast<int8_t>(dtype);
        return *this;
    }
    bool Known() const { return dtype_ >= 0; }
    bool operator==(ElementType other) const { return dtype_ == other.dtype_; }
    /// The type must be known.
    Dtype Value() const { return static_cast<Dtype>(dtype_); }
    const char* Text() const { return Known() ? Name(Value()) : ""; }

private:
    int8_t dtype_ = -1;
};

/// Bytes that an instruction touches. In GM `begin` is a host address until the record is made,
/// then a modelled device address; in local memory it is an offset.
struct ByteRange {
    Arg operand = Arg::None;
    Memory memory = Memory::Ub;
    bool write = false;
    bool filler = false;  ///< DataCopyPad fills these bytes; the kernel did not ask for them
    ElementType type;     ///< type of the elements, if it is known
    uint64_t begin = 0;
    Runs runs;
    int16_t queue = -1;  ///< queue or buffer that owns the range, in order of InitBuffer; -1: none
    int16_t slot = -1;   ///< number of the buffer in its queue
};

}  // namespace twin
