// SPDX-License-Identifier: Apache-2.0
#pragma once

// Macros for a kernel that includes a tiling header with BEGIN_TILING_DATA_DEF. The macros define a
// plain struct with the same bytes as the class in op_host. `using namespace optiling` makes the
// struct visible in the global namespace, where the toolkit defines the struct.
#include "core/template_tiling.h"
#include "device/sys/tiling.h"

namespace optiling {}
using namespace optiling;

namespace twin::tiling {

template <typename T>
struct TwinStructOf {
    using Type = T;
};
// The friend function below is not a template on purpose: each type has its own function.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wnon-template-friend"
#endif
/// Tag for structs that the kernel does not look up: nested structs, structs of other operators.
template <typename T>
struct TwinOtherTag {
    friend constexpr auto PublishedBy(TwinOtherTag);
};
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

template <bool first, typename A, typename B>
using TwinChoose = std::conditional_t<first, A, B>;

/// Returns true if `op` is the operator of `kernel`, as AddCustom is the operator of add_custom.
constexpr bool TwinIsOperatorOf(const char* op, const char* kernel) {
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

// Members are aligned to their size; nested structs and the whole struct are aligned to 8 bytes.
#define BEGIN_TILING_DATA_DEF(class_name) struct alignas(8) class_name {
#define TILING_DATA_FIELD_DEF(data_type, field_name) data_type field_name;
#define TILING_DATA_FIELD_DEF_ARR(arr_type, arr_size, field_name) arr_type field_name[arr_size];
#define TILING_DATA_FIELD_DEF_STRUCT(struct_type, field_name) alignas(8) struct_type field_name;
#define END_TILING_DATA_DEF \
    }                       \
    ;
#ifdef TWIN_KERNEL_NAME
// The kernel's name as text. A source file defines this text if the name could be a macro.
#ifndef TWIN_KERNEL_TEXT
#define TWIN_KERNEL_TEXT TWIN_TEXT(TWIN_KERNEL_NAME)
#define TWIN_TEXT(x) TWIN_TEXT_(x)
#define TWIN_TEXT_(x) #x
#endif
#define REGISTER_TILING_DATA_CLASS(op_type, class_name)                                            \
    static_assert(                                                                                 \
        ::twin_tiling::TwinPublish<                                                                \
            ::twin_tiling::TwinChoose<::twin_tiling::TwinIsOperatorOf(#op_type, TWIN_KERNEL_TEXT), \
                                      ::twin_tiling::TwinTilingTag,                                \
                                      ::twin_tiling::TwinOtherTag<class_name>>,                    \
            ::twin_tiling::TwinStructOf<class_name>>::twinDone,                                    \
        "");
#else
#define REGISTER_TILING_DATA_CLASS(op_type, class_name) static_assert(true, "");
#endif
