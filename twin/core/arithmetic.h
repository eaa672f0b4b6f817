// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_CORE_ARITHMETIC_H
#define TWIN_CORE_ARITHMETIC_H

#include <cstdint>

#include "core/export.h"

// Handles the compilers' undefined-behaviour checks (-fsanitize without its runtime library). The
// layouts are those that both compilers write.
namespace twin {

struct ArithmeticPlace {
    const char* file;
    uint32_t line;
    uint32_t column;
};

struct ArithmeticType {
    uint16_t kind;  ///< 0: whole number, 1: floating point
    uint16_t info;  ///< whole numbers: 2 log2(bits) + signed; floating point: bits
    char name[1];   ///< in quotes
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

#endif  // TWIN_CORE_ARITHMETIC_H
