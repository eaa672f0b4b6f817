// SPDX-License-Identifier: Apache-2.0
#pragma once

// Counters of the scalar unit's operations. compile/scalar_counters.py adds a statement to each
// straight-line block in a copy of the kernel's source:
//     for (...) { sum += a / b; }      becomes
//     for (...) { ::twin::ScalarCounters().simpleMemory += 4U; ...
//                 sum += a / ::twin::TwinDivisor<...>(b); }
// In lambdas and constexpr functions, the statement calls TwinCount, which counts nothing while the
// compiler evaluates a constant.
#include <cstdint>
#include <type_traits>

#include "core/scalar_work.h"
#include "core/types.h"

/// For functions that debuggers do not show and that are part of their caller at every -O.
#define TWIN_COUNTER __attribute__((__always_inline__, __artificial__)) inline constexpr

namespace twin {

/// Returns the counters of the core that runs on this thread. During one call of a function of the
/// kernel, the core and so the result stay the same. The attribute tells this to the compiler.
__attribute__((__const__)) TWIN_API ScalarWork& ScalarCounters();

/// Counts operations by kind.
TWIN_COUNTER void TwinCount(uint32_t simple, uint32_t memory, uint32_t multiply, uint32_t branch) {
    if (!__builtin_is_constant_evaluated()) {
        ScalarWork& work = ScalarCounters();
        work.simpleMemory += uint64_t{memory} << 32 | simple;
        work.branchMultiply += uint64_t{multiply} << 32 | branch;
    }
}

/// Notes that a function runs whose operations are not counted.
TWIN_COUNTER void TwinNotCounted(TWIN_HERE) {
    if (!__builtin_is_constant_evaluated()) {
        ScalarCounters().uncounted = here.file;
    }
}

/// Has the type of a quotient; if there is none, that of the divisor.
template <typename A, typename B>
constexpr auto TwinQuotient(const A& dividend, const B& divisor,
                            int) -> decltype(dividend / divisor);
template <typename A, typename B>
constexpr B TwinQuotient(const A& dividend, const B& divisor, long);

/// Counts a division whose result has the type T. `constant` is true if the divisor is a constant
/// of the language; then the device compiler makes shifts and multiplications of the division,
/// which TwinCount has counted. Divisions of tensors are no work of the scalar unit.
template <bool constant, typename T>
TWIN_COUNTER void CountDivision() {
    if constexpr (!constant && sizeof(T) <= sizeof(uint64_t)) {
        if (!__builtin_is_constant_evaluated()) {
            ScalarWork& work = ScalarCounters();
            ++(!std::is_integral_v<T>         ? work.divideFloat
               : sizeof(T) > sizeof(uint32_t) ? work.divide64
                                              : work.divide32);
        }
    }
}

/// Returns the divisor of a division. The division itself stays in the kernel's source, so that
/// errors of a division have the line and the numbers of the kernel.
template <bool constant, typename Result, typename T>
TWIN_COUNTER std::enable_if_t<!std::is_class_v<T>, T> TwinDivisor(T value) {
    CountDivision<constant, Result>();
    return value;
}
template <bool constant, typename Result, typename T>
TWIN_COUNTER std::enable_if_t<std::is_class_v<T>, const T&> TwinDivisor(const T& value) {
    CountDivision<constant, Result>();
    return value;
}

}  // namespace twin

#undef TWIN_COUNTER
