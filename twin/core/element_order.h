// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/byte_range.h"
#include "core/function_ref.h"

namespace twin {

/// The elements that a vector instruction processes. Element i of repeat r has the index
/// r * perRepeat + i.
struct ActiveElements {
    bool contiguous = false;  ///< the elements have the indices 0 to `elements` - 1
    uint64_t elements = 0;    ///< number of active elements
    uint32_t repeats = 0;
    uint32_t perRepeat = 0;  ///< number of elements in a full repeat
    uint64_t low = 0;        ///< mask of a full repeat: elements 0 to 63
    uint64_t high = 0;
    uint32_t lastCount = 0;  ///< counter mode: size of the last repeat; 0: the mask decides

    /// Returns the index after the last one that may be active.
    uint64_t End() const {
        if (contiguous) {
            return elements;
        }
        const uint64_t all = uint64_t{repeats} * perRepeat;
        return lastCount == 0 ? all : all - perRepeat + lastCount;
    }
    /// Calls visit(from, to) for each run [from, to) of active indices in [first, last).
    template <typename Visit>
    void Each(uint64_t first, uint64_t last, Visit&& visit) const {
        last = std::min(last, End());
        if (contiguous || lastCount != 0 || Full()) {
            if (first < last) {
                visit(first, last);
            }
            return;
        }
        while (first < last) {
            const uint64_t element = first % perRepeat;
            const uint64_t word = element < 64 ? low : element < 128 ? high : 0;
            const uint64_t bits = word >> element % 64;
            // The rest of this word of the mask, of the repeat, and of the range.
            const uint64_t rest = std::min({64 - element % 64, perRepeat - element, last - first});
            const uint64_t gap = bits == 0 ? rest : static_cast<uint64_t>(__builtin_ctzll(bits));
            if (gap < rest) {
                const uint64_t after = ~(bits >> gap);
                const uint64_t run =
                    after == 0 ? 64 : static_cast<uint64_t>(__builtin_ctzll(after));
                const uint64_t stop = std::min(gap + run, rest);
                visit(first + gap, first + stop);
                first += stop;
            } else {
                first += rest;
            }
        }
    }
    /// Returns true if every repeat uses all its elements.
    bool Full() const {
        const bool all = perRepeat < 64 ? low == (uint64_t{1} << perRepeat) - 1
                                        : ~low == 0 && high == (perRepeat == 64 ? 0 : UINT64_MAX);
        return lastCount == 0 && perRepeat <= 128 && all;
    }
};

/// The elements of one operand, in the order of their indices: `runs` contains one element after
/// the other, also those that are not active. A stride of 0 means that the same bytes are used
/// again.
struct OperandOrder {
    Arg operand;
    Memory memory;
    bool write;
    ElementType type;
    uint64_t begin;
    const Runs& runs;
};

/// Calls a visitor for each operand of an instruction.
using OperandOrders = FunctionRef<void(const FunctionRef<void(const OperandOrder&)>&)>;

}  // namespace twin
