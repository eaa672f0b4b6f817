// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/element_order.h"
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
inline uint64_t BitsOfElement(const Instruction& i, const OperandOrder& operand) {
    if (IsBitwise(i.opcode) || (IsCompare(i.opcode) && operand.write)) {
        return 1;
    }
    if (i.As<record::Call>() != nullptr && !operand.type.Known() && i.elements != 0) {
        return std::max<uint64_t>(operand.runs.TotalBytes() * 8 / i.elements, 1);
    }
    const ElementType type = operand.type.Known() ? operand.type : i.dtype;
    if (!type.Known()) {
        return 8;
    }
    return type.Value() == Dtype::I4 ? 4 : uint64_t{SizeOf(type.Value())} * 8;
}

/// Maps the bits of an operand to the indices of its elements, and indices to bits. Bits have
/// numbers: 8 times the address of their byte, plus the position in the byte.
class ElementMap {
public:
    ElementMap(uint64_t begin, const Runs& runs, uint64_t bits)
        : begin_(begin * 8),
          bits_(std::min(bits, runs.bytes * 8)),
          size_(runs.bytes * 8),
          block_{runs.block.count, runs.block.stride * 8},
          repeat_{runs.repeat.count, runs.repeat.stride * 8} {
        if (block_.count == 1) {
            std::swap(block_, repeat_);
        }
        Join();
        if (block_.count == 1) {
            std::swap(block_, repeat_);
            Join();
        }
    }
    /// Calls visit(first, last) for each run [first, last) of elements that contain bits of
    /// [from, to).
    template <typename Visit>
    void Find(uint64_t from, uint64_t to, Visit&& visit) const {
        const uint64_t each = size_ / bits_;
        const Span repeats = Hits(repeat_, begin_, block_.Span() + size_, from, to);
        for (uint64_t repeat = repeats.first; repeat < repeats.last; ++repeat) {
            const uint64_t start = begin_ + repeat * repeat_.stride;
            const Span blocks = Hits(block_, start, size_, from, to);
            for (uint64_t block = blocks.first; block < blocks.last; ++block) {
                const uint64_t at = start + block * block_.stride;
                const uint64_t index = (repeat * block_.count + block) * each;
                visit(index + (std::max(from, at) - at) / bits_,
                      index + (std::min(to, at + size_) - at + bits_ - 1) / bits_);
            }
        }
    }
    /// Calls visit(from, to) for each run [from, to) of bits of the elements [first, last). Ignores
    /// indices beyond the last element.
    template <typename Visit>
    void Places(uint64_t first, uint64_t last, Visit&& visit) const {
        const uint64_t each = size_ / bits_;
        last = std::min(last, each * block_.count * repeat_.count);
        while (first < last) {
            const uint64_t run = first / each;
            const uint64_t stop = std::min(last, (run + 1) * each);
            const uint64_t at =
                begin_ + run / block_.count * repeat_.stride + run % block_.count * block_.stride;
            visit(at + (first - run * each) * bits_, at + (stop - run * each) * bits_);
            first = stop;
        }
    }

private:
    struct Span {
        uint64_t first, last;
    };
    /// Returns the numbers of the pieces of `level` that contain bits of [from, to). The first
    /// piece starts at `begin`; each piece has `size` bits.
    static Span Hits(const Level& level, uint64_t begin, uint64_t size, uint64_t from,
                     uint64_t to) {
        if (to <= begin) {
            return {0, 0};
        }
        if (level.stride == 0) {
            return {0, from < begin + size ? level.count : 0};
        }
        return {from < begin + size ? 0 : (from - begin - size) / level.stride + 1,
                std::min(level.count, (to - begin - 1) / level.stride + 1)};
    }
    /// Makes one run of the blocks if there are no gaps between them.
    void Join() {
        if (block_.count > 1 && block_.stride == size_) {
            size_ *= block_.count;
            block_ = Level();
        }
    }

    uint64_t begin_;
    uint64_t bits_;  ///< bits of an element
    uint64_t size_;  ///< bits of a run
    Level block_, repeat_;
};

/// The operands in UB of an instruction that computes element by element.
class OperandElements {
public:
    explicit OperandElements(const Instruction& i)
        : active_(i.active),
          end_(i.As<record::Call>() != nullptr ? i.elements : UINT64_MAX),
          perIndex_(IsBitwise(i.opcode) && i.dtype.Known() ? SizeOf(i.dtype.Value()) * 8 : 1) {
        i.orders([&](const OperandOrder& each) {
            const bool data = each.operand != Arg::Scratch && each.operand != Arg::SharedTmpBuffer;
            if (each.memory == Memory::Ub && data && each.runs.TotalBytes() != 0) {
                auto& list = each.write ? results_ : sources_;
                list.push_back({each.operand, {each.begin, each.runs, BitsOfElement(i, each)}});
            }
        });
    }
    /// Calls visit(first, last) for each run [first, last) of indices of results that depend on the
    /// bits [from, to) of the source `operand`.
    template <typename Visit>
    void Dependent(Arg operand, uint64_t from, uint64_t to, Visit&& visit) const {
        for (const Named& source : sources_) {
            if (source.operand == operand) {
                Dependent(source.map, from, to, visit);
            }
        }
    }
    template <typename Visit>
    void Dependent(const ElementMap& source, uint64_t from, uint64_t to, Visit&& visit) const {
        source.Find(from, to, [&](uint64_t first, uint64_t last) {
            last = std::min(last, end_);
            if (active_ == nullptr) {
                visit(first, last);
                return;
            }
            // A mask bit selects a whole element, also if the instruction combines single bits.
            active_->Each(first / perIndex_, (last + perIndex_ - 1) / perIndex_,
                          [&](uint64_t begin, uint64_t end) {
                              visit(std::max(first, begin * perIndex_),
                                    std::min(last, end * perIndex_));
                          });
        });
    }
    /// Calls visit(from, to) for each run of bits of the elements [first, last) of a source.
    template <typename Visit>
    void Places(Arg operand, uint64_t first, uint64_t last, Visit&& visit) const {
        for (const Named& source : sources_) {
            if (source.operand == operand) {
                source.map.Places(first, last, visit);
            }
        }
    }
    /// Marks the results [first, last) as invalid.
    void Mark(uint64_t first, uint64_t last, uint16_t taint, LocalMemory* memory) const {
        for (const Named& result : results_) {
            result.map.Places(first, last, [&](uint64_t from, uint64_t to) {
                memory->TaintBits(Memory::Ub, from, to, taint);
            });
        }
    }
    /// Returns the map of CMPMASK. Each repeat uses the same bits of CMPMASK.
    ElementMap CmpMask() const {
        constexpr uint64_t kRegisterBytes = 16;
        return active_ == nullptr
                   ? ElementMap(0, Runs(kRegisterBytes), 1)
                   : ElementMap(
                         0, Runs(active_->perRepeat / 8, Level(), Level{active_->repeats, 0}), 1);
    }

private:
    struct Named {
        Arg operand;
        ElementMap map;
    };

    const ActiveElements* active_;
    uint64_t end_;       ///< index after the last one
    uint64_t perIndex_;  ///< number of bits that one bit of the mask register selects
    std::vector<Named> sources_, results_;
};

}  // namespace twin::hazard
