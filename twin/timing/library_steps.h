// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "core/instruction.h"

namespace twin::timing {

/// An operand of a step: where it begins in UB, and how the blocks of a repeat and the repeats
/// follow each other, in blocks of 32 B.
struct View {
    uint64_t address = 0;
    Dtype dtype = Dtype::F32;
    int64_t block = 1;
    int64_t repeat = -1;  ///< -1: behind each other

    View operator[](int64_t elements) const {
        View moved = *this;
        moved.address += static_cast<uint64_t>(elements * SizeOf(dtype));
        return moved;
    }
    View By(int64_t blockStride, int64_t repeatStride) const {
        return {address, dtype, blockStride, repeatStride};
    }
    View As(Dtype other) const { return {address, other, block, repeat}; }
};

/// How many elements a step takes.
struct StepExtent {
    int64_t elements = 0;
    int64_t mask = 0;  ///< of a repeat; 0: all
    int64_t repeats = -1;
};
inline StepExtent Elements(int64_t count) { return {count, 0, -1}; }
inline StepExtent Repeats(int64_t mask, int64_t repeats) { return {0, mask, repeats}; }

inline int64_t Up(int64_t value, int64_t unit) { return (value + unit - 1) / unit; }
/// `size`, or all where the scratch has no room for one.
inline int64_t Some(int64_t size, int64_t all) { return size > 0 ? size : (all > 0 ? all : 1); }

/// Lists the instructions that the library makes of one call. The functions that are made from
/// twin/library_steps.toml call it.
class StepMaker {
public:
    StepMaker(const Instruction& call, std::vector<Instruction>* steps);

    int64_t N() const { return static_cast<int64_t>(call_.elements); }
    int64_t Scratch() const { return static_cast<int64_t>(shape_.scratch); }
    int64_t Rows() const { return shape_.rows; }
    int64_t Columns() const { return shape_.columns; }
    int64_t Valid() const { return shape_.valid; }
    int64_t Once() const { return shape_.once; }
    int64_t Level() const { return shape_.level; }
    Dtype Type() const { return call_.dtype.Known() ? call_.dtype.Value() : Dtype::F32; }
    bool Has(uint32_t form) const { return (shape_.form >> form & 1) != 0; }

    /// In the order in which the call notes them, scratch left out.
    View Operand(size_t index) const;
    /// The next `elements` of the scratch.
    View Work(Dtype dtype, int64_t elements);
    /// At a place of the scratch.
    View Buffer(Dtype dtype, int64_t bytes) const;

    void Do(Opcode opcode, const StepExtent& extent, std::initializer_list<View> operands);
    void Barrier();
    void ToScalar() { Flag(Pipe::V, Pipe::S); }
    void ToVector() { Flag(Pipe::S, Pipe::V); }
    /// The scalar unit takes one element.
    void Read(const View& place);
    /// It sets one element.
    void Write(const View& place);
    /// The steps of this form are not listed.
    void Formula() { formula_ = true; }
    bool formula() const { return formula_; }

private:
    Instruction& Add(Opcode opcode, Pipe pipe);
    /// `to` waits for what `from` has done.
    void Flag(Pipe from, Pipe to);
    static void Note(Arg name, const View& view, const Runs& runs, bool write, Instruction* step);

    const Instruction& call_;
    const CallShape shape_;
    std::vector<Instruction>* const steps_;
    std::vector<View> operands_;
    uint64_t scratchBegin_ = 0;
    int64_t scratchUsed_ = 0;
    bool formula_ = false;
};

struct LibrarySteps {
    Opcode api;
    void (*make)(StepMaker& maker);
};

/// Made from twin/library_steps.toml, in the order of names.
extern const LibrarySteps kLibrarySteps[];
extern const size_t kLibraryStepsCount;

/// What the library makes of `call`; false where it is timed by a formula.
bool ListSteps(const Instruction& call, std::vector<Instruction>* steps);

}  // namespace twin::timing
