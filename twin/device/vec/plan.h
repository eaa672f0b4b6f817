// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "device/issue/issue.h"
#include "device/vec/extent.h"

namespace twin::vec {

/// The repeats of an instruction, and the elements that are active in them. `contiguous` also means
/// that every operand is one run of bytes.
struct Plan : ActiveElements {
    bool staged = false;       ///< true: operands overlap, so each repeat first copies its sources
    uint32_t lastElement = 0;  ///< index of the highest active element of a repeat
};

/// Returns the number of set bits. Most masks select the first elements and avoid popcount, which
/// is a function call on processors without such an instruction.
inline uint32_t CountBits(uint64_t mask) {
    const bool prefix = (mask & (mask + 1)) == 0 && ~mask != 0;
    return static_cast<uint32_t>(prefix ? __builtin_ctzll(~mask)
                                        : (~mask == 0 ? 64 : __builtin_popcountll(mask)));
}

constexpr uint32_t kMaxOperands = 3;

/// One operand: its start, its type, and its strides in blocks of 32 B. The call operator calls a
/// visitor for each piece that the instruction accesses.
struct VecOperand {
    Arg name;
    Operand place;
    Dtype dtype;
    uint32_t blockStride = 1;
    uint32_t repeatStride = 8;
    bool write = false;
    bool accumulates = false;  ///< the instruction also reads this destination
    uint32_t perBlock = 0;     ///< number of elements in a block; 0: as many as fit
    uint32_t skip = 0;         ///< bytes of each block before its first element
    uint8_t* start = nullptr;  ///< host address, set by Resolve
    const Plan* plan = nullptr;

    uint32_t PerBlock() const {
        return perBlock != 0 ? perBlock : kBlockBytes * 8 >> __builtin_ctz(BitWidth(dtype));
    }
    /// Returns the distance in bytes from the operand's start to one element of one repeat.
    uint64_t OffsetOf(uint32_t repeat, uint32_t element) const {
        const uint32_t count = PerBlock();  // a power of two
        const uint64_t block = static_cast<uint64_t>(repeat) * repeatStride +
                               static_cast<uint64_t>(element >> __builtin_ctz(count)) * blockStride;
        return block * kBlockBytes + skip + (element & (count - 1)) * BitWidth(dtype) / 8;
    }
    uint8_t* At(uint32_t repeat, uint32_t element) const {
        return start + OffsetOf(repeat, element);
    }
    void operator()(const PieceVisitor& visit) const;
};

/// Computes `plan` from `extent` alone, for example for reductions. The caller has set
/// plan->perRepeat. Updates the mask register as the hardware does. Returns false if no element is
/// active.
bool ResolveMask(Issue& issue, const Extent& extent, Plan* plan);
/// Returns the index of the last active element of a full repeat.
uint32_t LastElement(const Plan& plan);
/// Returns the index of the last active element of one repeat; the last repeat may be shorter.
inline uint32_t LastOf(const Plan& plan, uint32_t repeat) {
    return plan.lastCount != 0 && repeat + 1 == plan.repeats ? plan.lastCount - 1
                                                             : plan.lastElement;
}

/// Computes `plan`, updates the mask register and adds the operands to `issue`; the instruction
/// gets the type of the first operand. Returns false if no element is active. The caller may add
/// further operands (mask bits, offsets) before Issue::Ready.
bool Resolve(Issue& issue, VecOperand* operands, uint32_t operandCount, const Extent& extent,
             Plan* plan);
/// Calls Resolve and Issue::Ready, for instructions without further operands.
bool Prepare(Issue& issue, VecOperand* operands, uint32_t operandCount, const Extent& extent,
             Plan* plan);
/// Returns the number of elements, including gaps, from the start of the first repeat to the last
/// element that the instruction can access.
uint64_t ElementSpan(const Plan& plan);

/// Calls visit(first, count) for every run of active elements of a repeat. Runs end at multiples of
/// `step`, a power of two up to 64.
template <typename Visit>
void VisitStretches(const Plan& plan, uint32_t repeat, uint32_t step, Visit visit) {
    const bool tail = plan.lastCount != 0 && repeat + 1 == plan.repeats;
    for (uint32_t first = 0; first < plan.perRepeat; first += step) {
        const uint64_t word = first < 64 ? plan.low >> first : plan.high >> (first - 64);
        uint64_t bits = step == 64 ? word : word & ((uint64_t{1} << step) - 1);
        if (tail) {
            const uint32_t left = plan.lastCount > first ? plan.lastCount - first : 0;
            bits = left >= step ? bits : bits & ((uint64_t{1} << left) - 1);
        }
        while (bits != 0) {
            const auto start = static_cast<uint32_t>(__builtin_ctzll(bits));
            const uint64_t rest = ~(bits >> start);
            const uint32_t length = rest == 0 ? 64 : static_cast<uint32_t>(__builtin_ctzll(rest));
            visit(first + start, length);
            // NOLINTNEXTLINE(clang-analyzer-core.BitwiseShift): length + start is below 64 here
            bits = length + start >= 64 ? 0 : bits & ~(((uint64_t{1} << length) - 1) << start);
        }
    }
}

}  // namespace twin::vec
