// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/opcodes.h"
#include "core/types.h"

namespace twin {

/// Where something holds: for these types of the source, and these forms (CallShape::form).
struct Condition {
    uint32_t types;   ///< bit i: for sources of type i
    uint32_t unless;  ///< forms for which it does not

    bool Holds(Dtype dtype, uint32_t form) const {
        return (types >> static_cast<uint32_t>(dtype) & 1) != 0 && (form & unless) == 0;
    }
};

/// An operand that a call touches for the first time behind a barrier of its own.
struct LateOperand {
    Arg name;
    Condition when;
};

/// What the library's own barriers on the vector pipe order around a call that is one record.
struct LibraryCall {
    Opcode name;
    Condition begins;  ///< it comes after all vector instructions
    Condition ends;    ///< vector instructions come after it
    const LateOperand* late;
    size_t lateCount;

    /// Whether all vector instructions before the call come before its use of `operand`.
    TWIN_API bool Late(Arg operand, Dtype dtype, uint32_t form) const;
};

/// Made from twin/library_calls.toml, in the order of opcodes.
extern const LibraryCall kLibraryCalls[];
extern const size_t kLibraryCallCount;

/// The row of a call of the advanced API; each has one, which a test of the sources asks for.
TWIN_API const LibraryCall& FindLibraryCall(Opcode name);

}  // namespace twin
