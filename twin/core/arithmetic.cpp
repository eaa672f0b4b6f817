// SPDX-License-Identifier: Apache-2.0
#include "core/arithmetic.h"

#include <cstdio>
#include <cstring>
#include <string>

#include "core/core.h"

namespace twin {
namespace {

using Wide = __int128;

constexpr uint16_t kWholeNumber = 0;
constexpr const char* kHeader = "core/arithmetic.h";
constexpr const char* kWayOut =
    "\n  try: compute it in int64_t, or look at where its operands come from";

uint32_t Bits(const ArithmeticType& type) {
    return type.kind == kWholeNumber ? 1U << (type.info >> 1) : type.info;
}

bool IsSigned(const ArithmeticType& type) { return (type.info & 1U) != 0; }

/// Returns the largest value of a type with at most 64 bits.
Wide Largest(const ArithmeticType& type) {
    return (Wide{1} << (Bits(type) - (IsSigned(type) ? 1 : 0))) - 1;
}
Wide Smallest(const ArithmeticType& type) { return IsSigned(type) ? -Largest(type) - 1 : 0; }

Wide ValueOf(const ArithmeticType& type, const void* handle) {
    const uint32_t bits = Bits(type);
    if (bits > 64) {
        Wide value;
        std::memcpy(&value, handle, sizeof(value));
        return value;
    }
    const uint64_t raw = reinterpret_cast<uintptr_t>(handle) << (64 - bits);
    return IsSigned(type) ? Wide{static_cast<int64_t>(raw) >> (64 - bits)}
                          : Wide{raw >> (64 - bits)};
}

std::string Text(Wide value) {
    std::string digits;
    for (Wide rest = value; rest != 0 || digits.empty(); rest /= 10) {
        const int digit = static_cast<int>(rest % 10);
        digits.insert(digits.begin(), static_cast<char>('0' + (digit < 0 ? -digit : digit)));
    }
    return value < 0 ? "-" + digits : digits;
}

std::string FloatText(const ArithmeticType& type, const void* handle) {
    char text[64];
    const uintptr_t raw = reinterpret_cast<uintptr_t>(handle);
    if (type.info == 32) {
        float value;
        std::memcpy(&value, &raw, sizeof(value));
        std::snprintf(text, sizeof(text), "%.9g", static_cast<double>(value));
    } else if (type.info == 64) {
        double value;
        std::memcpy(&value, &raw, sizeof(value));
        std::snprintf(text, sizeof(text), "%.17g", value);
    } else {
        std::snprintf(text, sizeof(text), "a number of %u bits", type.info);
    }
    return text;
}

/// Returns the part of the type's name that is in quotes; without quotes, the whole name.
std::string QuotedName(const ArithmeticType& type) {
    const std::string name = type.name;
    const size_t end = name.find('\'', 1);
    return name[0] == '\'' && end != std::string::npos ? name.substr(1, end - 1) : name;
}

std::string NameOf(const ArithmeticType& type) {
    if (type.kind == kWholeNumber) {
        return (IsSigned(type) ? "int" : "uint") + std::to_string(Bits(type)) + "_t";
    }
    return QuotedName(type);
}

std::string RangeOf(const ArithmeticType& type) {
    if (Bits(type) > 64) {
        return NameOf(type);
    }
    return NameOf(type) + " (" + Text(Smallest(type)) + " to " + Text(Largest(type)) + ")";
}

[[noreturn]] void DoesNotFit(const std::string& what, const ArithmeticType& type) {
    Fail("T510", "number does not fit its type: %s is not in %s%s", what.c_str(),
         RangeOf(type).c_str(), kWayOut);
}

/// Ends the kernel if the distance of a shift is out of range or significant bits are lost. Shifts
/// of negative numbers and shifts into the sign bit are allowed: not all compilers report them.
void CheckShift(const ArithmeticData& data, const void* lhs, const void* rhs) {
    const ArithmeticType& type = *data.types[0];
    const Wide value = ValueOf(type, lhs);
    const Wide distance = ValueOf(*data.types[1], rhs);
    if (distance < 0 || distance >= Bits(type)) {
        Fail("T511",
             "shift out of range: the kernel shifts %s by %s, expected 0 to %u\n  try: a wider "
             "type for what is shifted, or look at where the distance comes from",
             NameOf(type).c_str(), Text(distance).c_str(), Bits(type) - 1);
    }
    const Wide bound = Wide{1} << (Bits(type) > 64 ? 64 : Bits(type));
    if (Bits(type) > 64 || value > (bound - 1) >> distance || value < -(bound >> 1 >> distance)) {
        DoesNotFit(Text(value) + " << " + Text(distance), type);
    }
}

std::string ResultOf(char operation, const ArithmeticType& type, Wide left, Wide right) {
    std::string formula = Text(left) + " " + operation + " " + Text(right);
    if (Bits(type) > 64) {
        return formula;
    }
    const Wide result = operation == '+'   ? left + right
                        : operation == '-' ? left - right
                        : operation == '*' ? left * right
                                           : left / right;
    return formula + " = " + Text(result);
}

void CheckOperation(char operation, const ArithmeticData& data, const void* lhs, const void* rhs) {
    const ArithmeticType& type = *data.types[0];
    const Wide left = ValueOf(type, lhs);
    const Wide right = ValueOf(type, rhs);
    if (operation == '/' && right == 0) {
        Fail("T503", "arithmetic trap: the kernel divides %s by 0", Text(left).c_str());
    }
    DoesNotFit(ResultOf(operation, type, left, right), type);
}

}  // namespace

void ArithmeticFailed(char operation, const ArithmeticData& data, void* lhs, void* rhs,
                      const char* header) {
    const size_t folder = std::strlen(header) - std::strlen(kHeader);
    const bool own = std::strncmp(data.place.file, header, folder) != 0;
    Core* core = SelfOrNull();
    // There is no core yet while the initialisers of the kernel's constants run.
    if (!own || core == nullptr) {
        return;
    }
    core->Begin(Location{data.place.file, "", data.place.line});
    const ArithmeticType& type = *data.types[0];
    switch (operation) {
        case '<':
            CheckShift(data, lhs, rhs);
            return;
        case 'n':
            DoesNotFit("-(" + Text(ValueOf(type, lhs)) + ")", type);
        case '[':
            Fail("T512", "index outside an array: element %s of %s",
                 Text(ValueOf(*data.types[1], lhs)).c_str(), QuotedName(type).c_str());
        case 'c':
            DoesNotFit(type.kind == kWholeNumber ? Text(ValueOf(type, lhs)) : FloatText(type, lhs),
                       *data.types[1]);
        default:
            CheckOperation(operation, data, lhs, rhs);
    }
}

}  // namespace twin
