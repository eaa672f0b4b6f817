// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/byte_range.h"
#include "core/instruction.h"
#include "hazard/memories.h"

namespace twin::hazard {

/// Returns the address of byte `offset` of an operand; `offset` does not count gaps between runs.
inline uint64_t PlaceOf(const ByteRange& range, uint64_t offset) {
    const Runs& runs = range.runs;
    const uint64_t run = offset / runs.bytes;
    return range.begin + run / runs.block.count * runs.repeat.stride +
           run % runs.block.count * runs.block.stride + offset % runs.bytes;
}

/// Returns true if the instruction combines masks bit by bit, or copies them.
inline bool IsBitwise(Opcode opcode) {
    return opcode == Opcode::And || opcode == Opcode::Or || opcode == Opcode::Not ||
           opcode == Opcode::GetCmpMask || opcode == Opcode::SetCmpMask || opcode == Opcode::Copy ||
           opcode == Opcode::DataCopy;
}

inline bool IsCompare(Opcode opcode) {
    return opcode == Opcode::Compare || opcode == Opcode::CompareScalar ||
           opcode == Opcode::Compares;
}

/// Returns the number of bits of an element of the operand: 1 for masks.
inline uint64_t BitsOfElement(const Instruction& i, const ByteRange& range) {
    if (IsBitwise(i.opcode) || (IsCompare(i.opcode) && range.write)) {
        return 1;
    }
    const ElementType type = range.type.Known() ? range.type : i.dtype;
    if (!type.Known()) {
        return 8;
    }
    return type.Value() == Dtype::I4 ? 4 : uint64_t{SizeOf(type.Value())} * 8;
}

/// All UB ranges of one operand. One after the other, they contain the operand's elements in order.
class OperandElements {
public:
    OperandElements(const Instruction& i, Arg operand, bool write) : operand_(operand) {
        for (const ByteRange& range : i.ranges) {
            if (range.operand == operand && range.write == write && range.memory == Memory::Ub) {
                parts_.push_back(&range);
                total_ += range.runs.TotalBytes() * 8;
                bits_ = BitsOfElement(i, range);
            }
        }
    }
    Arg Operand() const { return operand_; }
    /// Returns the number of bits of an element.
    uint64_t Bits() const { return bits_; }
    uint64_t Count() const { return total_ / bits_; }
    /// Returns the number of elements that the hardware processes in one repeat.
    uint64_t PerRepeat() const {
        const Runs& runs = parts_[0]->runs;
        const uint64_t bytes = runs.pace != 0 ? runs.pace : runs.bytes * runs.block.count;
        return std::max<uint64_t>(1, bytes * 8 / bits_);
    }
    /// Returns the number of bits of the operand before `range`.
    uint64_t Begin(const ByteRange& range) const {
        uint64_t before = 0;
        for (const ByteRange* part : parts_) {
            if (part == &range) {
                break;
            }
            before += part->runs.TotalBytes() * 8;
        }
        return before;
    }
    /// Returns the address of the byte that contains bit number `bit` of the operand. The bits
    /// repeat from the beginning if the operand has fewer bits.
    uint64_t PlaceOfBit(uint64_t bit) const {
        bit %= total_;
        for (const ByteRange* part : parts_) {
            const uint64_t bits = part->runs.TotalBytes() * 8;
            if (bit < bits) {
                return PlaceOf(*part, bit / 8);
            }
            bit -= bits;
        }
        return 0;
    }
    /// Marks the elements [first, last) as invalid. Ignores numbers beyond the last element.
    void Mark(uint64_t first, uint64_t last, uint16_t taint, LocalMemory* memory) const {
        const uint64_t end = std::min(last * bits_, total_);
        uint64_t before = 0;
        for (const ByteRange* part : parts_) {
            const uint64_t bits = part->runs.TotalBytes() * 8;
            for (uint64_t at = std::max(first * bits_, before);
                 at < std::min(end, before + bits);) {
                at = MarkRun(*part, at - before, std::min(end, before + bits) - before, taint,
                             memory) +
                     before;
            }
            before += bits;
        }
    }

private:
    /// Marks bits of one byte, or whole bytes of one run; returns the bit after them.
    static uint64_t MarkRun(const ByteRange& range, uint64_t first, uint64_t last, uint16_t taint,
                            LocalMemory* memory) {
        const uint64_t byte = first / 8;
        const uint64_t place = PlaceOf(range, byte);
        if (first % 8 != 0 || last - first < 8) {
            const uint64_t stop = std::min(last, byte * 8 + 8);
            const uint32_t bits = ((1U << (stop - first)) - 1) << first % 8;
            memory->TaintBits(range.memory, place, static_cast<uint8_t>(bits), taint);
            return stop;
        }
        const uint64_t end = std::min(last / 8, byte + range.runs.bytes - byte % range.runs.bytes);
        memory->Taint(range.memory, place, place + end - byte, taint);
        return end * 8;
    }

    std::vector<const ByteRange*> parts_;
    uint64_t total_ = 0;  ///< number of bits of all elements
    uint64_t bits_ = 0;
    Arg operand_;
};

/// Finds the elements of one destination that depend on given elements of one source.
class Dependence {
public:
    Dependence(const Instruction& i, const OperandElements& from, const OperandElements& to)
        : from_(from.Count()), to_(to.Count()) {
        if (i.As<record::Call>() != nullptr || i.opcode == Opcode::Brcb) {
            const bool related = from_ <= to_ * kMostRatio && to_ <= from_ * kMostRatio;
            how_ = related ? How::Spread : How::None;
        }
    }
    /// Calls visit(begin, end) for each run of destination elements that depend on the source
    /// elements [first, last).
    template <typename Visit>
    void Each(uint64_t first, uint64_t last, Visit&& visit) const {
        if (how_ == How::Spread) {
            visit(first * to_ / from_, (last * to_ + from_ - 1) / from_);
        } else if (how_ == How::Repeat && from_ >= to_) {
            for (uint64_t at = first; to_ != 0 && at < last;) {
                const uint64_t stop = std::min(last, (at / to_ + 1) * to_);
                visit(at % to_, stop - at + at % to_);
                at = stop;
            }
        } else if (how_ == How::Repeat) {
            for (uint64_t at = 0; at < to_; at += from_) {
                visit(at + first, at + last);
            }
        }
    }

private:
    /// If one operand of a call has more than 64 times as many elements as another operand, their
    /// elements are not related: a result is not invalid because of an invalid source.
    static constexpr uint64_t kMostRatio = 64;
    enum class How : uint8_t {
        None,
        Repeat,  ///< repeats use the smaller operand again, as with a repeat stride of 0
        Spread   ///< several elements in a row of the larger operand belong to one of the smaller
    };

    uint64_t from_, to_;
    How how_ = How::Repeat;
};

}  // namespace twin::hazard
