// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_CORE_LIBRARY_CALLS_H
#define TWIN_CORE_LIBRARY_CALLS_H

#include <cstddef>
#include <cstdint>

#include "core/types.h"

namespace twin {

/// An operand that a call touches for the first time behind a barrier of its own.
struct LateOperand {
    const char* name;
    uint32_t types;  ///< bit i: where the source is of type i
};

/// What the library's own barriers on the vector pipe order around a call that is one record.
struct LibraryCall {
    const char* name;
    uint32_t begins;  ///< bit i: for sources of type i, it comes after all vector instructions
    uint32_t ends;    ///< bit i: for sources of type i, vector instructions come after it
    const LateOperand* late;
    size_t lateCount;

    bool Begins(Dtype dtype) const { return (begins >> static_cast<uint32_t>(dtype) & 1) != 0; }
    bool Ends(Dtype dtype) const { return (ends >> static_cast<uint32_t>(dtype) & 1) != 0; }
    /// Whether all vector instructions before the call come before its use of `operand`.
    TWIN_API bool Late(const char* operand, Dtype dtype) const;
};

/// Made from twin/library_calls.toml, in the order of names.
extern const LibraryCall kLibraryCalls[];
extern const size_t kLibraryCallCount;

/// The row of a call of the advanced API; each has one.
TWIN_API const LibraryCall& FindLibraryCall(const char* name);

}  // namespace twin

#endif  // TWIN_CORE_LIBRARY_CALLS_H
