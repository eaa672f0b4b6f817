// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/types.h"

namespace twin {

/// What an instruction, or a library call, is called in records: a row of core/opcodes.def.
enum class Opcode : uint16_t {
    None,
#define TWIN_OPCODE(API, ...) API,
#include "core/opcodes.def"
    Count
};
constexpr size_t kOpcodes = static_cast<size_t>(Opcode::Count);

/// What observers ask about an opcode beside its name.
enum class OpcodeKind : uint8_t {
    Other,
    Elementwise,  ///< a result comes from the elements at its own place
    Mixing,       ///< a result holds something of every element that was read
    Moving,       ///< results stand elsewhere than what they come from
    MatmulStep,   ///< a call of the Matmul library, which keeps its steps in order by itself
};

struct OpcodeRow {
    const char* name;
    Pipe pipe;
    OpcodeKind kind;
};

/// By opcode.
extern TWIN_API const OpcodeRow kOpcodeRows[kOpcodes];

inline const OpcodeRow& RowOf(Opcode opcode) { return kOpcodeRows[static_cast<size_t>(opcode)]; }
inline const char* Name(Opcode opcode) { return RowOf(opcode).name; }
inline OpcodeKind KindOf(Opcode opcode) { return RowOf(opcode).kind; }

}  // namespace twin
