// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_ISSUE_OPERAND_H
#define TWIN_DEVICE_ISSUE_OPERAND_H

#include <algorithm>
#include <cstdint>

#include "core/core.h"

namespace twin {

/// A local tensor without its type: what the precompiled part of every instruction takes.
struct Operand {
    uint32_t address;  ///< offset in its memory
    uint32_t bytes;    ///< from here to the end of the tensor
    uint8_t position;  ///< AscendC::TPosition
};

/// A place in global memory, where the pointer it was derived from points, and the elements of the
/// tensor that names it.
struct GmOperand {
    uintptr_t origin;
    uintptr_t address;
    ElementType type = {};
};

/// The tensor from byte `bytes` on; beyond its end nothing is left, and the next check says so.
inline Operand Advance(const Operand& operand, uint64_t bytes) {
    const uint64_t left = operand.bytes - std::min<uint64_t>(bytes, operand.bytes);
    return Operand{static_cast<uint32_t>(operand.address + bytes), static_cast<uint32_t>(left),
                   operand.position};
}

/// Bytes of the unified buffer that no tensor of the kernel names.
TWIN_API Operand UbPlace(uint64_t address, uint64_t bytes);
/// The memory that an AscendC::TPosition lies in; Gm for those that have none.
TWIN_API Memory MemoryOf(uint8_t position);
/// Fails when `operand` is not in `memory` (T401).
TWIN_API void RequireMemory(const Operand& operand, Memory memory, const char* api,
                            const char* name);
/// The one check of a local address: in `memory` (T401), which this kind of core has (T320),
/// aligned (T104), inside it (T103) and inside its tensor (T107, strict). Its host address.
TWIN_API uint8_t* CheckLocalOperand(Core& core, const Operand& operand, Memory memory,
                                    uint64_t bytes, uint32_t alignment, const char* api,
                                    const char* name);

}  // namespace twin

#endif  // TWIN_DEVICE_ISSUE_OPERAND_H
