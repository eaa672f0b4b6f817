// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

#include "core/element_order.h"
#include "core/function_ref.h"
#include "device/issue/operand.h"

namespace twin {

/// A function that receives the repeat, the address and the number of bytes of one piece.
using PieceVisitor = FunctionRef<void(uint32_t, uint64_t, uint64_t)>;
/// A function that calls the visitor for every contiguous piece of an operand.
using Pieces = FunctionRef<void(const PieceVisitor&)>;

/// An operand that was added to an Issue.
struct NotedOperand {
    Pieces pieces;  ///< lists the operand's pieces; empty if `runs` is exact
    uint64_t begin;
    uint64_t span;
    Runs runs;  ///< all elements in order (see OperandOrder); `pieces` are the accessed bytes
    Arg name;
    Memory memory;
    bool write;
    bool filler;
    ElementType type = {};  ///< type of the elements, if it is not the type of the instruction

    uint64_t End() const { return begin + span; }
    /// Leaves out the first bytes: the runs begin after them.
    void Skip(uint64_t count) {
        begin += count;
        span -= count;
    }
};

/// The operands of one instruction, in the order in which they were added.
class NotedOperands {
public:
    void Add(Arg name, Memory memory, uint64_t begin, const Runs& runs, uint64_t span, bool write,
             bool filler = false) {
        if (__builtin_expect(count_ == kMost, 0)) {
            std::abort();
        }
        writes_ |= static_cast<uint32_t>(write) << count_;
        new (Data() + count_++)
            NotedOperand{{}, begin, span, runs, name, memory, write, filler, {}};
    }
    NotedOperand& Last() { return Data()[count_ - 1]; }
    const NotedOperand* begin() const { return reinterpret_cast<const NotedOperand*>(storage_); }
    const NotedOperand* end() const { return begin() + count_; }
    /// Calls visit(OperandOrder) for each operand.
    template <typename Visit>
    void operator()(const Visit& visit) const {
        for (const NotedOperand& each : *this) {
            visit(
                OperandOrder{each.name, each.memory, each.write, each.type, each.begin, each.runs});
        }
    }
    /// Returns a set: bit i is 1 if the instruction writes operand i.
    uint32_t Writes() const { return writes_; }

private:
    static constexpr size_t kMost = 16;  ///< limit of the number of operands; no call has more

    NotedOperand* Data() { return reinterpret_cast<NotedOperand*>(storage_); }

    uint32_t count_ = 0;
    uint32_t writes_ = 0;
    alignas(NotedOperand) unsigned char storage_[kMost * sizeof(NotedOperand)];
};

}  // namespace twin
