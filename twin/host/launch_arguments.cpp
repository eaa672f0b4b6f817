// SPDX-License-Identifier: Apache-2.0
#include "host/launch_arguments.h"

#include <cctype>
#include <initializer_list>
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

/// Returns the element type of an array; unknown for types that kernels do not have.
ElementType TypeOf(aclDataType type) {
    switch (type) {
        case ACL_FLOAT16:
            return Dtype::F16;
        case ACL_BF16:
            return Dtype::Bf16;
        case ACL_FLOAT:
            return Dtype::F32;
        case ACL_DOUBLE:
            return Dtype::F64;
        case ACL_INT8:
            return Dtype::I8;
        case ACL_UINT8:
            return Dtype::U8;
        case ACL_INT16:
            return Dtype::I16;
        case ACL_UINT16:
            return Dtype::U16;
        case ACL_INT32:
            return Dtype::I32;
        case ACL_UINT32:
            return Dtype::U32;
        case ACL_INT64:
            return Dtype::I64;
        case ACL_UINT64:
            return Dtype::U64;
        case ACL_BOOL:
            return Dtype::Bool;
        default:
            return {};
    }
}

constexpr uint32_t Bits(std::initializer_list<Dtype> dtypes) {
    uint32_t bits = 0;
    for (const Dtype dtype : dtypes) {
        bits |= 1U << static_cast<uint32_t>(dtype);
    }
    return bits;
}

// Kernels use these types also to move bytes of any meaning.
constexpr uint32_t kBytesAndShorts =
    Bits({Dtype::I8, Dtype::U8, Dtype::Bool, Dtype::I16, Dtype::U16});

/// Returns the types as which a kernel may use the elements of an array. The sign of integers does
/// not matter. NumPy has no bfloat16, so 16-bit integers may be the bits of bfloat16 numbers; two
/// int4b_t are packed in a byte, eight in an int32.
uint32_t Fitting(Dtype given) {
    switch (given) {
        case Dtype::I8:
        case Dtype::Bool:
            return Bits({Dtype::I8, Dtype::U8, Dtype::Bool, Dtype::I4});
        case Dtype::I16:
        case Dtype::U16:
            return Bits({Dtype::I16, Dtype::U16, Dtype::Bf16});
        case Dtype::I32:
        case Dtype::U32:
            return Bits({Dtype::I32, Dtype::U32, Dtype::I4});
        case Dtype::I64:
        case Dtype::U64:
            return Bits({Dtype::I64, Dtype::U64});
        default:
            return Bits({given});
    }
}

/// Returns the types as which the kernel used the array, although its elements have another type.
/// A kernel may use a type of the same width, or 8-bit and 16-bit integers, only to move elements.
/// So such a type counts only if the launch computed with elements of this type, or if the scalar
/// unit read an element of this type, with more than one byte, from the array.
uint32_t Mistaken(const GivenArray& array, uint32_t computed) {
    const Dtype given = array.dtype.Value();
    const uint32_t taken = array.taken;
    if (given == Dtype::U8 || (taken & Fitting(given)) != 0) {
        return 0;  // the array is plain bytes, or the kernel also uses it as its own type
    }
    uint32_t mistaken = 0;
    for (uint32_t i = 0; i < kDtypeCount; ++i) {
        const uint32_t bit = taken & 1U << i;
        const bool moves =
            SizeOf(static_cast<Dtype>(i)) == SizeOf(given) || (bit & kBytesAndShorts) != 0;
        const uint32_t scalars = SizeOf(static_cast<Dtype>(i)) > 1 ? array.used.load() : 0;
        mistaken |= moves ? bit & (computed | scalars) : bit;
    }
    return mistaken;
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

ArgumentTypes::ArgumentTypes(const std::vector<aclDataType>& types, const void* workspace)
    : arrays(types.size()), workspace(workspace) {
    for (size_t i = 0; i < types.size(); ++i) {
        arrays[i].dtype = TypeOf(types[i]);
    }
}

std::shared_ptr<ArgumentTypes> TakeArgumentTypes() {
    launched = std::exchange(next, nullptr);
    return launched;
}

}  // namespace twin::host

extern "C" {

aclError twinSetArgumentTypes(const aclDataType* types, size_t count, void* workspace,
                              uint64_t bytes) {
    return twin::host::Guard("twinSetArgumentTypes", [&] {
        if (types == nullptr && count > 0) {
            twin::host::Refuse(ACL_ERROR_INVALID_PARAM,
                               "twinSetArgumentTypes: types is null, expected %zu", count);
        }
        if (workspace != nullptr) {
            twin::FillWorkspace(workspace, bytes);
        }
        twin::host::next = std::make_shared<twin::host::ArgumentTypes>(
            std::vector<aclDataType>(types, types + count), workspace);
    });
}

const char* twinArgumentTakenFor(size_t index) {
    const auto& launched = twin::host::launched;
    const twin::GivenArray* const array = launched == nullptr ? nullptr : launched->Array(index);
    if (array == nullptr) {
        return nullptr;
    }
    const uint32_t types = twin::host::Mistaken(*array, launched->computed);
    return types == 0 ? nullptr : twin::Name(static_cast<twin::Dtype>(__builtin_ctz(types)));
}

}  // extern "C"
