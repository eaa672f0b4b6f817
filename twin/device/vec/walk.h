// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_VEC_WALK_H
#define TWIN_DEVICE_VEC_WALK_H

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "device/issue/issue.h"
#include "device/vec/engine.h"

namespace twin::vec {

/// Which elements of which repeats an instruction works on.
struct Plan {
    bool contiguous = false;  ///< one run over `elements`
    bool staged = false;    ///< operands lie over each other: each repeat is read before it writes
    uint64_t elements = 0;  ///< active elements altogether
    uint32_t repeats = 0;
    uint32_t perRepeat = 0;  ///< elements that one repeat can hold
    uint64_t low = 0;        ///< mask of a whole repeat
    uint64_t high = 0;
    uint32_t lastCount = 0;    ///< counter mode: elements of the last repeat; 0: as the mask says
    uint32_t lastElement = 0;  ///< highest active element inside a repeat

    /// Every repeat takes all its elements.
    bool Full() const {
        return lastCount == 0 && __builtin_popcountll(low) + __builtin_popcountll(high) ==
                                     static_cast<int>(perRepeat);
    }
};

constexpr uint32_t kMaxOperands = 3;

/// One operand: where it starts, its type, and its strides in blocks of 32 B. Called with a
/// visitor, it lists the pieces that the instruction touches.
struct VecOperand {
    const char* name;
    Operand place;
    Dtype dtype;
    uint32_t blockStride = 1;
    uint32_t repeatStride = 8;
    bool write = false;
    bool accumulates = false;  ///< written, and read before that
    uint32_t perBlock = 0;     ///< elements in a block; 0: as many as fit
    uint32_t skip = 0;         ///< bytes of each block in front of its first element
    uint8_t* start = nullptr;  ///< host address, set by Resolve
    const Plan* plan = nullptr;

    uint32_t PerBlock() const {
        return perBlock != 0 ? perBlock : kBlockBytes * 8 / BitWidth(dtype);
    }
    /// Bytes from the operand's start to one element of one repeat.
    uint64_t OffsetOf(uint32_t repeat, uint32_t element) const {
        const uint32_t count = PerBlock();
        const uint64_t block = static_cast<uint64_t>(repeat) * repeatStride +
                               static_cast<uint64_t>(element / count) * blockStride;
        return block * kBlockBytes + skip + element % count * BitWidth(dtype) / 8;
    }
    uint8_t* At(uint32_t repeat, uint32_t element) const {
        return start + OffsetOf(repeat, element);
    }
    void operator()(const PieceVisitor& visit) const;
};

/// For instructions whose operands are not all alike: resolves a mask form into `plan`, whose
/// perRepeat is given, and updates the mask register as the hardware would. False: nothing to do.
bool ResolveMask(Issue& issue, const Extent& extent, Plan* plan);
/// Last element of a whole repeat that the mask lets through.
uint32_t LastElement(const Plan& plan);
/// The same for one repeat: counter mode may end the last one early.
inline uint32_t LastOf(const Plan& plan, uint32_t repeat) {
    return plan.lastCount != 0 && repeat + 1 == plan.repeats ? plan.lastCount - 1
                                                             : plan.lastElement;
}

/// Resolves the mask, updates the mask register as the hardware would and notes every operand; the
/// first one's type is the instruction's. False: nothing to do. Further operands (mask bits,
/// offsets) may follow before Issue::Ready.
bool Resolve(Issue& issue, VecOperand* operands, uint32_t operandCount, const Extent& extent,
             Plan* plan);
/// Resolve and Ready, for instructions without further operands.
bool Prepare(Issue& issue, VecOperand* operands, uint32_t operandCount, const Extent& extent,
             Plan* plan);
/// One behind the last element that the instruction can touch, counted from its first repeat's
/// first.
uint64_t ElementSpan(const Plan& plan);

/// Calls visit(first, count) for every stretch of active elements of a repeat inside `step`
/// elements, which is a power of two up to 64.
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
            bits = length + start >= 64 ? 0 : bits & ~(((uint64_t{1} << length) - 1) << start);
        }
    }
}

/// True when whole repeats can run at once: the active elements are the first ones, the destination
/// has its blocks next to each other, and sources that have not are only read.
inline bool HasWideRepeats(const VecOperand* operands, uint32_t operandCount, const Plan& plan) {
    const bool holes = (plan.low & (plan.low + 1)) != 0 || (plan.high & (plan.high + 1)) != 0 ||
                       (plan.high != 0 && ~plan.low != 0);
    if (holes || operands[0].blockStride != 1) {
        return false;
    }
    for (uint32_t i = 0; i < operandCount; ++i) {
        const VecOperand& operand = operands[i];
        if (operand.perBlock != 0 || (operand.blockStride != 1 && i > 0 && operand.write)) {
            return false;
        }
    }
    return true;
}

/// The first blocks of one repeat next to each other in `scratch`, as the vector unit reads them.
inline uint8_t* CollectBlocks(const VecOperand& operand, uint32_t repeat, uint32_t count,
                              uint8_t* scratch) {
    const uint32_t perBlock = operand.PerBlock();
    const uint8_t* block = operand.At(repeat, 0);
    for (uint32_t first = 0, at = 0; first < count; first += perBlock, at += kBlockBytes) {
        std::memcpy(scratch + at, block, kBlockBytes);
        block += static_cast<uint64_t>(operand.blockStride) * kBlockBytes;
    }
    return scratch;
}

template <typename Run>
void WalkWideRepeats(const VecOperand* operands, uint32_t operandCount, const Plan& plan, Run run) {
    alignas(64) uint8_t scratch[kMaxOperands][kRepeatBytes];
    uint8_t* pointers[kMaxOperands] = {};
    const auto whole =
        static_cast<uint32_t>(__builtin_popcountll(plan.low) + __builtin_popcountll(plan.high));
    for (uint32_t repeat = 0; repeat < plan.repeats; ++repeat) {
        const bool tail = plan.lastCount != 0 && repeat + 1 == plan.repeats;
        const uint32_t count = tail ? plan.lastCount : whole;
        for (uint32_t i = 0; i < operandCount; ++i) {
            const VecOperand& operand = operands[i];
            pointers[i] = operand.blockStride == 1
                              ? operand.At(repeat, 0)
                              : CollectBlocks(operand, repeat, count, scratch[i]);
        }
        run(pointers, uint64_t{count}, static_cast<uint64_t>(repeat) * plan.perRepeat);
    }
}

/// Repeat by repeat, from copies of its sources: what a repeat writes may be what it has read.
template <typename Run>
void WalkStaged(const VecOperand* operands, uint32_t operandCount, const Plan& plan, Run run) {
    alignas(64) uint8_t stage[kMaxOperands][kRepeatBytes];
    uint8_t* pointers[kMaxOperands] = {};
    for (uint32_t repeat = 0; repeat < plan.repeats; ++repeat) {
        const uint64_t first = static_cast<uint64_t>(repeat) * plan.perRepeat;
        const uint64_t left = plan.contiguous ? plan.elements - first : plan.perRepeat;
        const auto count = static_cast<uint32_t>(std::min<uint64_t>(left, plan.perRepeat));
        for (uint32_t i = 0; i < operandCount; ++i) {
            const VecOperand& operand = operands[i];
            const uint64_t bits = BitWidth(operand.dtype);
            pointers[i] = operand.start + first * bits / 8;
            if (!operand.write && plan.contiguous) {
                std::memcpy(stage[i], pointers[i], (count * bits + 7) / 8);
            } else if (!operand.write) {
                CollectBlocks(operand, repeat, LastOf(plan, repeat) + 1, stage[i]);
            }
            pointers[i] = operand.write ? pointers[i] : stage[i];
        }
        if (plan.contiguous) {
            run(pointers, uint64_t{count}, first);
            continue;
        }
        VisitStretches(plan, repeat, plan.perRepeat / 8, [&](uint32_t at, uint32_t length) {
            uint8_t* pieces[kMaxOperands] = {};
            for (uint32_t i = 0; i < operandCount; ++i) {
                const VecOperand& operand = operands[i];
                pieces[i] = operand.write ? operand.At(repeat, at)
                                          : stage[i] + at * BitWidth(operand.dtype) / 8;
            }
            run(pieces, uint64_t{length}, first + at);
        });
    }
}

/// Calls `run(pointers, count, first)` for every contiguous piece, in program order of the
/// elements; `first` is the piece's position, counted in elements over all repeats. Sources may be
/// copies.
template <typename Run>
void WalkAt(const VecOperand* operands, uint32_t operandCount, const Plan& plan, Run run) {
    if (__builtin_expect(plan.staged, 0)) {
        WalkStaged(operands, operandCount, plan, run);
        return;
    }
    uint8_t* pointers[kMaxOperands] = {};
    if (plan.contiguous) {
        for (uint32_t i = 0; i < operandCount; ++i) {
            pointers[i] = operands[i].start;
        }
        run(pointers, plan.elements, uint64_t{0});
        return;
    }
    if (HasWideRepeats(operands, operandCount, plan)) {
        WalkWideRepeats(operands, operandCount, plan, run);
        return;
    }
    // Pieces never cross a block of the widest operand: inside one, every operand is contiguous.
    for (uint32_t repeat = 0; repeat < plan.repeats; ++repeat) {
        VisitStretches(plan, repeat, plan.perRepeat / 8, [&](uint32_t first, uint32_t length) {
            for (uint32_t i = 0; i < operandCount; ++i) {
                pointers[i] = operands[i].At(repeat, first);
            }
            run(pointers, length, static_cast<uint64_t>(repeat) * plan.perRepeat + first);
        });
    }
}

/// Calls `run(pointers, count)` for every contiguous piece.
template <typename Run>
void Walk(const VecOperand* operands, uint32_t operandCount, const Plan& plan, Run run) {
    WalkAt(operands, operandCount, plan,
           [&run](uint8_t* const* pointers, uint64_t count, uint64_t) { run(pointers, count); });
}

}  // namespace twin::vec

#endif  // TWIN_DEVICE_VEC_WALK_H
