// SPDX-License-Identifier: Apache-2.0
#pragma once

// A kernel includes a tiling header in the macro form: it becomes a plain struct with the same
// bytes as the class in op_host. The toolkit generates such a struct in the global namespace;
// tiling headers are in `optiling`.
#include "core/template_tiling.h"
#include "device/sys/tiling.h"

namespace optiling {}
using namespace optiling;

namespace twin::tiling {

template <typename T>
struct StructOf {
    using Type = T;
};
// There is one function per type on purpose.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wnon-template-friend"
#endif
/// Ignores structs that are registered for other operators, or as a part.
template <typename T>
struct OtherTag {
    friend constexpr auto PublishedBy(OtherTag);
};
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

/// Returns true if AddCustom is the operator of kernel add_custom.
constexpr bool IsOperatorOf(const char* op, const char* kernel) {
    const auto lower = [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    };
    while (*op != '\0' || *kernel != '\0') {
        if (*kernel == '_') {
            ++kernel;
        } else if (lower(*op++) != *kernel++) {
            return false;
        }
    }
    return true;
}

}  // namespace twin::tiling

// Members are aligned to their size, nested structs and the total to 8 bytes.
#define BEGIN_TILING_DATA_DEF(class_name) struct alignas(8) class_name {
#define TILING_DATA_FIELD_DEF(data_type, field_name) data_type field_name;
#define TILING_DATA_FIELD_DEF_ARR(arr_type, arr_size, field_name) arr_type field_name[arr_size];
#define TILING_DATA_FIELD_DEF_STRUCT(struct_type, field_name) alignas(8) struct_type field_name;
#define END_TILING_DATA_DEF \
    }                       \
    ;
#ifdef TWIN_KERNEL_NAME
// A macro of that name would be expanded in the text, so the caller passes the text itself.
#ifndef TWIN_KERNEL_TEXT
#define TWIN_KERNEL_TEXT TWIN_TEXT(TWIN_KERNEL_NAME)
#define TWIN_TEXT(x) TWIN_TEXT_(x)
#define TWIN_TEXT_(x) #x
#endif
#define REGISTER_TILING_DATA_CLASS(op_type, class_name)                                          \
    static_assert(                                                                               \
        ::twin::tiling::Publish<                                                                 \
            std::conditional_t<::twin::tiling::IsOperatorOf(#op_type, TWIN_KERNEL_TEXT),         \
                               ::twin::tiling::TilingTag, ::twin::tiling::OtherTag<class_name>>, \
            ::twin::tiling::StructOf<class_name>>::kDone,                                        \
        "");
#else
#define REGISTER_TILING_DATA_CLASS(op_type, class_name) static_assert(true, "");
#endif
