// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_CORE_ARITHMETIC_CHECKS_H
#define TWIN_CORE_ARITHMETIC_CHECKS_H

// For a kernel compiled with -fsanitize (compile_kernel(debug=True)): the functions that its code
// calls if arithmetic goes wrong, with the names that both compilers use. They belong to the
// kernel, so a process that contains the sanitizer's runtime changes nothing.
#include "core/arithmetic.h"

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

#endif  // TWIN_CORE_ARITHMETIC_CHECKS_H
