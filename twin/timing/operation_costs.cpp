// SPDX-License-Identifier: Apache-2.0
// Computes the cost of an instruction on its own core, from the constants of architecture 2201.
#include <algorithm>

#include "timing/costs.h"
#include "timing/hbm.h"
#include "timing/program.h"

namespace twin::timing {
namespace {

/// Returns the time for `units` at `rate` units per cycle.
Ticks At(const Constant& rate, uint64_t units) { return Rate(rate.value).Of(units); }

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

/// Returns the number of runs of 256 B that the instruction reads; each repeat reads at least one.
uint64_t RunCount(const Instruction& i, uint32_t elementBytes) {
    const uint64_t runs = (i.elements * elementBytes + kRepeatBytes - 1) / kRepeatBytes;
    return std::max<uint64_t>(runs, i.repeats);
}

void SetVector(const Instruction& i, const VectorCost& cost, Operation* operation) {
    const uint32_t elementBytes = ElementBytes(i);
    const double each = PerUnit(cost, elementBytes);
    const bool runs = cost.unit == Unit::Run;
    const uint64_t units = cost.unit == Unit::Element ? i.elements
                           : runs                     ? RunCount(i, elementBytes)
                                                      : i.repeats;
    operation->head = Cycles(cost.head);
    // A slow instruction makes several passes over its operands, each with these bank conflicts.
    const double passes = cost.unit == Unit::Repeat ? std::max(1.0, each) : 1.0;
    operation->conflicts = FindConflicts(i.ranges, i.repeats).Cycles() * Cycles(passes);
    operation->work = units * Cycles(each) + operation->conflicts +
                      (runs ? i.repeats * Of(constant::kRunStart) : 0);
}

void SetLibrary(const Instruction& i, const LibraryCost& library, Operation* operation) {
    const uint32_t elementBytes = ElementBytes(i);
    const bool casts = library.asFloats && elementBytes < sizeof(float);
    const uint64_t repeats = uint64_t{i.repeats} * (casts ? sizeof(float) / elementBytes : 1);
    const auto add = [&](Opcode opcode) {
        const VectorCost& cost = *FindVectorCost(opcode);
        operation->head += Cycles(cost.head) + Of(constant::kBarrier);
        operation->work += repeats * Cycles(PerUnit(cost, casts ? sizeof(float) : elementBytes));
    };
    for (const Opcode opcode : library.instructions) {
        if (opcode != Opcode::None) {
            add(opcode);
        }
    }
    if (casts) {
        add(Opcode::Cast);
        add(Opcode::Cast);
    }
}

void SetVectorPipe(const Instruction& i, Operation* operation, Basis* basis) {
    operation->issue = Of(constant::kVectorCall);
    const bool call = i.As<record::Call>() != nullptr;
    const LibraryCost* const library = call ? FindLibraryCost(i.opcode) : nullptr;
    const VectorCost* const cost = call ? nullptr : FindVectorCost(i.opcode);
    if (cost != nullptr) {
        SetVector(i, *cost, operation);
    } else if (library != nullptr) {
        SetLibrary(i, *library, operation);
        *basis = Basis::Formula;
    } else if (i.opcode == Opcode::DataCopy) {
        const uint64_t bytes = Bytes(i, Memory::Ub, true);
        operation->head = Cycles(FindVectorCost(Opcode::Copy)->head);
        operation->work = (bytes + kRepeatBytes - 1) / kRepeatBytes * kCycle;
    } else {
        SetVector(i, UnknownVectorCost(), operation);
        *basis = Basis::Guess;
    }
}

void SetCube(const Instruction& i, Operation* operation) {
    const bool slow = i.opcode == Opcode::Mmad && i.dtype.Known() && i.dtype.Value() == Dtype::F32;
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

/// Sets the costs of a copy by which a library call synchronises cores through GM. The scalar unit
/// waits for the end of the copy and reads one word of each of the `slots` blocks. `period` becomes
/// the time of one poll (copy and reads). Not called for atomic copies: no core waits for them.
void SetHandshake(uint64_t slots, Operation* operation) {
    operation->held = true;
    operation->after = Of(constant::kFlag) + slots * Of(constant::kLocalRead);
    operation->period = Of(constant::kFlag) + operation->head + operation->port +
                        Of(constant::kL2Latency) + operation->after;
}

/// Sets the costs of a copy by MTE2 or MTE3.
void SetCopy(const Instruction& i, Operation* operation) {
    const bool load = i.pipe == Pipe::Mte2;
    operation->head = Of(constant::kCopyHead);
    operation->issue += i.opcode == Opcode::DataCopyPad ? Of(constant::kPadCall) : 0;
    operation->row = i.opcode == Opcode::DataCopyNd2Nz ? Of(constant::kNd2NzRow) : 0;
    if (!Touches(i, Memory::Gm)) {
        const uint64_t bytes = Bytes(i, Memory::L1, true) + Bytes(i, Memory::Ub, true);
        operation->work = At(constant::kLoadPort, bytes);
        return;
    }
    const uint64_t bytes = Bytes(i, Memory::Gm, false) + Bytes(i, Memory::Gm, true);
    const Constant& store = i.core == CoreKind::Aic ? constant::kL1Port : constant::kStorePort;
    operation->act = Act::Gm;
    operation->port = At(load ? constant::kLoadPort : store, bytes);
    if (i.As<record::Meeting>() != nullptr && i.atomic == AtomicOp::None) {
        SetHandshake(load ? bytes / kBlockBytes : 0, operation);
    }
}

/// Returns the time between two polls of a scalar unit that waits for another core.
Ticks ScalarPeriod() { return Of(constant::kCacheMiss) + Of(constant::kCacheClean); }

constexpr uint64_t kWordsInLine = 8;  ///< words of 8 B in a line of the scalar unit's data cache

/// Sets the costs of an instruction of the scalar unit, without its waits for other cores.
void SetScalarWork(const Instruction& i, Operation* operation) {
    if (i.opcode == Opcode::GetTilingData) {
        operation->act = Act::ScalarGm;
        operation->startup = Startup::Tiling;
        // A vector core copies the data to UB. A cube core reads them through its data cache.
        const uint64_t misses = i.core == CoreKind::Aic ? (i.elements - 1) / kWordsInLine : 0;
        operation->work =
            i.elements * Of(constant::kTilingWord) + misses * Of(constant::kCacheMiss);
    } else if (Touches(i, Memory::Gm)) {
        operation->act = Act::ScalarGm;
        operation->work =
            Bytes(i, Memory::Gm, true) != 0 ? Of(constant::kLocalWrite) : Of(constant::kLocalRead);
    } else if (Touches(i, Memory::Ub) || Touches(i, Memory::L1)) {
        const bool write =
            std::any_of(i.ranges.begin(), i.ranges.end(), [](const auto& r) { return r.write; });
        operation->issue = 0;  // the measured `work` includes the issue
        operation->work = std::max<uint64_t>(1, i.elements) *
                          (write ? Of(constant::kLocalWrite) : Of(constant::kLocalRead));
    } else if (i.Syncs() == CoreSync::What::Acquire) {
        operation->work = Of(constant::kCacheMiss);
    } else if (i.opcode == Opcode::InitPipe) {
        operation->startup = Startup::Pipe;
        operation->work = Of(constant::kPipeInit);
    } else if (i.opcode == Opcode::InitBuffer) {
        operation->startup = Startup::Pipe;
        operation->work = i.elements * Of(constant::kBufferInit);
    } else if (i.opcode == Opcode::MatmulInit || i.opcode == Opcode::MatmulInitConst) {
        operation->startup = Startup::Matmul;
        operation->code = static_cast<uint16_t>(constant::kCodeMatmul.value);
        operation->work = Of(i.opcode == Opcode::MatmulInit ? constant::kMatmulStart
                                                            : constant::kMatmulStartConst);
    } else if (i.opcode == Opcode::ICachePreLoad) {
        operation->act = Act::Preload;
        operation->count = static_cast<uint32_t>(i.elements);
        operation->work = Of(constant::kScalarOther);
    } else {
        operation->work = Of(constant::kScalarOther);
    }
}

/// Sets the costs of an instruction if they depend on its pipe, not on its Instruction::Kind.
void SetWork(const Instruction& i, Operation* operation, Basis* basis) {
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
            operation->act = Act::Scalar;
            operation->period = ScalarPeriod();
            return SetScalarWork(i, operation);
        default:
            return SetCopy(i, operation);
    }
}

/// Sets the costs of an instruction according to its Instruction::Kind.
struct KindCost {
    const Instruction& i;
    Operation* operation;
    Basis* basis;

    template <typename Kind>
    void operator()(const Kind&) const {
        SetWork(i, operation, basis);
    }
    void operator()(const record::Flag& flag) const {
        operation->act = flag.set ? Act::SetFlag : Act::WaitFlag;
        operation->issue = Of(constant::kFlagCall);
        operation->event = flag.event;
        operation->id = flag.id;
    }
    void operator()(const record::CrossFlag& flag) const {
        operation->id = flag.id;
        operation->act = i.pipe == Pipe::S ? Act::CrossWait : Act::CrossSet;
        operation->mode = i.pipe == Pipe::S ? int8_t{-1} : flag.mode;
        operation->period = i.pipe == Pipe::S ? ScalarPeriod() : 0;
    }
    void operator()(const record::Barrier&) const {
        if (i.pipe == Pipe::S) {
            return SetWork(i, operation, basis);
        }
        operation->act = i.pipe == Pipe::All ? Act::BarrierAll : Act::Barrier;
    }
    void operator()(const record::CacheClean&) const {
        SetWork(i, operation, basis);
        operation->work = Of(constant::kCacheClean);
    }
    void operator()(const record::Meeting& meeting) const {
        const CoreSync::What what = meeting.sync.what;
        if (i.pipe == Pipe::All) {
            operation->act = what == CoreSync::What::Meet ? Act::SyncAll : Act::BarrierAll;
            operation->count = meeting.sync.count;
            return;
        }
        if (i.pipe != Pipe::S || what != CoreSync::What::Release) {
            return SetWork(i, operation, basis);
        }
        operation->act = Act::Tell;  // a vector core copies a request, a cube core copies a reply
        operation->queue = i.core == CoreKind::Aiv ? kMte3 : kFix;
        operation->period = ScalarPeriod();
    }
};

/// Returns the time of an operation of the kernel's source, on average.
Ticks Price(const Constant& cycles) { return Cycles(cycles.value * constant::kScalarFolded.value); }

const Ticks kSimple = Price(constant::kScalarSimple);
const Ticks kMemory = Price(constant::kScalarMemory);
const Ticks kBranch = Price(constant::kScalarBranch);
const Ticks kMultiply = Price(constant::kScalarMultiply);
const Ticks kDivide32 = Price(constant::kScalarDivide32);
const Ticks kDivide64 = Price(constant::kScalarDivide64);
const Ticks kDivideFloat = Price(constant::kScalarDivideFloat);

}  // namespace

Ticks PriceOf(const ScalarWork& work) {
    return work.Simple() * kSimple + work.Memory() * kMemory + work.Branch() * kBranch +
           work.Multiply() * kMultiply + work.divide32 * kDivide32 + work.divide64 * kDivide64 +
           work.divideFloat * kDivideFloat + work.queueCalls * Of(constant::kQueueCall);
}

void SetCosts(const Instruction& i, Operation* operation, Basis* basis) {
    operation->pipe = operation->queue = IndexOf(i.pipe);
    operation->sync = i.Syncs();
    operation->code = static_cast<uint16_t>(constant::kCodeCall.value);
    operation->issue = Of(constant::kCall) +
                       (KindOf(i.call) == OpcodeKind::MatmulStep ? Of(constant::kMatmulStep) : 0);
    std::visit(KindCost{i, operation, basis}, i.kind);
}

}  // namespace twin::timing
