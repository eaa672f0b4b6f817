// SPDX-License-Identifier: Apache-2.0
#include "host/launch_arguments.h"

#include <cctype>
#include <utility>

#include "core/types.h"
#include "host/error.h"

namespace twin::host {
namespace {

bool Opens(char sign) { return sign == '(' || sign == '[' || sign == '{'; }
bool Closes(char sign) { return sign == ')' || sign == ']' || sign == '}'; }

std::string Trimmed(const std::string& text) {
    const size_t begin = text.find_first_not_of(" \t\n");
    return begin == std::string::npos
               ? ""
               : text.substr(begin, text.find_last_not_of(" \t\n") - begin + 1);
}

/// Returns the index of the bracket that closes the bracket at index 0; npos if there is none.
size_t CloserOfFirst(const std::string& text) {
    int depth = 0;
    for (size_t i = 0; i < text.size(); ++i) {
        depth += Opens(text[i]) ? 1 : Closes(text[i]) ? -1 : 0;
        if (depth == 0) {
            return i;
        }
    }
    return std::string::npos;
}

std::vector<std::string> Split(const std::string& arguments) {
    std::vector<std::string> parts(1);
    int depth = 0;
    for (const char sign : arguments) {
        depth += Opens(sign) ? 1 : Closes(sign) ? -1 : 0;
        if (sign == ',' && depth == 0) {
            parts.emplace_back();
        } else {
            parts.back() += sign;
        }
    }
    return parts;
}

/// Removes one type conversion or one pair of parentheses from the expression.
std::string Unwrapped(const std::string& text) {
    const size_t cast = text.find("_cast<");
    if (cast != std::string::npos && text.find_first_of("([") > cast) {
        const size_t opening = text.find(">(", cast);
        return opening == std::string::npos ? text : Trimmed(text.substr(opening + 1));
    }
    if (text.empty() || text[0] != '(') {
        return text;
    }
    const size_t close = CloserOfFirst(text);
    if (close == std::string::npos) {
        return text;
    }
    return Trimmed(close + 1 == text.size() ? text.substr(1, close - 1) : text.substr(close + 1));
}

bool IsName(const std::string& text) {
    for (const char sign : text) {
        if (std::isalnum(static_cast<unsigned char>(sign)) == 0 && sign != '_') {
            return false;
        }
    }
    return !text.empty();
}

thread_local std::shared_ptr<ArgumentTypes> next;
thread_local std::shared_ptr<ArgumentTypes> launched;

}  // namespace

std::vector<std::string> SpelledNames(const std::string& arguments, size_t count) {
    const std::vector<std::string> parts = Split(arguments);
    std::vector<std::string> names;
    for (size_t i = 0; i < count; ++i) {
        std::string name = parts.size() == count ? Trimmed(parts[i]) : "";
        for (std::string inner = Unwrapped(name); inner != name; inner = Unwrapped(name)) {
            name = inner;
        }
        names.push_back(IsName(name) ? name : std::to_string(i));
    }
    return names;
}

std::shared_ptr<ArgumentTypes> TakeArgumentTypes() {
    launched = std::exchange(next, nullptr);
    return launched;
}

}  // namespace twin::host

extern "C" {

aclError twinSetArgumentTypes(const aclDataType* types, size_t count) {
    return twin::host::Guard("twinSetArgumentTypes", [&] {
        if (types == nullptr && count > 0) {
            twin::host::Refuse(ACL_ERROR_INVALID_PARAM,
                               "twinSetArgumentTypes: types is null, expected %zu", count);
        }
        twin::host::next = std::make_shared<twin::host::ArgumentTypes>(
            std::vector<aclDataType>(types, types + count));
    });
}

const char* twinArgumentTakenFor(size_t index) {
    const auto& launched = twin::host::launched;
    if (launched == nullptr || index >= launched->takenFor.size()) {
        return nullptr;
    }
    const uint32_t types = launched->takenFor[index];
    return types == 0 ? nullptr : twin::Name(static_cast<twin::Dtype>(__builtin_ctz(types)));
}

}  // extern "C"
