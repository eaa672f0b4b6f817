// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "device/vec/plan.h"

namespace twin::vec {

/// Returns true if `run` can compute a whole repeat at once: the active elements are the first
/// elements, every written operand has contiguous blocks, and all operands use whole blocks.
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

/// Copies the blocks of a repeat with its first `count` elements into `scratch`, without gaps.
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
    uint64_t steps[kMaxOperands] = {};
    const uint32_t whole = CountBits(plan.low) + CountBits(plan.high);
    for (uint32_t i = 0; i < operandCount; ++i) {
        const VecOperand& operand = operands[i];
        if (operand.blockStride == 1) {
            pointers[i] = operand.At(0, 0);
            steps[i] = uint64_t{operand.repeatStride} * kBlockBytes;
        } else {
            pointers[i] = scratch[i];
        }
    }
    for (uint32_t repeat = 0; repeat < plan.repeats; ++repeat) {
        const bool tail = plan.lastCount != 0 && repeat + 1 == plan.repeats;
        const uint32_t count = tail ? plan.lastCount : whole;
        for (uint32_t i = 0; i < operandCount; ++i) {
            const VecOperand& operand = operands[i];
            // If all repeats read the same data (repeat stride 0), the data are collected once.
            if (operand.blockStride != 1 && (repeat == 0 || operand.repeatStride != 0)) {
                CollectBlocks(operand, repeat, count, scratch[i]);
            }
        }
        run(pointers, uint64_t{count}, static_cast<uint64_t>(repeat) * plan.perRepeat);
        for (uint32_t i = 0; i < operandCount; ++i) {
            pointers[i] += steps[i];
        }
    }
}

/// Calls `run` repeat by repeat on copies of the sources, because a repeat may overwrite a source.
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

/// Calls `run(pointers, count, first)` for every contiguous piece, in the order of the elements.
/// `first` is the piece's first element, counted over all repeats. Pointers of sources may point to
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
    // A piece stays in one block of the widest operand, so each operand is contiguous in the piece.
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
