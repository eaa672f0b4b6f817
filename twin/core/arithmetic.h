// SPDX-License-Identifier: Apache-2.0
#pragma once

// For a kernel compiled with -fsanitize (compile_kernel(debug=True)): the functions that its code
// calls if arithmetic goes wrong, with the names that both compilers use. They belong to the
// kernel, so a process that contains the sanitizer's runtime changes nothing.
#include <cstdint>

#include "core/types.h"

// Handles the compilers' undefined-behaviour checks (-fsanitize without its runtime library). The
// layouts are those that both compilers write.
namespace twin {

struct ArithmeticPlace {
    const char* file;
    uint32_t line;
    uint32_t column;
};

struct ArithmeticType {
    uint16_t kind;  ///< kind of the type: 0 is a whole number, 1 a floating-point number
    /// Size: 2 log2(bits) + signed of a whole number, bits of a floating-point number.
    uint16_t info;
    char name[1];  ///< name of the type, in quotes
};

/// Data of a check of an operation on one type, a shift (value, distance), an array (its type, the
/// index) and a conversion (from, to).
struct ArithmeticData {
    ArithmeticPlace place;
    const ArithmeticType* types[2];
};

/// The result of an operation does not fit or does not exist: ends the kernel with the line, unless
/// the operation is in the twin's own headers, which are all in the folder of `header`.
///   lhs, rhs: a value of up to 64 bits itself, a larger one by its address.
TWIN_API void ArithmeticFailed(char operation, const ArithmeticData& data, void* lhs, void* rhs,
                               const char* header);

}  // namespace twin

#define TWIN_ARITHMETIC_CHECK(name, operation, rhs, ...)                                           \
    extern "C" __attribute__((visibility("hidden"))) void __ubsan_handle_##name(__VA_ARGS__) {     \
        ::twin::ArithmeticFailed(operation, *static_cast<::twin::ArithmeticData*>(data), lhs, rhs, \
                                 __FILE__);                                                        \
    }
#define TWIN_ARITHMETIC_OF_TWO(name, operation) \
    TWIN_ARITHMETIC_CHECK(name, operation, rhs, void* data, void* lhs, void* rhs)
#define TWIN_ARITHMETIC_OF_ONE(name, operation) \
    TWIN_ARITHMETIC_CHECK(name, operation, nullptr, void* data, void* lhs)

TWIN_ARITHMETIC_OF_TWO(add_overflow, '+')
TWIN_ARITHMETIC_OF_TWO(sub_overflow, '-')
TWIN_ARITHMETIC_OF_TWO(mul_overflow, '*')
TWIN_ARITHMETIC_OF_TWO(divrem_overflow, '/')
TWIN_ARITHMETIC_OF_TWO(shift_out_of_bounds, '<')
TWIN_ARITHMETIC_OF_ONE(negate_overflow, 'n')
TWIN_ARITHMETIC_OF_ONE(out_of_bounds, '[')
TWIN_ARITHMETIC_OF_ONE(float_cast_overflow, 'c')

#undef TWIN_ARITHMETIC_OF_ONE
#undef TWIN_ARITHMETIC_OF_TWO
#undef TWIN_ARITHMETIC_CHECK
