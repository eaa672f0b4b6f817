// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

#include "core/byte_range.h"
#include "core/core.h"
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
