// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/issue/issue.h"
#include "device/library/row_marks.h"
#include "device/library/tmp.h"

namespace twin::advanced {

/// One call of the advanced API. It is recorded as one instruction of pipe V with the API's name,
/// not as the many instructions with which the library computes it. After the call, the scratch
/// memory contains the poison pattern, and the mask register selects all elements.
///   Call call(Opcode::Axpy, where);
///   uint8_t* to = call.Write(Arg::Dst, dst, bytes);
///   const uint8_t* from = call.Read(Arg::Src, src, bytes);
///   call.Take(tmp, need);
///   call.Run(dtype, count, Overlap::InPlace, [&] { ... effect on to and from ... });
class Call {
public:
    Call(Opcode api, Location where) : issue_(api, CoreKind::Aiv, where) {}
    /// Returns false on a core without a vector unit, where the call does nothing.
    explicit operator bool() const { return static_cast<bool>(issue_); }
    Core& core() const { return issue_.core(); }
    const char* api() const { return issue_.api(); }
    Issue& issue() { return issue_; }
    /// Returns the values that decide which instructions the library executes for this call.
    CallShape& shape() { return shape_; }

    /// Adds and checks an operand that the call writes; returns the host address of its data. In
    /// calls that work element by element, `runs` has one element for each element of the result:
    /// a stride of 0 repeats elements.
    uint8_t* Write(Arg name, const Operand& place, const Runs& runs);
    uint8_t* Write(Arg name, const Operand& place, uint64_t bytes) {
        return Write(name, place, Runs{bytes});
    }
    /// Adds a source operand. `spent` means that the call also uses it as scratch memory.
    const uint8_t* Read(Arg name, const Operand& place, const Runs& runs, bool spent = false);
    const uint8_t* Read(Arg name, const Operand& place, uint64_t bytes, bool spent = false) {
        return Read(name, place, Runs{bytes}, spent);
    }
    /// Adds an operand with gaps. The callable `pieces` lists the accessed bytes.
    template <typename Callable>
    uint8_t* Write(Arg name, const Operand& place, uint64_t span, Callable& pieces) {
        return Keep(name, place, Runs{span}, true,
                    issue_.Write(name, place, Memory::Ub, Runs{span}, span, pieces));
    }
    template <typename Callable>
    const uint8_t* Read(Arg name, const Operand& place, uint64_t span, Callable& pieces) {
        const uint8_t* start = issue_.Read(name, place, Memory::Ub, Runs{span}, span, pieces);
        return Keep(name, place, Runs{span}, false, const_cast<uint8_t*>(start));
    }
    /// Adds the scratch memory. Fails if it is too small (T700) or overlaps a destination (T701).
    /// Run fails if the scratch overwrites a source too early (T701).
    void Take(const Tmp& tmp, const TmpNeed& need);

    /// Checks how the operands overlap (T702), computes the effect and records the call. In
    /// hardware mode, poisons the destinations if the library overwrites unread sources.
    template <typename Effect>
    void Run(Dtype dtype, uint64_t elements, Overlap rule, Effect effect) {
        if (Ready(dtype, elements, rule)) {
            effect();
        } else {
            Spoil();
        }
        Done();
    }
    /// Does what Run does, for a call that only moves bytes (see Issue::Moves).
    template <typename Effect>
    void RunMoving(Dtype dtype, uint64_t elements, Overlap rule, const Effect& effect) {
        issue_.Follow(effect);
        Run(dtype, elements, rule, [&] { effect(OwnBytes()); });
    }
    /// Does what Run(dtype, elements, Overlap::InPlace, effect) does, for a call that computes the
    /// rows of a tile (see RowTile). The results depend on the first `valid` elements of a row.
    /// shape() has the number of rows and columns.
    template <typename Effect>
    void RunRows(Dtype dtype, uint64_t elements, uint32_t valid, bool fractals, Effect effect) {
        const RowTile tile = {shape_.rows, shape_.columns, valid, SizeOf(dtype), fractals};
        const auto follow = [&](const ByteMarks& marks) {
            RowMarks(marks, tile).Move(parts_, partCount_);
        };
        issue_.Follow(follow);
        Run(dtype, elements, Overlap::InPlace, effect);
    }
    /// Fills the destinations with the poison pattern instead of results.
    void Spoil();
    /// Replaces infinities and NaN in the results if CTRL selects saturation.
    void Saturate(uint8_t* results, Dtype dtype, uint64_t elements);

private:
    static constexpr uint32_t kMaxParts = 10;

    bool Ready(Dtype dtype, uint64_t elements, Overlap rule);
    void CheckScratch(Dtype dtype, uint64_t elements) const;
    [[noreturn]] void RefuseScratch(const Part& part) const;
    void Done();
    uint8_t* Keep(Arg name, const Operand& place, const Runs& runs, bool write, uint8_t* start,
                  bool spent = false);

    CallShape shape_;
    Issue issue_;
    uint32_t partCount_ = 0;
    Part parts_[kMaxParts];
    uint8_t* scratch_ = nullptr;
    uint64_t scratchAddress_ = 0;
    uint64_t scratchBytes_ = 0;
    bool shared_ = false;  ///< the scratch overlaps a source
};

/// Returns the entry of `opcode` in the list of library calls; aborts if there is none.
const LibraryCall& FindLibraryCall(Opcode opcode);

/// Fills memory with the pattern of newly allocated memory.
void Poison(uint8_t* start, uint64_t bytes);

constexpr uint64_t RoundUp(uint64_t value, uint64_t unit) {
    return (value + unit - 1) / unit * unit;
}

}  // namespace twin::advanced
