// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

#include "core/byte_range.h"
#include "core/core.h"
#include "core/element_order.h"
#include "core/function_ref.h"
#include "device/types/enums.h"

namespace AscendC {

template <typename T>
class LocalTensor;
template <typename T>
class GlobalTensor;

}  // namespace AscendC

namespace twin {

/// An opcode and its pipe. The default is the pipe of the opcode in core/opcodes.def.
struct OnPipe {
    Opcode opcode;
    Pipe pipe;

    OnPipe(Opcode opcode) : OnPipe(opcode, RowOf(opcode).pipe) {}
    OnPipe(Opcode opcode, Pipe pipe) : opcode(opcode), pipe(pipe) {}
};

/// A local tensor without its element type. The precompiled functions of the twin receive it.
struct Operand {
    uint32_t address;  ///< offset of the tensor in its memory
    uint32_t bytes;    ///< number of bytes from `address` to the end of the tensor
    uint8_t position;  ///< value of AscendC::TPosition

    Operand() = default;
    Operand(uint32_t address, uint32_t bytes, uint8_t position)
        : address(address), bytes(bytes), position(position) {}
    template <typename T>
    Operand(const AscendC::LocalTensor<T>& tensor)
        : Operand(tensor.address_.bufferAddr, tensor.address_.dataLen, tensor.address_.logicPos) {}
};

/// An address in global memory, the pointer from which it was derived (`origin`), and properties
/// of the GlobalTensor.
struct GmOperand {
    uintptr_t origin;
    uintptr_t address;
    ElementType type = {};
    uint64_t declared = 0;     ///< bytes that SetGlobalBuffer declared, from `origin`; 0: none
    bool readsPastL2 = false;  ///< reads do not use L2 (CACHE_MODE_DISABLE)
    bool writesPastL2 = false;

    GmOperand() = default;
    GmOperand(uintptr_t origin, uintptr_t address) : origin(origin), address(address) {}
    template <typename T>
    GmOperand(const AscendC::GlobalTensor<T>& tensor) : GmOperand(tensor.Place(0)) {}

    GmOperand At(uint64_t offset) const {
        GmOperand place = *this;
        place.address += offset;
        return place;
    }
};

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

/// How the operands of an instruction may overlap.
enum class Overlap : uint8_t {
    ByRepeat,  ///< operands may overlap if no repeat overwrites data that a later repeat reads
    Apart,     ///< operands must not overlap
    Free,      ///< operands may overlap: the effect is defined
    InPlace,   ///< library call: operands may overlap only if they begin at the same address
    Library,   ///< library call: operands must not overlap
};

/// Returns the tensor from byte `bytes` on. Beyond the end of the tensor the result is empty; the
/// next check of the operand reports an error.
inline Operand Advance(const Operand& operand, uint64_t bytes) {
    const uint64_t left = bytes < operand.bytes ? operand.bytes - bytes : 0;
    return Operand{static_cast<uint32_t>(operand.address + bytes), static_cast<uint32_t>(left),
                   operand.position};
}

/// Returns an operand for bytes of the unified buffer that belong to no tensor of the kernel.
inline Operand UbPlace(uint64_t address, uint64_t bytes) {
    return Operand{static_cast<uint32_t>(address), static_cast<uint32_t>(bytes),
                   static_cast<uint8_t>(AscendC::TPosition::VECCALC)};
}
static_assert(static_cast<Memory>(AscendC::Hardware::UB) == Memory::Ub &&
                  static_cast<Memory>(AscendC::Hardware::FIXBUF) == Memory::Fb,
              "the two list the memories in one order");
/// Returns the memory of an AscendC::TPosition; Gm for positions without a memory.
inline Memory MemoryOf(uint8_t position) {
    return static_cast<Memory>(AscendC::GetPhyType(static_cast<AscendC::TPosition>(position)));
}
[[noreturn]] TWIN_API void RefuseMemory(const Operand& operand, Memory memory, const char* api,
                                        const char* name);
/// Fails if `operand` is not in `memory` (T401).
inline void RequireMemory(const Operand& operand, Memory memory, const char* api,
                          const char* name) {
    if (__builtin_expect(MemoryOf(operand.position) != memory, 0)) {
        RefuseMemory(operand, memory, api, name);
    }
}
[[noreturn]] TWIN_API void RefuseShort(const Operand& operand, Memory memory, uint64_t bytes,
                                       const char* api, const char* name);
/// Checks a local operand; returns its host address. This kind of core must have `memory` (T320).
/// The operand must be in `memory` (T401) and aligned (T104). The bytes must not exceed the memory
/// (T103) or the tensor (T107, strict).
inline uint8_t* CheckLocalOperand(Core& core, const Operand& operand, Memory memory, uint64_t bytes,
                                  uint32_t alignment, const char* api, const char* name) {
    RequireMemory(operand, memory, api, name);
    uint8_t* start = core.CheckLocal(memory, operand.address, bytes, alignment, api, name);
    if (__builtin_expect(bytes > operand.bytes && core.strict, 0)) {
        RefuseShort(operand, memory, bytes, api, name);
    }
    return start;
}

/// While this object exists, records of instructions contain the opcode of the library call (`api`)
/// and the sequence number of the call's first instruction. A nested Steps object has no effect.
class Steps {
public:
    Steps(Core& core, Opcode api) : core_(core), call_(core.call), begin_(core.callBegin) {
        if (core.call == Opcode::None) {
            core.call = api;
            core.callBegin = core.sequence;
        }
    }
    ~Steps() {
        core_.call = call_;
        core_.callBegin = begin_;
    }
    Steps(const Steps&) = delete;
    Steps& operator=(const Steps&) = delete;

private:
    Core& core_;
    Opcode call_;
    uint64_t begin_;
};

}  // namespace twin
