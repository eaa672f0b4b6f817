// SPDX-License-Identifier: Apache-2.0
#include "device/issue/issue.h"

#include <cinttypes>
#include <cstdlib>
#include <string>

#include "core/core_state.h"
#include "core/launch_state.h"
#include "device/issue/range_list.h"

namespace twin {
namespace {

/// Sets a bit of a variable that all cores share. Writes nothing if the bit is already set, so that
/// the cache line of the variable stays valid in the other processors.
void SetShared(std::atomic<uint32_t>& bits, uint32_t bit) {
    if ((bits.load(std::memory_order_relaxed) & bit) == 0) {
        bits.fetch_or(bit, std::memory_order_relaxed);
    }
}

/// Notes the type as which the kernel accesses an array, and also whether the access is a read of
/// one element by the scalar unit.
void NoteTaken(GivenArray& array, ElementType type, Opcode opcode) {
    if (type.Known()) {
        const uint32_t bit = 1U << static_cast<uint32_t>(type.Value());
        SetShared(array.taken, bit);
        if (opcode == Opcode::GetValue) {
            SetShared(array.used, bit);
        }
    }
}

/// Returns true if an atomic copy of mode type `mode` combines elements of type `type` as numbers
/// of their own type. A signed type also fits unsigned numbers of its size.
bool AtomicFits(Dtype mode, ElementType type, uint32_t elementBytes) {
    const auto isFloat = [](Dtype each) {
        return each == Dtype::F32 || each == Dtype::F16 || each == Dtype::Bf16;
    };
    if (SizeOf(mode) != elementBytes || !type.Known() || type.Value() == mode) {
        return SizeOf(mode) == elementBytes;
    }
    return !isFloat(mode) && !isFloat(type.Value());
}

/// Refuses an access beyond the size that SetGlobalBuffer declared (T109).
void CheckDeclared(const Core& core, const GmOperand& place, const NotedOperand& entry,
                   const char* api) {
    const auto begin = static_cast<int64_t>(entry.begin - place.origin);
    if (begin >= 0 && static_cast<uint64_t>(begin) + entry.span <= place.declared) {
        return;
    }
    Fail("T109",
         "beyond the declared size: %s %s %" PRIu64 " B at byte %" PRId64
         " of a GlobalTensor of %" PRIu64
         " B (%s)\n  try: SetGlobalBuffer with as many elements as are touched, or without a size",
         api, entry.write ? "writes" : "reads", entry.span, begin, place.declared,
         DescribeGm(core, place.origin).c_str());
}

}  // namespace

void Issue::OrderGm(const Entry& entry) {
    if (__builtin_expect(!core_.state->cache.HasDirty() &&
                             !core_.launch->MayHoldAtomics(entry.begin, entry.span),
                         1)) {
        return;
    }
    const Runs& runs = entry.runs;
    for (uint64_t repeat = 0; repeat < runs.repeat.count; ++repeat) {
        for (uint64_t block = 0; block < runs.block.count; ++block) {
            core_.OrderGm(entry.begin + repeat * runs.repeat.stride + block * runs.block.stride,
                          runs.bytes, entry.write, api_);
        }
    }
}

void Issue::AddGm(Arg name, const GmOperand& place, const Runs& runs, bool write,
                  uint32_t alignment) {
    noted_.Add(name, Memory::Gm, place.address, runs, runs.Span(), write);
    noted_.Last().type = place.type;
    pastL2_ |= write ? place.writesPastL2 : place.readsPastL2;
    CheckGm(place, alignment);
    if (__builtin_expect(core_.pedantic && place.declared != 0, 0)) {
        CheckDeclared(core_, place, noted_.Last(), api_);
    }
}

void Issue::NoteGm(Arg name, const GmOperand& place, const Runs& runs, bool write,
                   uint32_t alignment) {
    AddGm(name, place, runs, write, alignment);
    movedByCaller_ = true;
}

void Issue::CheckGm(const GmOperand& place, uint32_t elementBytes) {
    const Entry& entry = noted_.Last();
    core_.CheckGm(place.origin, entry.begin, entry.span, entry.runs.TotalBytes(), entry.write, api_,
                  &entry.runs, place.type);
    core_.CheckGmAlignment(entry.begin, elementBytes, api_);
    if (__builtin_expect(core_.lastRange->array != nullptr, 0)) {
        NoteTaken(*core_.lastRange->array, place.type, opcode_);
    }
}

const uint8_t* Issue::Fetch(const GmOperand& place) {
    const Entry& entry = noted_.Last();
    OrderGm(entry);
    if (core_.kind == CoreKind::Aiv) {  // cube cores cannot poll: their scalar unit gets no copies
        polled_ = entry.begin;
        polledBytes_ = entry.runs.TotalBytes();
    }
    return reinterpret_cast<const uint8_t*>(place.address);
}

void Issue::TakeAtomicMode(uint32_t elementBytes) {
    atomic_ = core_.atomicOp;
    const ElementType type = noted_.Last().type;
    if (core_.atomicOp != AtomicOp::None && core_.strict &&
        !AtomicFits(core_.atomicDtype, type, elementBytes)) {
        const std::string elements =
            type.Known() ? type.Text() : "elements of " + std::to_string(elementBytes) + " B";
        Fail("T315",
             "atomic type differs: %s copies %s while the atomic mode is %s of %s\n  "
             "try: SetAtomic...<T> with the tensor's type, and SetAtomicNone after the last atomic "
             "copy",
             api_, elements.c_str(), Name(atomic_), Name(core_.atomicDtype));
    }
    Reads(Register::Atomic);
    OrderGm(noted_.Last());
}

/// Returns the element type of an operand, or no type. Library calls mix operand types, so
/// the call's type applies only if it fits the operand's size. Copies use the GM operand's type.
ElementType Issue::TypeOf(const Entry& entry) const {
    if (entry.type.Known()) {
        return entry.type;
    }
    if (dtype_.Known()) {
        const bool fits = entry.pieces || dtype_.Value() == Dtype::I4 ||
                          entry.runs.TotalBytes() == elements_ * SizeOf(dtype_.Value());
        return fits ? dtype_ : ElementType();
    }
    for (const Entry& other : noted_) {
        if (other.memory == Memory::Gm) {
            return other.type;
        }
    }
    return {};
}

/// Writes the byte ranges of the operands to the instruction's record. Shows them to the recorders
/// (such as the hazard checker) before the instruction changes the bytes.
void Issue::Collect() {
    if (core_.state->collecting) {
        std::abort();  // an instruction was issued inside the effect of another one
    }
    core_.state->collecting = collected_ = true;
    core_.state->record.pipe = pipe_;
    core_.state->record.atomic = atomic_;
    core_.state->record.movedByCaller = movedByCaller_;
    RangeList list(core_, &core_.state->record.ranges);
    for (const Entry& entry : noted_) {
        list.Start(entry.name, entry.memory, entry.write, entry.filler, TypeOf(entry));
        if (entry.pieces) {
            entry.pieces(
                [&list](uint32_t, uint64_t begin, uint64_t bytes) { list.Add(begin, bytes); });
        } else {
            list.Add(entry.begin, entry.runs);
        }
        list.Finish();
    }
    core_.ShowOperands();
}

void Issue::Report() {
    if (!collected_) {
        Collect();
    }
    Instruction& record = core_.state->record;
    record.opcode = opcode_;
    record.dtype = dtype_;
    record.repeats = repeats_;
    record.elements = elements_;
    record.reads = registersRead_;
    record.writes = registersWritten_;
    record.pastL2 = pastL2_;
    record.kind = kind_;
    record.follow = follow_;
    record.orders = noted_;
    record.active = active_;
    core_.Record();
    core_.state->collecting = collected_ = false;
}

}  // namespace twin
