// SPDX-License-Identifier: Apache-2.0
// What an instruction costs its own core, from the table of its family.
#include <algorithm>
#include <cstring>
#include <sstream>
#include <string>

#include "timing/costs.h"
#include "timing/program.h"
#include "timing/ub_banks.h"

namespace twin::timing {
namespace {

/// `units` at so many of them a cycle.
Ticks At(const Constant& rate, uint64_t units) { return Rate(rate.value).Of(units); }
bool Is(const char* name, const char* other) { return std::strcmp(name, other) == 0; }

uint64_t Bytes(const Instruction& instruction, Memory memory, bool write) {
    uint64_t bytes = 0;
    for (const ByteRange& range : instruction.ranges) {
        if (range.memory == memory && range.write == write) {
            bytes += range.runs.TotalBytes();
        }
    }
    return bytes;
}

bool Touches(const Instruction& instruction, Memory memory) {
    return std::any_of(instruction.ranges.begin(), instruction.ranges.end(),
                       [memory](const ByteRange& range) { return range.memory == memory; });
}

double PerUnit(const VectorCost& cost, uint32_t elementBytes) {
    return elementBytes >= 4 ? cost.cycles32 : (elementBytes == 2 ? cost.cycles16 : cost.cycles8);
}

uint32_t ElementBytes(const Instruction& instruction) {
    return instruction.dtype.Known() ? std::max(1U, SizeOf(instruction.dtype.Value())) : 2;
}

/// A count form whose last repeat is not full takes longer.
bool IsRagged(const Instruction& instruction) {
    const uint64_t bytes = instruction.elements * ElementBytes(instruction);
    return instruction.repeats > 1 && bytes % kRepeatBytes != 0 &&
           bytes + kRepeatBytes > uint64_t{instruction.repeats} * kRepeatBytes;
}

void SetVector(const Instruction& i, const VectorCost& cost, Operation* operation) {
    const uint32_t elementBytes = ElementBytes(i);
    const double each = PerUnit(cost, elementBytes);
    const uint64_t units = cost.unit == Unit::Element ? i.elements : i.repeats;
    operation->head = Cycles(cost.head) + (IsRagged(i) ? Of(constant::kCounterTail) : 0);
    // Operands that meet in a bank are fetched again in every pass that the unit makes over them.
    const double passes = cost.unit == Unit::Repeat ? std::max(1.0, each) : 1.0;
    operation->conflicts = FindConflicts(i.ranges, i.repeats).Cycles() * Cycles(passes);
    operation->work = units * Cycles(each) + operation->conflicts;
}

void SetLibrary(const Instruction& i, const LibraryCost& library, Operation* operation) {
    const uint32_t elementBytes = ElementBytes(i);
    const bool casts = library.asFloats && elementBytes < sizeof(float);
    const uint64_t repeats = uint64_t{i.repeats} * (casts ? sizeof(float) / elementBytes : 1);
    std::istringstream names(library.instructions + std::string(casts ? " Cast Cast" : ""));
    std::string name;
    while (names >> name) {
        const VectorCost* cost = FindVectorCost(name.c_str());
        cost = cost == nullptr ? &UnknownVectorCost() : cost;
        operation->head += Cycles(cost->head) + Of(constant::kBarrier);
        operation->work += repeats * Cycles(PerUnit(*cost, casts ? sizeof(float) : elementBytes));
    }
}

void SetVectorPipe(const Instruction& i, Operation* operation, Basis* basis) {
    const LibraryCost* const library = i.library != nullptr ? FindLibraryCost(i.opcode) : nullptr;
    const VectorCost* const cost = i.library == nullptr ? FindVectorCost(i.opcode) : nullptr;
    if (cost != nullptr) {
        SetVector(i, *cost, operation);
    } else if (library != nullptr) {
        SetLibrary(i, *library, operation);
        *basis = Basis::Formula;
    } else if (Is(i.opcode, "DataCopy")) {
        const uint64_t bytes = Bytes(i, Memory::Ub, true);
        operation->head = Cycles(FindVectorCost("Copy")->head);
        operation->work = (bytes + kRepeatBytes - 1) / kRepeatBytes * kCycle;
    } else {
        SetVector(i, UnknownVectorCost(), operation);
        *basis = Basis::Guess;
    }
}

void SetCube(const Instruction& i, Operation* operation) {
    const bool slow = Is(i.opcode, "Mmad") && i.dtype.Known() && i.dtype.Value() == Dtype::F32;
    operation->head = Of(constant::kMmadHead);
    operation->tail = Of(constant::kMmadTail);
    operation->work = i.repeats * (slow ? Of(constant::kMmadFloat) : kCycle);
}

void SetLoad(const Instruction& i, Operation* operation) {
    operation->head = Of(constant::kLoadHead);
    operation->tail = Of(constant::kLoadTail);
    operation->work = At(constant::kLoadL0a, Bytes(i, Memory::L0a, true)) +
                      At(constant::kLoadL0b, Bytes(i, Memory::L0b, true)) +
                      At(constant::kLoadTable, Bytes(i, Memory::Bt, true)) +
                      At(constant::kLoadTable, Bytes(i, Memory::Fb, true)) +
                      At(constant::kLoadPort, Bytes(i, Memory::Ub, true));
}

void SetFixpipe(const Instruction& i, Operation* operation) {
    const uint64_t toGm = Bytes(i, Memory::Gm, true);
    operation->act = toGm != 0 ? Act::Gm : Act::Work;
    operation->head = Of(constant::kFixHead);
    operation->work = At(constant::kFixElements, i.elements);
    operation->port = std::max(operation->work, At(constant::kFixBytes, toGm));
    operation->unitFlag = i.reads.Has(Register::UnitFlags);
}

/// A copy of a library call that synchronises cores through GM: the scalar unit waits for a flag
/// and reads a word of each of the `slots`, again and again where others have to come first. (An
/// atomic one is not waited for.)
void SetHandshake(uint64_t slots, Operation* operation) {
    operation->held = true;
    operation->after = Of(constant::kFlag) + slots * Of(constant::kLocalRead);
    operation->period = Of(constant::kFlag) + operation->head + operation->port +
                        Of(constant::kL2Latency) + operation->after;
}

/// Copies by MTE2 and MTE3.
void SetCopy(const Instruction& i, Operation* operation) {
    const bool load = i.pipe == Pipe::Mte2;
    operation->head = Of(constant::kCopyHead);
    operation->row = std::strstr(i.opcode, "Nd2Nz") != nullptr ? Of(constant::kNd2NzRow) : 0;
    if (!Touches(i, Memory::Gm)) {
        const uint64_t bytes = Bytes(i, Memory::L1, true) + Bytes(i, Memory::Ub, true);
        operation->work = At(constant::kLoadPort, bytes);
        return;
    }
    const uint64_t bytes = Bytes(i, Memory::Gm, false) + Bytes(i, Memory::Gm, true);
    const Constant& store = i.core == CoreKind::Aic ? constant::kL1Port : constant::kStorePort;
    operation->act = Act::Gm;
    operation->port = At(load ? constant::kLoadPort : store, bytes);
    if (i.sync.what != CoreSync::What::None && i.atomic[0] == '\0') {
        SetHandshake(load ? bytes / kBlockBytes : 0, operation);
    }
}

void SetScalar(const Instruction& i, Operation* operation) {
    operation->act = Act::Scalar;
    if (i.crossFlagId >= 0) {
        operation->act = Act::CrossWait;
        operation->id = i.crossFlagId;
    } else if (i.sync.what == CoreSync::What::Release) {
        operation->act = Act::Tell;  // a vector core copies its message, a cube core its answer
        operation->queue = i.core == CoreKind::Aiv ? kMte3 : kFix;
    } else if (Touches(i, Memory::Gm)) {
        operation->act = Act::ScalarGm;
        operation->work =
            Bytes(i, Memory::Gm, true) != 0 ? Of(constant::kLocalWrite) : Of(constant::kLocalRead);
    } else if (Is(i.opcode, "DcciAll") || Is(i.opcode, "DcciLine")) {
        operation->work = Of(constant::kCacheClean);
    } else if (Touches(i, Memory::Ub) || Touches(i, Memory::L1)) {
        const bool write =
            std::any_of(i.ranges.begin(), i.ranges.end(), [](const auto& r) { return r.write; });
        operation->issue = 0;  // the call is in what was measured
        operation->work = std::max<uint64_t>(1, i.elements) *
                          (write ? Of(constant::kLocalWrite) : Of(constant::kLocalRead));
    } else if (i.sync.what == CoreSync::What::Acquire) {
        operation->work = Of(constant::kCacheMiss);
    } else if (std::strncmp(i.opcode, "MatmulInit", 10) == 0) {
        operation->work = Of(Is(i.opcode, "MatmulInitConst") ? constant::kMatmulStartConst
                                                             : constant::kMatmulStart);
    } else {
        operation->work = Of(constant::kScalarOther);
    }
    operation->period = Of(constant::kCacheMiss) + Of(constant::kCacheClean);
}

/// False: neither flag nor barrier.
bool SetSync(const Instruction& i, Operation* operation) {
    if (i.flagEvent >= 0) {
        operation->act = i.flagSet ? Act::SetFlag : Act::WaitFlag;
        operation->event = i.flagEvent;
        operation->id = i.flagId;
    } else if (i.pipe == Pipe::All) {
        operation->act = i.sync.what == CoreSync::What::Meet ? Act::SyncAll : Act::BarrierAll;
        operation->cores = i.sync.count;
    } else if (i.crossFlagId >= 0 && i.pipe != Pipe::S) {
        operation->act = Act::CrossSet;
        operation->id = i.crossFlagId;
        operation->mode = i.crossFlagMode;
    } else if (i.pipe != Pipe::S && (Is(i.opcode, "PipeBarrier") || Is(i.opcode, "pipe_barrier"))) {
        operation->act = Act::Barrier;
    } else {
        return false;
    }
    return true;
}

bool IsMatmulStep(const Instruction& i) {
    return std::strncmp(i.call, "Iterate", 7) == 0 || Is(i.call, "GetTensorC");
}

}  // namespace

void SetCosts(const Instruction& i, Operation* operation, Basis* basis) {
    operation->pipe = operation->queue = IndexOf(i.pipe);
    operation->sync = i.sync.what;
    operation->issue = Of(constant::kCall) + (IsMatmulStep(i) ? Of(constant::kMatmulStep) : 0);
    if (SetSync(i, operation)) {
        return;
    }
    switch (i.pipe) {
        case Pipe::V:
            return SetVectorPipe(i, operation, basis);
        case Pipe::M:
            return SetCube(i, operation);
        case Pipe::Mte1:
            return SetLoad(i, operation);
        case Pipe::Fix:
            return SetFixpipe(i, operation);
        case Pipe::S:
            return SetScalar(i, operation);
        default:
            return SetCopy(i, operation);
    }
}

}  // namespace twin::timing
