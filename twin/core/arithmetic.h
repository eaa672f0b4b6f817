// SPDX-License-Identifier: Apache-2.0
#pragma once

// Functions that a kernel compiled with -fsanitize (compile_kernel(debug=True)) calls if arithmetic
// goes wrong. The names are fixed by GCC and Clang. The functions are compiled into the kernel, so
// the kernel does not call the sanitizer runtime of the process.
#include <cstdint>

#include "core/types.h"

// The structs below have the layout of the data that GCC and Clang write for checks of -fsanitize.
namespace twin {

struct ArithmeticPlace {
    const char* file;
    uint32_t line;
    uint32_t column;
};

struct ArithmeticType {
    uint16_t kind;  ///< kind of the type: 0 is a whole number, 1 a floating-point number
    /// Whole number: 2 * log2(number of bits), plus 1 if signed. Floating-point: number of bits.
    uint16_t info;
    char name[1];  ///< name of the type, in quotes
};

/// Data of one check. `types` has the type of the operands; for a shift, the types of value and
/// distance; for an array, the types of array and index; for a conversion, the old and new type.
struct ArithmeticData {
    ArithmeticPlace place;
    const ArithmeticType* types[2];
};

/// Ends the kernel with an error, because the result of an operation does not fit its type or does
/// not exist. Does nothing for operations in the twin's own headers.
///   lhs, rhs: the operand itself if it has at most 64 bits, otherwise its address.
///   header: the path of core/arithmetic.h; it shows the folder of the twin's headers.
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
