// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/core_state.h"
#include "device/issue/operand.h"

namespace twin {

/// One hardware instruction, from its checks to its record. An Ascend C call makes an Issue for
/// each instruction, notes its operands, computes its effect, and calls Done:
///
///     Issue issue(Opcode::Mmad, CoreKind::Aic, where);
///     if (!issue) return;                                    // the other kind of core
///     uint8_t* c = issue.Write(Arg::C, dst, Memory::L0c, runs, 1024);
///     const uint8_t* a = issue.Read(Arg::A, fm, Memory::L0a, runs, 512);
///     issue.Ready();
///     ... effect on c and a ...
///     issue.Done();
///
/// Write and Read check memory, alignment, capacity and tensor. Ready checks the overlap. Done
/// sends one record to the launch's observers, with exactly the noted bytes.
class TWIN_API Issue {
public:
    /// Starts an Ascend C call. If only one kind of core has it (`onlyOn`), the device compiler
    /// leaves it out on the other kind. `what` may be a plain opcode, which implies its pipe.
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

    /// Sets the name of the call in error messages; the default is the name of its opcode.
    void Called(const char* api) { api_ = api; }
    /// Sets the opcode of the record; error messages keep the name of the call. The next functions
    /// set other fields of the record.
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
    /// Sets the function that moves marks of uninitialised bytes; it must exist until Done.
    void Follow(MarkMover mover) { kind_ = record::Work{mover}; }
    /// Calls `effect` to move bytes now, and sets it as the function that moves their marks.
    /// `effect(bytes)` gets the addresses to use from `bytes.Of(memory, byte)`.
    template <typename Effect>
    void Moves(const Effect& effect) {
        effect(OwnBytes());
        Follow(effect);
    }

    /// Notes and checks an operand of `span` bytes in a local memory; returns its host address.
    /// Inline, so that the compiler stores the numbers of `runs` directly in the new entry. To copy
    /// a Runs object, the CPU would have to wait until its stores are done.
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
    /// Sets the type of the elements of the operand that was noted last.
    void As(Dtype dtype) { noted_.Last().type = dtype; }
    /// Sets the exact bytes of the operand that was noted last, if its runs cover too many bytes.
    /// `pieces`, a callable that must exist until Ready returns, lists them.
    template <typename Callable>
    void Exactly(Callable& pieces) {
        noted_.Last().pieces = Pieces(pieces);
    }
    template <typename Callable>
    uint8_t* Write(Arg name, const Operand& place, Memory memory, const Runs& frame, uint64_t span,
                   Callable& pieces, uint32_t alignment = kBlockBytes) {
        uint8_t* start = Access(name, place, memory, frame, span, true, alignment);
        Exactly(pieces);
        return start;
    }
    template <typename Callable>
    const uint8_t* Read(Arg name, const Operand& place, Memory memory, const Runs& frame,
                        uint64_t span, Callable& pieces, uint32_t alignment = kBlockBytes) {
        const uint8_t* start = Access(name, place, memory, frame, span, false, alignment);
        Exactly(pieces);
        return start;
    }
    /// Notes bytes of a local memory that the caller has checked.
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
    /// Notes a read of global memory; checks its bounds, and its order after scalar writes and
    /// atomic copies. Returns the host address.
    const uint8_t* ReadGm(Arg name, const GmOperand& place, const Runs& runs,
                          uint32_t alignment = 1) {
        AddGm(name, place, runs, false, alignment);
        return Fetch(place);
    }
    /// Notes and checks a write in the core's atomic mode; the caller stores by Core::StoreGm.
    void WriteGm(Arg name, const GmOperand& place, const Runs& runs, uint32_t elementBytes,
                 uint32_t alignment) {
        AddGm(name, place, runs, true, alignment);
        TakeAtomicMode(elementBytes);
    }
    /// Notes and checks bytes of global memory that the caller itself orders and moves.
    void NoteGm(Arg name, const GmOperand& place, const Runs& runs, bool write,
                uint32_t alignment = 1);

    /// Checks how the operands overlap (T405; T702 in library calls). Returns false only for a
    /// library call in hardware mode that overwrites a source before it has read it. Its results
    /// are then undefined. All other instructions may ignore the returned value.
    bool Ready(Overlap rule = Overlap::ByRepeat) {
        const bool good = CheckOverlap(rule);
        if (__builtin_expect(core_.recording, 0)) {
            Collect();
        }
        return good;
    }
    /// Checks the overlap without making a record. A library call that issues several instructions
    /// uses it for the operands of the whole call.
    bool CheckOverlap(Overlap rule = Overlap::ByRepeat);
    /// Returns true, after Ready(ByRepeat), if each repeat must be read completely before it is
    /// written: a destination overlaps a source and could overwrite elements that are read later.
    bool Mixed() const { return mixed_; }
    /// Returns true, after Ready(ByRepeat), if a destination overlaps a source.
    bool InPlace() const { return inPlace_; }
    /// Sends the record to the observers. If a vector core has read GM, other cores may run here.
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
    // CheckGm, Fetch and TakeAtomicMode use the operand that was noted last.
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
    bool here_ = true;
    bool collected_ = false, pastL2_ = false, mixed_ = false, inPlace_ = false;
    bool movedByCaller_ = false;  ///< the caller moves the bytes, before or after the record
    RegisterSet registersRead_, registersWritten_;
    uintptr_t polled_ = 0;
    uint64_t polledBytes_ = 0;
    Instruction::Kind kind_;
    NotedOperands noted_;
};

/// Issues an instruction without operands. Cube cores skip instructions of pipe V, which they lack.
void IssueAlone(OnPipe what, const Instruction::Kind& kind, Location where);

}  // namespace twin
