// SPDX-License-Identifier: Apache-2.0
#pragma once

// Counters of the scalar unit's operations. compile/scalar_counters.py adds a statement to each
// straight-line block in a copy of the kernel's source:
//     for (...) { sum += a / b; }      becomes
//     for (...) { ::twin::ScalarCounters().simpleMemory += 4U; ...
//                 sum += a / (::twin::CountDivision<...>(), b); }
// The comma leaves the divisor what it was: a variable, a bit field, a constant.
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

/// True for numbers, also half and bfloat16.
template <typename T>
constexpr bool IsNumber() {
    if constexpr (std::is_class_v<T>) {
        return sizeof(T) == sizeof(uint16_t);
    }
    return std::is_arithmetic_v<T> || std::is_enum_v<T>;
}

/// Has the type of a quotient of numbers; otherwise void, because the operator of a class is a
/// function with counts of its own.
template <typename A, typename B>
constexpr auto TwinQuotient(const A& dividend, const B& divisor, int)
    -> std::enable_if_t<IsNumber<A>() && IsNumber<B>(), decltype(dividend / divisor)>;
template <typename A, typename B>
constexpr void TwinQuotient(const A& dividend, const B& divisor, long);

/// Counts a division whose result has the type T. `constant` is true if the divisor is a constant
/// of the language; then the device compiler makes shifts and multiplications of a division of
/// integers, which TwinCount has counted.
template <bool constant, typename T>
TWIN_COUNTER void CountDivision() {
    if constexpr (!std::is_void_v<T> && !(constant && std::is_integral_v<T>)) {
        if (!__builtin_is_constant_evaluated()) {
            ScalarWork& work = ScalarCounters();
            ++(!std::is_integral_v<T>         ? work.divideFloat
               : sizeof(T) > sizeof(uint32_t) ? work.divide64
                                              : work.divide32);
        }
    }
}

}  // namespace twin

#undef TWIN_COUNTER
