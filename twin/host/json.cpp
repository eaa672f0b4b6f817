// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "host/op_model.h"

namespace twin::host {
namespace {

constexpr int kDeepest = 64;

class Parser {
public:
    explicit Parser(const std::string& text) : text_(text) {}

    bool Document(Json* value) {
        if (!Value(value, 0)) {
            return false;
        }
        SkipSpace();
        return at_ == text_.size() || Expected("the end of the file");
    }
    const std::string& Error() const { return error_; }

private:
    bool Expected(const char* what) {
        const auto end = text_.begin() + static_cast<std::ptrdiff_t>(std::min(at_, text_.size()));
        error_ = "line " + std::to_string(1 + std::count(text_.begin(), end, '\n')) +
                 ": expected " + what;
        return false;
    }

    void SkipSpace() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }

    bool Take(char wanted) {
        SkipSpace();
        const bool found = at_ < text_.size() && text_[at_] == wanted;
        at_ += found ? 1 : 0;
        return found;
    }

    bool Value(Json* value, int depth) {
        if (depth > kDeepest) {
            return Expected("no deeper nesting");
        }
        if (Take('{')) {
            return Members(value, depth);
        }
        if (Take('[')) {
            return Items(value, depth);
        }
        if (Take('"')) {
            value->kind = Json::Kind::kString;
            return String(&value->text);
        }
        return Word(value);
    }

    bool Members(Json* value, int depth) {
        value->kind = Json::Kind::kObject;
        if (Take('}')) {
            return true;
        }
        do {
            if (!Take('"')) {
                return Expected("a name in quotation marks");
            }
            if (!String(&value->names.emplace_back())) {
                return false;
            }
            if (!Take(':')) {
                return Expected("':'");
            }
            if (!Value(&value->items.emplace_back(), depth + 1)) {
                return false;
            }
        } while (Take(','));
        return Take('}') || Expected("',' or '}'");
    }

    bool Items(Json* value, int depth) {
        value->kind = Json::Kind::kList;
        if (Take(']')) {
            return true;
        }
        do {
            if (!Value(&value->items.emplace_back(), depth + 1)) {
                return false;
            }
        } while (Take(','));
        return Take(']') || Expected("',' or ']'");
    }

    bool Word(Json* value) {
        SkipSpace();
        const size_t end = std::min(
            text_.find_first_not_of("+-.0123456789abcdefghijklmnopqrstuvwxyzE", at_), text_.size());
        value->text = text_.substr(at_, end - at_);
        if (value->text == "null") {
            value->kind = Json::Kind::kNull;
        } else if (value->text == "true" || value->text == "false") {
            value->kind = Json::Kind::kBool;
        } else if (IsNumber(value->text)) {
            value->kind = Json::Kind::kNumber;
        } else {
            return Expected("a value");
        }
        at_ = end;
        return true;
    }

    static bool IsNumber(const std::string& word) {
        const char* at = word.c_str();
        const auto digits = [&at] {
            const size_t count = std::strspn(at, "0123456789");
            at += count;
            return count > 0;
        };
        at += *at == '-' ? 1 : 0;
        bool good = digits();
        if (*at == '.') {
            ++at;
            good = digits() && good;
        }
        if (*at == 'e' || *at == 'E') {
            ++at;
            at += *at == '-' || *at == '+' ? 1 : 0;
            good = digits() && good;
        }
        return good && *at == '\0';
    }

    /// Parses a string after its opening quotation mark.
    bool String(std::string* text) {
        while (at_ < text_.size() && text_[at_] != '"') {
            const char c = text_[at_++];
            if (c != '\\') {
                *text += c;
            } else if (!Escape(text)) {
                return false;
            }
        }
        return Take('"') || Expected("'\"' at the end of a string");
    }

    bool Escape(std::string* text) {
        static const char kLetters[] = "\"\\/bfnrt";
        static const char kMeant[] = "\"\\/\b\f\n\r\t";
        const char c = at_ < text_.size() ? text_[at_++] : '\0';
        const char* const known = c == '\0' ? nullptr : std::strchr(kLetters, c);
        if (known != nullptr) {
            *text += kMeant[known - kLetters];
            return true;
        }
        uint32_t code = 0;
        if (c != 'u' || !Hex(&code)) {
            return Expected("an escape like \\n or \\u00e4");
        }
        uint32_t low = 0;
        const bool pair = code >= 0xD800 && code < 0xDC00 && text_.compare(at_, 2, "\\u") == 0;
        if (pair) {
            at_ += 2;
            if (!Hex(&low) || low < 0xDC00 || low > 0xDFFF) {
                return Expected("the second half of a surrogate pair");
            }
            code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        }
        AppendUtf8(code, text);
        return true;
    }

    bool Hex(uint32_t* code) {
        const std::string digits = text_.substr(std::min(at_, text_.size()), 4);
        if (digits.size() != 4 ||
            digits.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos) {
            return false;
        }
        *code = static_cast<uint32_t>(std::stoul(digits, nullptr, 16));
        at_ += 4;
        return true;
    }

    static void AppendUtf8(uint32_t code, std::string* text) {
        if (code < 0x80) {
            *text += static_cast<char>(code);
            return;
        }
        const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
        const uint32_t marks[] = {0, 0xC0, 0xE0, 0xF0};
        *text += static_cast<char>(marks[more] | (code >> (6 * more)));
        for (int i = more - 1; i >= 0; --i) {
            *text += static_cast<char>(0x80 | ((code >> (6 * i)) & 0x3F));
        }
    }

    const std::string& text_;
    size_t at_ = 0;
    std::string error_;
};

}  // namespace

const Json* Json::Find(const std::string& name) const {
    const auto found = std::find(names.begin(), names.end(), name);
    return found == names.end() ? nullptr : &items[static_cast<size_t>(found - names.begin())];
}

bool ParseJson(const std::string& text, Json* value, std::string* error) {
    *value = Json();
    Parser parser(text);
    const bool good = parser.Document(value);
    *error = parser.Error();
    return good;
}

std::string Quoted(const std::string& text) {
    std::string quoted = "\"";
    for (const char character : text) {
        const auto code = static_cast<unsigned char>(character);
        if (code < 0x20 || character == '"' || character == '\\') {
            char escaped[8];
            std::snprintf(escaped, sizeof(escaped), "\\u%04x", code);
            quoted += escaped;
        } else {
            quoted += character;
        }
    }
    return quoted + "\"";
}

std::string Number(float value) {
    char text[32];
    std::snprintf(text, sizeof(text), "%.9g", static_cast<double>(value));
    return std::isfinite(value) ? text : "null";
}

}  // namespace twin::host
