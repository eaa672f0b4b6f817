// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/core_state.h"
#include "device/issue/noted_operands.h"

namespace twin {

/// One hardware instruction, from its checks to its record. An Ascend C call makes an Issue for
/// each instruction, adds the operands to it, computes the effect, and calls Done:
///
///     Issue issue(Opcode::Mmad, CoreKind::Aic, where);
///     if (!issue) return;                                    // the other kind of core
///     uint8_t* c = issue.Write(Arg::C, dst, Memory::L0c, runs, 1024);
///     const uint8_t* a = issue.Read(Arg::A, fm, Memory::L0a, runs, 512);
///     issue.Ready();
///     ... effect on c and a ...
///     issue.Done();
///
/// Write and Read add an operand and check memory, alignment, capacity and tensor. Ready checks the
/// overlap. Done sends a record with the operands' bytes to the recorders (core/observer.h).
class TWIN_API Issue {
public:
    /// Starts an Ascend C call. If only cores of kind `onlyOn` have the call, the device compiler
    /// leaves it out for other cores. `what` may be a plain opcode, which implies the pipe.
    Issue(OnPipe what, const Location& where) : Issue(what, Self()) { core_.Begin(where); }
    Issue(OnPipe what, CoreKind onlyOn, const Location& where) : Issue(what, Self()) {
        here_ = core_.BeginOn(onlyOn, where);
    }
    /// Starts a further instruction of a call that has already begun.
    Issue(OnPipe what, Core& core)
        : core_(core), api_(Name(what.opcode)), opcode_(what.opcode), pipe_(what.pipe) {}

    /// Returns false if this kind of core does not have the instruction.
    explicit operator bool() const { return here_; }
    Core& core() const { return core_; }
    const char* api() const { return api_; }
    Opcode opcode() const { return opcode_; }
    /// Sets the name of the call in error messages; the default is the name of the opcode.
    void Called(const char* api) { api_ = api; }
    /// Sets the opcode in the record; error messages keep the call's name. `Type`, `Work`, `Reads`,
    /// `Writes` and `Atomic` set other fields of the record.
    void RecordAs(Opcode opcode) { opcode_ = opcode; }
    void Type(Dtype dtype) { dtype_ = dtype; }
    void Work(uint64_t repeats, uint64_t elements) {
        repeats_ = static_cast<uint32_t>(repeats);
        elements_ = elements;
    }
    void Reads(Register which) { registersRead_.Add(which); }
    void Writes(Register which) { registersWritten_.Add(which); }
    void Atomic(AtomicOp mode) { atomic_ = mode; }
    /// Sets the record's kind (default: record::Work). Pointers in `kind` must be valid until Done.
    template <typename Kind>
    void Is(const Kind& kind) {
        kind_ = kind;
    }
    /// Sets which elements the instruction processes (default: all). `active` must exist until
    /// Done.
    void Processes(const ActiveElements& active) { active_ = &active; }
    /// Sets the function that moves marks of uninitialised bytes. `mover` must exist until Done.
    void Follow(MarkMover mover) { follow_ = mover; }
    /// Calls `effect` to move the bytes now. `effect` may be called again to move the bytes' marks.
    /// `effect(bytes)` gets the addresses to use from `bytes.Of(memory, byte)`.
    template <typename Effect>
    void Moves(const Effect& effect) {
        effect(OwnBytes());
        Follow(effect);
    }

    /// Adds and checks an operand of `span` bytes in a local memory; returns its host address.
    /// This is inline so that the compiler writes the members of `runs` directly to the new entry.
    /// Otherwise the CPU would have to store a Runs object before it could copy the object.
    uint8_t* Access(Arg name, const Operand& place, Memory memory, const Runs& runs, uint64_t span,
                    bool write, uint32_t alignment = kBlockBytes) {
        noted_.Add(name, memory, place.address, runs, span, write);
        return CheckLocalOperand(core_, place, memory, span, alignment, api_, Name(name));
    }
    uint8_t* Write(Arg name, const Operand& place, Memory memory, const Runs& runs,
                   uint32_t alignment = kBlockBytes) {
        return Access(name, place, memory, runs, runs.Span(), true, alignment);
    }
    const uint8_t* Read(Arg name, const Operand& place, Memory memory, const Runs& runs,
                        uint32_t alignment = kBlockBytes) {
        return Access(name, place, memory, runs, runs.Span(), false, alignment);
    }
    /// Returns the operand that was added last. As() sets the type of its elements.
    NotedOperand& Last() { return noted_.Last(); }
    void As(Dtype dtype) { noted_.Last().type = dtype; }
    /// Sets the exact bytes of the last operand, if its runs cover too many bytes. Returns `start`.
    /// The callable `pieces` lists the exact bytes; it must exist until Ready returns.
    template <typename Callable>
    uint8_t* Exactly(Callable& pieces, uint8_t* start = nullptr) {
        noted_.Last().pieces = Pieces(pieces);
        return start;
    }
    template <typename Callable>
    uint8_t* Write(Arg name, const Operand& place, Memory memory, const Runs& frame, uint64_t span,
                   Callable& pieces, uint32_t alignment = kBlockBytes) {
        return Exactly(pieces, Access(name, place, memory, frame, span, true, alignment));
    }
    template <typename Callable>
    const uint8_t* Read(Arg name, const Operand& place, Memory memory, const Runs& frame,
                        uint64_t span, Callable& pieces, uint32_t alignment = kBlockBytes) {
        return Exactly(pieces, Access(name, place, memory, frame, span, false, alignment));
    }
    /// Adds an operand in a local memory that the caller has already checked.
    void Note(Arg name, Memory memory, uint64_t begin, const Runs& runs, bool write,
              bool filler = false) {
        noted_.Add(name, memory, begin, runs, runs.Span(), write, filler);
    }
    template <typename Callable>
    void Note(Arg name, Memory memory, uint64_t begin, uint64_t span, Callable& pieces,
              bool write) {
        Note(name, memory, begin, Runs{span}, write);
        Exactly(pieces);
    }
    /// Adds a read of global memory and returns its host address. Checks the bounds, and that
    /// earlier scalar writes and atomic copies to these bytes are complete.
    const uint8_t* ReadGm(Arg name, const GmOperand& place, const Runs& runs,
                          uint32_t alignment = 1) {
        AddGm(name, place, runs, false, alignment);
        return Fetch(place);
    }
    /// Adds and checks a write to GM in the core's atomic mode; the caller stores by Core::StoreGm.
    void WriteGm(Arg name, const GmOperand& place, const Runs& runs, uint32_t elementBytes,
                 uint32_t alignment) {
        AddGm(name, place, runs, true, alignment);
        TakeAtomicMode(elementBytes);
    }
    /// Adds and checks an operand in GM. The caller moves the bytes and calls Core::OrderGm.
    void NoteGm(Arg name, const GmOperand& place, const Runs& runs, bool write,
                uint32_t alignment = 1);

    /// Checks how the operands overlap (T405; T702 in library calls). Returns false only if a
    /// library call in hardware mode overwrites a source too early. Then the results of this call
    /// are undefined. All other instructions may ignore the returned value.
    bool Ready(Overlap rule = Overlap::ByRepeat) {
        const bool good = CheckOverlap(rule);
        if (__builtin_expect(core_.recording, 0)) {
            Collect();
        }
        return good;
    }
    /// Checks the overlap like Ready, but makes no record. Library calls that issue several
    /// instructions check the operands of the whole call in this way.
    bool CheckOverlap(Overlap rule = Overlap::ByRepeat);
    /// Returns true, after Ready(ByRepeat), if each repeat must read all sources before it
    /// writes: a destination overlaps a source and could overwrite elements that are read later.
    bool Mixed() const { return mixed_; }
    /// Returns true, after Ready(ByRepeat), if a destination overlaps a source.
    bool InPlace() const { return inPlace_; }
    /// Sends the record to the recorders. If a vector core polls GM, lets other cores run.
    void Done() {
        if (__builtin_expect(core_.recording, 0)) {
            Report();
        }
        if (polled_ != 0) {
            core_.NotePoll(polled_, polledBytes_);
        }
    }

private:
    using Entry = NotedOperand;
    void AddGm(Arg name, const GmOperand& place, const Runs& runs, bool write, uint32_t alignment);
    // CheckGm, Fetch and TakeAtomicMode use the operand that was added last.
    void CheckGm(const GmOperand& place, uint32_t alignment);
    const uint8_t* Fetch(const GmOperand& place);
    void TakeAtomicMode(uint32_t elementBytes);
    void OrderGm(const Entry& entry);
    bool Judge(const Entry& write, const Entry& other, Overlap rule);
    [[noreturn]] void Refuse(const Entry& write, const Entry& other, Overlap rule) const;
    void Collect();
    ElementType TypeOf(const Entry& entry) const;
    void Report();

    alignas(64) Core& core_;
    const char* api_;
    uint64_t elements_ = 0;
    uint32_t repeats_ = 0;
    Opcode opcode_;
    Pipe pipe_;
    AtomicOp atomic_ = AtomicOp::None;
    ElementType dtype_;
    bool here_ = true, collected_ = false, pastL2_ = false, mixed_ = false, inPlace_ = false;
    bool movedByCaller_ = false;  ///< the caller of NoteGm moves the bytes, before or after Done
    RegisterSet registersRead_, registersWritten_;
    uintptr_t polled_ = 0;
    uint64_t polledBytes_ = 0;
    Instruction::Kind kind_;
    MarkMover follow_;
    const ActiveElements* active_ = nullptr;
    NotedOperands noted_;
};

/// Issues an instruction without operands. Cube cores skip instructions of pipe V, which they lack.
void IssueAlone(OnPipe what, const Instruction::Kind& kind, Location where);

}  // namespace twin
