// SPDX-License-Identifier: Apache-2.0
#pragma once

// Implements template tiling in a kernel: the ASCENDC_TPL_* declarations become constant tables and
// one function that calls `kernel<arguments of instance i>`. The file that exports the kernel
// defines TWIN_KERNEL_NAME, includes the kernel source, and instantiates this function.
#include "core/kernel_export.h"
#include "core/template_tiling.h"
#include "device/types/half.h"

namespace twin::tiling {

/// The C++ type of a C_DT_* number.
template <uint64_t code>
struct TwinDataTypeOf;
#define TWIN_TPL_TYPE(CODE, TYPE) \
    template <>                   \
    struct TwinDataTypeOf<CODE> { \
        using TwinType = TYPE;    \
    }
TWIN_TPL_TYPE(0, float);
TWIN_TPL_TYPE(1, half);
TWIN_TPL_TYPE(2, int8_t);
TWIN_TPL_TYPE(3, int32_t);
TWIN_TPL_TYPE(4, uint8_t);
TWIN_TPL_TYPE(6, int16_t);
TWIN_TPL_TYPE(7, uint16_t);
TWIN_TPL_TYPE(8, uint32_t);
TWIN_TPL_TYPE(9, int64_t);
TWIN_TPL_TYPE(10, uint64_t);
TWIN_TPL_TYPE(11, double);
TWIN_TPL_TYPE(12, bool);
TWIN_TPL_TYPE(27, bfloat16_t);
TWIN_TPL_TYPE(29, AscendC::int4b_t);
#undef TWIN_TPL_TYPE

}  // namespace twin::tiling

// TWIN_TPL_EACH expands to first(0, element) for the first element and to rest(index, element) for
// the other elements. Macros passed as `first` or `rest` drop an element that is empty.
#define TWIN_TPL_PARENS ()
#define TWIN_TPL_EXPAND(...) TWIN_TPL_EXPAND3(TWIN_TPL_EXPAND3(TWIN_TPL_EXPAND3(__VA_ARGS__)))
#define TWIN_TPL_EXPAND3(...) TWIN_TPL_EXPAND2(TWIN_TPL_EXPAND2(TWIN_TPL_EXPAND2(__VA_ARGS__)))
#define TWIN_TPL_EXPAND2(...) TWIN_TPL_EXPAND1(TWIN_TPL_EXPAND1(TWIN_TPL_EXPAND1(__VA_ARGS__)))
#define TWIN_TPL_EXPAND1(...) __VA_ARGS__
#define TWIN_TPL_EACH(first, rest, element, ...) \
    TWIN_TPL_EXPAND(first(0, element) __VA_OPT__(TWIN_TPL_NEXT(rest, 0 + 1, __VA_ARGS__)))
#define TWIN_TPL_NEXT(rest, index, element, ...) \
    rest(index, element) __VA_OPT__(TWIN_TPL_AGAIN TWIN_TPL_PARENS(rest, index + 1, __VA_ARGS__))
#define TWIN_TPL_AGAIN() TWIN_TPL_NEXT

// Each ASCENDC_TPL_*_DECL macro expands to (TwinType or TwinValue, contents of a table row...).
#define TWIN_TPL_ROW(index, ...) __VA_OPT__(TWIN_TPL_ROW_ __VA_ARGS__)
#define TWIN_TPL_ROW_(spelling, name, kind, bits, ...) \
    {name, ::twin_tiling::TwinKind::kind, bits, {__VA_ARGS__}},
#define TWIN_TPL_FIRST(index, ...) __VA_OPT__(TWIN_TPL_ARGUMENT(index, TWIN_TPL_SPELL __VA_ARGS__))
#define TWIN_TPL_REST(index, ...) __VA_OPT__(, TWIN_TPL_ARGUMENT(index, TWIN_TPL_SPELL __VA_ARGS__))
#define TWIN_TPL_SPELL(spelling, ...) spelling
#define TWIN_TPL_ARGUMENT(index, spelling) TWIN_TPL_ARGUMENT_(index, spelling)
#define TWIN_TPL_ARGUMENT_(index, spelling) TWIN_TPL_##spelling(index)
#define TWIN_TPL_TwinType(index)                                                     \
    typename ::twin_tiling::TwinDataTypeOf<TwinInstances::TwinArgument(twinInstance, \
                                                                       index)>::TwinType
#define TWIN_TPL_TwinValue(index) (TwinInstances::TwinArgument(twinInstance, index))

#define ASCENDC_TPL_DTYPE_DECL(x, ...) (TwinValue, #x, TwinDtype, 8, __VA_ARGS__)
#define ASCENDC_TPL_DATATYPE_DECL(x, ...) (TwinType, #x, TwinDtype, 8, __VA_ARGS__)
#define ASCENDC_TPL_FORMAT_DECL(x, ...) (TwinValue, #x, TwinFormat, 8, __VA_ARGS__)
#define ASCENDC_TPL_UINT_DECL(x, bw, ...) (TwinValue, #x, TwinUint, bw, __VA_ARGS__)
#define ASCENDC_TPL_BOOL_DECL(x, ...) (TwinValue, #x, TwinBool, 1, __VA_ARGS__)
#define ASCENDC_TPL_KERNEL_TYPE_DECL(x, ...) (TwinValue, #x, TwinSharedKernelType, 8, __VA_ARGS__)

#define TWIN_TPL_SELECT(name, kind, ...)                        \
    {                                                           \
        name, ::twin_tiling::TwinKind::kind, 0, { __VA_ARGS__ } \
    }
#define ASCENDC_TPL_DTYPE_SEL(x, ...) TWIN_TPL_SELECT(#x, TwinDtype, __VA_ARGS__)
#define ASCENDC_TPL_DATATYPE_SEL(x, ...) TWIN_TPL_SELECT(#x, TwinDtype, __VA_ARGS__)
#define ASCENDC_TPL_FORMAT_SEL(x, ...) TWIN_TPL_SELECT(#x, TwinFormat, __VA_ARGS__)
#define ASCENDC_TPL_UINT_SEL(x, ...) TWIN_TPL_SELECT(#x, TwinUint, __VA_ARGS__)
#define ASCENDC_TPL_BOOL_SEL(x, ...) TWIN_TPL_SELECT(#x, TwinBool, __VA_ARGS__)
#define ASCENDC_TPL_SHARED_KERNEL_TYPE_SEL(x, ...) \
    TWIN_TPL_SELECT(#x, TwinSharedKernelType, __VA_ARGS__)
#define ASCENDC_TPL_KERNEL_TYPE_SEL(...) TWIN_TPL_SELECT("kernel_type", TwinKernelType, __VA_ARGS__)
#define ASCENDC_TPL_DETERMINISTIC_SEL(...) \
    TWIN_TPL_SELECT("deterministic", TwinDeterministic, __VA_ARGS__)
#define ASCENDC_TPL_TILING_STRUCT_SEL(...) TWIN_TPL_SELECT(#__VA_ARGS__, TwinStruct, 0)

#ifdef TWIN_KERNEL_NAME
// The overload with `TwinNobody` makes the compiler read `name<` as a template before the kernel is
// declared. Argument-dependent lookup of a TwinKernelArgument then finds the kernel.
#define ASCENDC_TPL_ARGS_DECL(op, ...)                                                           \
    template <int>                                                                               \
    void TWIN_KERNEL_NAME(::twin_tiling::TwinNobody);                                            \
    struct TwinTemplateDeclaration {                                                             \
        static constexpr ::twin_tiling::TwinField twinFields[] = {                               \
            TWIN_TPL_EACH(TWIN_TPL_ROW, TWIN_TPL_ROW, __VA_ARGS__)};                             \
        template <typename TwinInstances, __SIZE_TYPE__ twinInstance, typename... TwinArguments> \
        static auto TwinCall(TwinArguments... twinArguments)                                     \
            -> decltype(TWIN_KERNEL_NAME<TWIN_TPL_EACH(TWIN_TPL_FIRST, TWIN_TPL_REST,            \
                                                       __VA_ARGS__)>(twinArguments...)) {        \
            return TWIN_KERNEL_NAME<TWIN_TPL_EACH(TWIN_TPL_FIRST, TWIN_TPL_REST, __VA_ARGS__)>(  \
                twinArguments...);                                                               \
        }                                                                                        \
    };                                                                                           \
    static_assert(::twin_tiling::TwinPublish<::twin_tiling::TwinDeclarationTag,                  \
                                             TwinTemplateDeclaration>::twinDone,                 \
                  "")
#else
#define ASCENDC_TPL_ARGS_DECL(op, ...) static_assert(true, "")
#endif
#define ASCENDC_TPL_ARGS_SEL(...) \
    {                             \
        { __VA_ARGS__ }           \
    }
#define ASCENDC_TPL_SEL(...)                                                            \
    struct TwinTemplateSelection {                                                      \
        static constexpr ::twin_tiling::TwinSelection twinSelections[] = {__VA_ARGS__}; \
    };                                                                                  \
    static_assert(::twin_tiling::TwinPublish<::twin_tiling::TwinSelectionTag,           \
                                             TwinTemplateSelection>::twinDone,          \
                  "")
