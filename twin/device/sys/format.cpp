// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "device/sys/format_text.h"

namespace twin {
namespace {

using Kind = PrintValue::Kind;

constexpr const char* kIntegers = "diuxXoc";
constexpr const char* kReals = "fFeEgGaA";
constexpr int32_t kMostDigits = 10000;  ///< largest width or precision of a conversion

bool IsOneOf(const char* letters, char letter) {
    return letter != '\0' && std::strchr(letters, letter) != nullptr;
}

/// One conversion of a format, such as %-8.2f.
struct Conversion {
    std::string whole;  ///< the conversion as in the kernel's format
    std::string form;   ///< %, flags, width and precision; arguments have replaced each *
    std::string size;   ///< length modifier: hh, h, l, ll, j, z, t, L or empty
    char letter = '\0';
};

template <typename T>
std::string Printed(const Conversion& one, const char* size, T value) {
    const std::string form = one.form + size + one.letter;
    const int length = std::snprintf(nullptr, 0, form.c_str(), value);
    std::string text(length < 0 ? 0 : static_cast<size_t>(length) + 1, '\0');
    if (!text.empty()) {
        std::snprintf(&text[0], text.size(), form.c_str(), value);
        text.pop_back();
    }
    return text;
}

/// Returns an integer, cut to the size that a conversion with this length modifier prints.
int64_t Signed(const std::string& size, uint64_t bits) {
    return size.empty()   ? static_cast<int32_t>(bits)
           : size == "hh" ? static_cast<int8_t>(bits)
           : size == "h"  ? static_cast<int16_t>(bits)
                          : static_cast<int64_t>(bits);
}
uint64_t Unsigned(const std::string& size, uint64_t bits) {
    return size.empty()   ? static_cast<uint32_t>(bits)
           : size == "hh" ? static_cast<uint8_t>(bits)
           : size == "h"  ? static_cast<uint16_t>(bits)
                          : bits;
}

/// Returns the text for an argument that its conversion cannot print, such as
/// (%d for a float, 1.5; use %f).
std::string Mismatch(const Conversion& one, const PrintValue& value) {
    char text[64];
    const char* better = "%s";
    const bool wide = std::strstr(value.type, "64") != nullptr;
    switch (value.kind) {
        case Kind::Real:
            std::snprintf(text, sizeof(text), ", %g", value.real);
            better = "%f";
            break;
        case Kind::Signed:
            std::snprintf(text, sizeof(text), ", %" PRId64, static_cast<int64_t>(value.bits));
            better = wide ? "%ld" : "%d";
            break;
        case Kind::Unsigned:
            std::snprintf(text, sizeof(text), ", %" PRIu64, value.bits);
            better = wide ? "%lu" : "%u";
            break;
        case Kind::Pointer:
            std::snprintf(text, sizeof(text), ", 0x%" PRIx64, value.bits);
            better = "%p";
            break;
        case Kind::Text:
            text[0] = '\0';
            break;
    }
    const char* const article =
        std::strchr("aeiou", value.type[0]) != nullptr && std::strncmp(value.type, "ui", 2) != 0
            ? "an "
            : "a ";
    return "(" + one.whole + " for " + article + value.type + text + "; use " + better + ")";
}

/// Returns true if the conversion would cut an integer of 64 bits to 32 bits and thus print another
/// value.
bool IsCut(const Conversion& one, const PrintValue& value) {
    const uint64_t shown = one.letter == 'd' || one.letter == 'i'
                               ? static_cast<uint64_t>(Signed(one.size, value.bits))
                               : Unsigned(one.size, value.bits);
    const bool number = value.kind == Kind::Signed || value.kind == Kind::Unsigned;
    return number && one.size.empty() && std::strstr(value.type, "64") != nullptr &&
           one.letter != 'c' && shown != value.bits;
}

std::string Convert(const Conversion& one, const PrintValue& value) {
    const bool number = value.kind == Kind::Signed || value.kind == Kind::Unsigned;
    const bool address = value.kind == Kind::Pointer || value.kind == Kind::Text;
    if (IsOneOf(kIntegers, one.letter) && (number || value.kind == Kind::Pointer)) {
        if (IsCut(one, value)) {
            return Mismatch(one, value);
        }
        if (one.letter == 'c') {
            return Printed(one, "", static_cast<int>(value.bits));
        }
        return one.letter == 'd' || one.letter == 'i'
                   ? Printed(one, "ll", static_cast<long long>(Signed(one.size, value.bits)))
                   : Printed(one, "ll",
                             static_cast<unsigned long long>(Unsigned(one.size, value.bits)));
    }
    if (IsOneOf(kReals, one.letter) && value.kind == Kind::Real) {
        return Printed(one, "", value.real);
    }
    if (one.letter == 's' && value.kind == Kind::Text) {
        const auto* const text = reinterpret_cast<const char*>(value.bits);
        return Printed(one, "", text == nullptr ? "(null)" : text);
    }
    if (one.letter == 'p' && (address || number)) {
        return Printed(one, "", reinterpret_cast<const void*>(value.bits));
    }
    return Mismatch(one, value);
}

/// Reads a format and the arguments that its conversions take.
class Reader {
public:
    Reader(const char* format, PrintValues values) : next_(format), values_(values) {}

    std::string Text() {
        std::string text;
        while (*next_ != '\0') {
            const char* const percent = std::strchr(next_, '%');
            if (percent == nullptr) {
                return text + next_;
            }
            text.append(next_, static_cast<size_t>(percent - next_));
            next_ = percent;
            text += Next();
        }
        return text;
    }

private:
    /// Reads the next conversion of the format, and returns its text.
    std::string Next() {
        const char* const start = next_++;
        Conversion one;
        one.form = "%";
        tooLong_ = false;
        Take(&one.form, "-+ #0");
        TakeNumber(&one.form);
        if (*next_ == '.') {
            one.form += *next_++;
            TakeNumber(&one.form);
        }
        Take(&one.size, "hljztLq");
        one.letter = *next_;
        next_ += one.letter == '\0' ? 0 : 1;
        one.whole.assign(start, static_cast<size_t>(next_ - start));
        if (one.letter == '%') {
            return "%";
        }
        const bool known = IsOneOf(kIntegers, one.letter) || IsOneOf(kReals, one.letter) ||
                           IsOneOf("spn", one.letter);
        if (!known) {
            return one.whole;
        }
        const PrintValue* const value = Argument();
        if (tooLong_) {
            return "(" + one.whole + ": a width or precision above " + std::to_string(kMostDigits) +
                   ")";
        }
        if (one.letter == 'n') {
            return "(%n is not supported)";
        }
        return value == nullptr ? "(" + one.whole + " without an argument)" : Convert(one, *value);
    }

    void Take(std::string* to, const char* letters) {
        while (IsOneOf(letters, *next_)) {
            *to += *next_++;
        }
    }
    /// Appends a width or precision to `to`: its digits, or the argument that a * stands for.
    void TakeNumber(std::string* to) {
        if (*next_ != '*') {
            std::string digits;
            Take(&digits, "0123456789");
            Check(digits.size() > 9 ? kMostDigits + 1
                                    : static_cast<int>(std::strtol(digits.c_str(), nullptr, 10)));
            *to += digits;
            return;
        }
        ++next_;
        const PrintValue* const value = Argument();
        const bool number =
            value != nullptr && (value->kind == Kind::Signed || value->kind == Kind::Unsigned);
        const int32_t given = number ? static_cast<int32_t>(value->bits) : 0;
        Check(given);
        *to += std::to_string(given);
    }
    /// Notes a width or precision that is too large to print.
    void Check(int32_t number) { tooLong_ |= number > kMostDigits || number < -kMostDigits; }
    const PrintValue* Argument() {
        return used_ < values_.count ? &values_.values[used_++] : nullptr;
    }

    const char* next_;
    PrintValues values_;
    uint32_t used_ = 0;
    bool tooLong_ = false;  ///< the width or the precision of the current conversion is too large
};

}  // namespace

std::string FormattedText(const char* format, PrintValues values) {
    return Reader(format == nullptr ? "" : format, values).Text();
}

std::string CutText(std::string text, size_t most) {
    if (text.size() > most) {
        text.resize(most);
        text += "... (cut at " + std::to_string(most) + " bytes)";
    }
    return text;
}

}  // namespace twin
