// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_VEC_WALK_H
#define TWIN_DEVICE_VEC_WALK_H

#include <cstdint>
#include <cstring>

#include "device/vec/engine.h"

namespace twin::vec {

/// A validated instruction, ready to be walked: which elements of which repeats.
struct Plan {
    bool contiguous = false;  ///< one run over `elements`
    uint64_t elements = 0;    ///< active elements altogether
    uint32_t repeats = 0;
    uint32_t perRepeat = 0;  ///< elements that one repeat can hold
    uint64_t low = 0;        ///< mask of a whole repeat
    uint64_t high = 0;
    uint32_t lastCount = 0;    ///< counter mode: elements of the last repeat; 0: as the mask says
    uint32_t lastElement = 0;  ///< highest active element inside a repeat
};

constexpr uint32_t kMaxOperands = 3;

inline uint32_t ElementsPerBlock(const VecOperand& operand) {
    return operand.perBlock != 0 ? operand.perBlock : kBlockBytes * 8 / BitWidth(operand.dtype);
}

/// Where one element of one repeat lies in the unified buffer.
inline uint64_t AddressOf(const VecOperand& operand, uint32_t repeat, uint32_t element) {
    const uint32_t perBlock = ElementsPerBlock(operand);
    const uint64_t block = static_cast<uint64_t>(repeat) * operand.repeatStride +
                           static_cast<uint64_t>(element / perBlock) * operand.blockStride;
    return operand.place.address + block * kBlockBytes + operand.skip +
           element % perBlock * BitWidth(operand.dtype) / 8;
}

/// For instructions whose operands are not all alike: resolves a mask form into `plan`, whose
/// perRepeat is given, and updates the mask register as the hardware would. False: nothing to do.
bool ResolveMask(Core& core, const char* api, const Extent& extent, Plan* plan);
/// Last element of a whole repeat that the mask lets through.
uint32_t LastElement(const Plan& plan);

/// Resolves the mask, updates the mask register as the hardware would, checks every operand,
/// records the instruction. Operand 0 is the destination. False: nothing to do.
bool Prepare(Core& core, const char* api, const VecOperand* operands, uint32_t operandCount,
             const Extent& extent, Plan* plan);
/// The two steps of Prepare, for instructions that also have operands without lanes (mask bits,
/// offsets): they check and record those themselves.
bool Resolve(Core& core, const char* api, const VecOperand* operands, uint32_t operandCount,
             const Extent& extent, Plan* plan);
Instruction Describe(const Core& core, const char* api, const VecOperand* operands,
                     uint32_t operandCount, const Plan& plan);
/// One behind the last element that the instruction can touch, counted from its first repeat's
/// first.
uint64_t ElementSpan(const Plan& plan);

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

/// The blocks of one repeat next to each other in `scratch`, as the vector unit reads them.
inline uint8_t* CollectBlocks(const Core& core, const VecOperand& operand, uint32_t repeat,
                              uint32_t count, uint8_t* scratch) {
    const uint32_t perBlock = ElementsPerBlock(operand);
    const uint8_t* block = core.ub + AddressOf(operand, repeat, 0);
    for (uint32_t first = 0, at = 0; first < count; first += perBlock, at += kBlockBytes) {
        std::memcpy(scratch + at, block, kBlockBytes);
        block += static_cast<uint64_t>(operand.blockStride) * kBlockBytes;
    }
    return scratch;
}

template <typename Run>
void WalkWideRepeats(Core& core, const VecOperand* operands, uint32_t operandCount,
                     const Plan& plan, Run run) {
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
                              ? core.ub + AddressOf(operand, repeat, 0)
                              : CollectBlocks(core, operand, repeat, count, scratch[i]);
        }
        run(pointers, uint64_t{count}, static_cast<uint64_t>(repeat) * plan.perRepeat);
    }
}

/// Calls `run(pointers, count, first)` for every contiguous piece, in program order of the
/// elements; `first` is the piece's position, counted in elements over all repeats. Sources may be
/// copies.
template <typename Run>
void WalkAt(Core& core, const VecOperand* operands, uint32_t operandCount, const Plan& plan,
            Run run) {
    uint8_t* pointers[kMaxOperands] = {};
    if (plan.contiguous) {
        for (uint32_t i = 0; i < operandCount; ++i) {
            pointers[i] = core.ub + operands[i].place.address;
        }
        run(pointers, plan.elements, uint64_t{0});
        return;
    }
    if (HasWideRepeats(operands, operandCount, plan)) {
        WalkWideRepeats(core, operands, operandCount, plan, run);
        return;
    }
    // Pieces never cross a block of the widest operand: inside one, every operand is contiguous.
    const uint32_t step = plan.perRepeat / 8;
    for (uint32_t repeat = 0; repeat < plan.repeats; ++repeat) {
        const bool tail = plan.lastCount != 0 && repeat + 1 == plan.repeats;
        for (uint32_t first = 0; first < plan.perRepeat; first += step) {
            const uint64_t word = first < 64 ? plan.low >> first : plan.high >> (first - 64);
            uint64_t bits = word & ((uint64_t{1} << step) - 1);
            if (tail) {
                const uint32_t left = plan.lastCount > first ? plan.lastCount - first : 0;
                bits = left >= step ? bits : bits & ((uint64_t{1} << left) - 1);
            }
            while (bits != 0) {
                const auto start = static_cast<uint32_t>(__builtin_ctzll(bits));
                const auto length = static_cast<uint32_t>(__builtin_ctzll(~(bits >> start)));
                for (uint32_t i = 0; i < operandCount; ++i) {
                    pointers[i] = core.ub + AddressOf(operands[i], repeat, first + start);
                }
                run(pointers, length,
                    static_cast<uint64_t>(repeat) * plan.perRepeat + first + start);
                bits &= ~(((uint64_t{1} << length) - 1) << start);
            }
        }
    }
}

/// Calls `run(pointers, count)` for every contiguous piece.
template <typename Run>
void Walk(Core& core, const VecOperand* operands, uint32_t operandCount, const Plan& plan,
          Run run) {
    WalkAt(core, operands, operandCount, plan,
           [&run](uint8_t* const* pointers, uint64_t count, uint64_t) { run(pointers, count); });
}

}  // namespace twin::vec

#endif  // TWIN_DEVICE_VEC_WALK_H
