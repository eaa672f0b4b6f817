// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

#include "core/instruction.h"

namespace twin {

/// An operand of a step (an instruction of a library call): its address in UB, and its strides of
/// blocks and repeats in units of 32 B.
struct View {
    uint64_t address = 0;
    Dtype dtype = Dtype::F32;
    int64_t block = 1;
    int64_t repeat = -1;   ///< stride of repeats; -1: repeats are contiguous
    int32_t operand = -1;  ///< index of the call's operand; -1: temporary buffer

    View operator[](int64_t elements) const {
        View moved = *this;
        moved.address += static_cast<uint64_t>(elements * SizeOf(dtype));
        return moved;
    }
    View By(int64_t blockStride, int64_t repeatStride) const {
        return {address, dtype, blockStride, repeatStride, operand};
    }
    View As(Dtype other) const { return {address, other, block, repeat, operand}; }
};

/// How the barriers of a library call order the call and the vector instructions around it.
struct CallOrder {
    static constexpr uint32_t kMaxOperands = 10;

    bool begins = false;  ///< the call waits for all earlier vector instructions
    bool ends = false;    ///< later vector instructions wait for the call
    bool orders = false;  ///< the call has a barrier: earlier instructions end before later ones
    uint32_t late = 0;    ///< bit i: the call has a barrier before its first use of operand i
    uint32_t early = 0;   ///< bit i: the call has a barrier after its last use of operand i
    Arg operands[kMaxOperands] = {};  ///< names of the call's operands in its record

    /// Returns true if the call has a barrier before its first use of this operand.
    bool Late(const ByteRange& range) const { return (late & BitOf(range)) != 0; }
    /// Returns true if the call has a barrier after its last use of this operand.
    bool Early(const ByteRange& range) const { return (early & BitOf(range)) != 0; }
    /// Returns the operand's bit of `late` and `early`; 0 if the call has no such operand. The
    /// temporary buffer has the bit after the bits of all operands.
    TWIN_API uint32_t BitOf(const ByteRange& range) const;
};

/// The list to which CallSteps adds the instructions (steps) of a library call.
class StepList {
public:
    /// The object adds steps to `steps`. If `steps` is nullptr, only computes `order`.
    StepList(const Instruction& call, std::vector<Instruction>* steps);

    const Instruction& call;
    const CallShape shape;
    const Dtype dtype;
    CallOrder order;
    bool timed = true;  ///< false: the call's time comes from a formula, not from the steps
    uint32_t operands = 0;
    View views[CallOrder::kMaxOperands];  ///< the call's operands, at their first elements
    View scratch;
    int64_t scratchUsed = 0;

    /// Adds a step; returns nullptr if steps are not listed.
    Instruction* Add(Opcode opcode, Pipe pipe);
    /// Adds a flag or a barrier; returns nullptr if steps are not listed.
    Instruction* Append(Opcode opcode, Pipe pipe);
    /// Notes that the next step accesses `view`.
    void Touch(const View& view);
    void Barrier();
    /// Notes that all later vector instructions wait for all earlier ones.
    void Order();

private:
    std::vector<Instruction>* const steps_;
    bool started_ = false;  ///< the list has a vector instruction
    uint32_t touched_ = 0;  ///< bit i: a step has accessed operand i (bits as in CallOrder)
};

inline int64_t Up(int64_t value, int64_t unit) { return (value + unit - 1) / unit; }

/// Splits `total` items into parts of at most `once` items; calls part(first, count) for each.
template <typename Part>
void InParts(int64_t total, int64_t once, Part part) {
    for (int64_t at = 0; at < total; at += std::max<int64_t>(once, 1)) {
        part(at, std::min(once, total - at));
    }
}

/// Lists the instructions that the library issues for a call. A method with the instruction's name
/// adds a step; its arguments are the destination, then the sources, without scalars. By default, a
/// step has `n` elements and ends with a barrier of the vector pipe:
///   s.Exp(dst, src);                         // n elements
///   s.Count(64).NoBarrier().Exp(dst, src);   // 64 elements
///   s.Repeats(m, 32).Add(dst, dst, src);     // m repeats of 32 elements each
class CallSteps {
public:
    explicit CallSteps(StepList* list)
        : n(static_cast<int64_t>(list->call.elements)), list_(list) {}

    int64_t n;  ///< number of elements of a step

    // These functions return properties of the call; CallShape explains them.
    int64_t Scratch() const { return static_cast<int64_t>(list_->shape.scratch); }
    int64_t Rows() const { return list_->shape.rows; }
    int64_t Columns() const { return list_->shape.columns; }
    int64_t Valid() const { return list_->shape.valid; }
    int64_t Once() const { return list_->shape.once; }
    int64_t Level() const { return list_->shape.level; }
    Dtype Type() const { return list_->dtype; }
    bool Half() const { return Type() == Dtype::F16; }
    bool Has(uint32_t form) const { return (list_->shape.form & form) != 0; }
    /// Returns operand `index` of the call's record, not counting the temporary buffer (scratch).
    View Operand(size_t index) const;
    /// Reserves the next `elements` elements of the call's temporary buffer (scratch).
    View Work(Dtype dtype, int64_t elements) const;
    View Floats(int64_t elements) const { return Work(Dtype::F32, elements); }
    /// Returns the temporary buffer from its byte `at` on.
    View Buffer(Dtype dtype, int64_t at = 0) const {
        return {list_->scratch.address + static_cast<uint64_t>(at), dtype};
    }

    /// Splits the scratch into `parts` equal parts. Returns elements per part, a multiple of 32.
    int64_t Part(int64_t parts, int64_t bytes = sizeof(float)) const {
        return Scratch() / bytes / parts / 32 * 32;
    }

    // Each of these functions returns a copy of the object with other settings for the next steps.
    CallSteps Count(int64_t elements) const {
        CallSteps other = *this;
        other.n = elements;
        other.repeats_ = -1;
        return other;
    }
    CallSteps Repeats(int64_t repeats, int64_t mask = 0) const {
        CallSteps other = *this;
        other.repeats_ = repeats;
        other.mask_ = mask;
        return other;
    }
    /// Lists the next steps only if `condition` is true.
    CallSteps If(bool condition) const {
        CallSteps other = *this;
        other.asked_ = asked_ && condition;
        return other;
    }
    CallSteps NoBarrier() const {
        CallSteps other = *this;
        other.barrier_ = false;
        return other;
    }

    /// Splits n elements of the views into pieces of `size` elements. Calls piece(steps, views...)
    /// for each piece. If `size` is 0 (the scratch is too small), one piece has all elements.
    template <size_t kViews, typename Piece>
    void Pieces(int64_t size, const View (&views)[kViews], Piece piece) const {
        InParts(n, size > 0 ? size : n, [&](int64_t at, int64_t count) {
            CallWith(piece, Count(count), views, at, std::make_index_sequence<kViews>());
        });
    }

    /// Splits the first kOperands operands of the call into pieces, as Pieces does.
    template <size_t kOperands, typename Piece>
    void Along(int64_t size, Piece piece) const {
        View views[kOperands];
        for (size_t i = 0; i < kOperands; ++i) {
            views[i] = Operand(i);
        }
        Pieces(size, views, piece);
    }

    void Do(Opcode opcode, std::initializer_list<View> views) const;
    void Do(Opcode opcode, View dst, View src) const { Do(opcode, {dst, src}); }
    void Do(Opcode opcode, View dst, View a, View b) const { Do(opcode, {dst, a, b}); }
    /// The bytes of an operand of a step.
    struct Place {
        View view;
        Runs runs;
    };
    /// Adds a step whose operands do not all have the same number of elements. `places` are the
    /// destination, then the sources.
    void Do(Opcode opcode, uint64_t repeats, uint64_t elements,
            std::initializer_list<Place> places) const;
    void Barrier() const {
        if (asked_) {
            list_->Barrier();
        }
    }
    void ToScalar() const { Flag(Pipe::V, Pipe::S); }
    void ToVector() const { Flag(Pipe::S, Pipe::V); }
    /// Adds a read of one element by the scalar unit.
    void Read(const View& place) const { Scalar(Opcode::GetValue, Arg::Src, place, false); }
    void Write(const View& place) const { Scalar(Opcode::SetValue, Arg::Dst, place, true); }
    /// Takes the call's time from a formula. On the hardware, the steps use other addresses in the
    /// scratch, so the times of the listed steps would be wrong.
    void Untimed() const { list_->timed = list_->timed && !asked_; }
    /// Notes that the call has further steps, which are not listed: a formula gives the call's
    /// time. The further steps access the operands `views` and do not end with a barrier.
    void Unlisted(std::initializer_list<View> views) const;

#define TWIN_STEP_1(NAME) \
    void NAME(View dst) const { Do(Opcode::NAME, {dst}); }
#define TWIN_STEP_2(NAME) \
    void NAME(View dst, View src) const { Do(Opcode::NAME, {dst, src}); }
#define TWIN_STEP_3(NAME) \
    void NAME(View dst, View a, View b) const { Do(Opcode::NAME, {dst, a, b}); }
    TWIN_STEP_1(Duplicate)
    TWIN_STEP_1(ReduceSum)
    TWIN_STEP_1(SetCmpMask)
    TWIN_STEP_2(Abs)
    TWIN_STEP_2(Adds)
    TWIN_STEP_2(BlockReduceSum)
    TWIN_STEP_2(Brcb)
    TWIN_STEP_2(Cast)
    TWIN_STEP_2(CompareScalar)
    TWIN_STEP_2(Copy)
    TWIN_STEP_2(DataCopy)
    TWIN_STEP_2(Exp)
    TWIN_STEP_2(Ln)
    TWIN_STEP_2(Maxs)
    TWIN_STEP_2(Mins)
    TWIN_STEP_2(Muls)
    TWIN_STEP_2(Not)
    TWIN_STEP_2(Reciprocal)
    TWIN_STEP_2(RepeatReduceSum)
    TWIN_STEP_2(ShiftRight)
    TWIN_STEP_2(Sqrt)
    TWIN_STEP_2(WholeReduceSum)
    TWIN_STEP_3(Add)
    TWIN_STEP_3(And)
    TWIN_STEP_3(Compare)
    TWIN_STEP_3(Div)
    TWIN_STEP_3(Max)
    TWIN_STEP_3(Min)
    TWIN_STEP_3(Mul)
    TWIN_STEP_3(Or)
    TWIN_STEP_3(Select)
    TWIN_STEP_3(Sub)
#undef TWIN_STEP_1
#undef TWIN_STEP_2
#undef TWIN_STEP_3

private:
    template <typename Piece, size_t kViews, size_t... kEach>
    static void CallWith(Piece& piece, CallSteps steps, const View (&views)[kViews], int64_t at,
                         std::index_sequence<kEach...>) {
        piece(steps, views[kEach][at]...);
    }
    /// Adds the set of a flag on pipe `from` and the wait for it on pipe `to`.
    void Flag(Pipe from, Pipe to) const;
    void Scalar(Opcode opcode, Arg name, const View& place, bool write) const;

    StepList* list_;
    int64_t repeats_ = -1;  ///< number of repeats; -1: the step has n elements
    int64_t mask_ = 0;      ///< number of elements of a repeat; 0: a full repeat
    bool barrier_ = true;
    bool asked_ = true;  ///< false: no steps are added
};

/// Lists tail(dst, src), whose instructions compute in float. If `half`, lists a Cast to float in
/// `wide` before the tail, and a Cast to half after the tail.
template <typename Tail>
void Widened(CallSteps s, bool half, View wide, View dst, View src, Tail tail) {
    if (!half) {
        return tail(dst, src);
    }
    s.Cast(wide, src);
    tail(wide, wide);
    s.Cast(dst, wide);
}

/// A function of the advanced API whose calls have one record for all their instructions.
struct LibraryCall {
    Opcode opcode;
    void (*steps)(CallSteps s);
};

/// Returns how a library call is ordered with other instructions. `call` must be a record::Call.
TWIN_API CallOrder OrderOf(const Instruction& call);

/// Caches the CallOrder of the latest call of each opcode, because a kernel repeats its calls.
class KnownOrders {
public:
    /// Returns OrderOf(call); the result is valid until the next call of Of().
    const CallOrder& Of(const Instruction& call);

private:
    /// The CallOrder of a call, and all values on which it depends.
    struct Known {
        const LibraryCall* library = nullptr;
        CallShape shape;
        ElementType dtype;
        uint64_t elements = 0;
        std::vector<std::pair<Arg, ElementType>> operands;
        CallOrder order;
    };
    static bool Same(const Known& known, const Instruction& call);

    std::vector<Known> calls_;  ///< the latest call of each opcode
};

/// Lists the instructions of a library call. Returns false if a formula must give the call's time.
bool ListSteps(const Instruction& call, std::vector<Instruction>* steps);

}  // namespace twin
