// SPDX-License-Identifier: Apache-2.0
#pragma once

// Keywords and predefined macros of the device compiler. Memory qualifiers are empty here, because
// the class and the position of a tensor identify its memory.
#include <cstdint>
#include <type_traits>

#include "core/uses.h"
#include "device/types/half.h"

// With TWIN_LAUNCH_SITES, `cannery cc` finds kernels by `__twin_global__` and removes this word.
#ifdef TWIN_LAUNCH_SITES
#define __global__ __twin_global__
#else
#define __global__
#endif
#undef __aicore__
#ifdef __CCE_KT_TEST__
#define __aicore__
#else
// An attribute without effect, by which compile/scalar_counters.py finds the functions of a kernel.
#define __aicore__ __attribute__(())
#endif
// Also before [host, aicore], which compile/tokens.py replaces.
#define __forceinline__ inline
// Attributes for kernel types (newer than CANN 8.1). __mix__ gets numbers of cube and vector cores.
#define __vector__ TWIN_KERNEL_ATTRIBUTE("vector")
#define __cube__ TWIN_KERNEL_ATTRIBUTE("cube_only")
#define __mix__(aic, aiv) TWIN_KERNEL_ATTRIBUTE("mix_" #aic "_" #aiv)
#define __schedmode__(mode)
#define __gm__
// With TWIN_UB_MARKS, compile/tokens.py finds arrays in UB by this word, and removes it.
#ifdef TWIN_UB_MARKS
#define __ubuf__ __twin_ubuf__
#else
#define __ubuf__
#endif
#define __cbuf__
#define __ca__
#define __cb__
#define __cc__
#define __fbuf__
#define __sync_alias__
#define __inout_pipe__(pipe)
#define __in_pipe__(pipe)
#define __out_pipe__(pipe)
#define __tiling_data_ptr__
#define __BLOCK_LOCAL__
#define __WORKGROUP_LOCAL__
#define __kfc_workspace__

#define GM_ADDR __gm__ uint8_t*

#ifndef __CCE_AICORE__
#define __CCE_AICORE__ 220
#endif
#ifndef __NPU_ARCH__
#define __NPU_ARCH__ 2201
#endif

namespace AscendC {

using TrueType = std::true_type;
using FalseType = std::false_type;

template <typename T, typename U>
struct IsSameType : std::is_same<T, U> {};

template <bool condition, typename T1, typename T2>
struct Conditional {
    using type = typename std::conditional<condition, T1, T2>::type;
};

/// The number of bits that an element has in a tensor.
template <typename T>
struct SizeOfBits {
    static constexpr int value = twin::kElementBits<T>;
};

inline float ToFloat(const bfloat16_t& value) { return static_cast<float>(value); }

/// The newer name of ToFloat.
inline float Cast(const bfloat16_t& value) { return ToFloat(value); }

/// Converts by dropping the low 16 bits; unlike Cast with CAST_RINT, it does not round.
inline bfloat16_t ToBfloat16(const float& value) {
    return bfloat16_t::FromBits(twin::BitsOf(value) >> 16);
}

/// The newer name of ToBfloat16.
inline bfloat16_t Cast(const float& value) { return ToBfloat16(value); }

}  // namespace AscendC

namespace twin {

template <typename T>
struct DtypeOfType;
#define TWIN_DTYPE(TYPE, NAME)                      \
    template <>                                     \
    struct DtypeOfType<TYPE> {                      \
        static constexpr Dtype value = Dtype::NAME; \
    }
TWIN_DTYPE(half, F16);
TWIN_DTYPE(bfloat16_t, Bf16);
TWIN_DTYPE(float, F32);
TWIN_DTYPE(int8_t, I8);
TWIN_DTYPE(uint8_t, U8);
TWIN_DTYPE(int16_t, I16);
TWIN_DTYPE(uint16_t, U16);
TWIN_DTYPE(int32_t, I32);
TWIN_DTYPE(uint32_t, U32);
TWIN_DTYPE(int64_t, I64);
TWIN_DTYPE(uint64_t, U64);
TWIN_DTYPE(AscendC::int4b_t, I4);
TWIN_DTYPE(double, F64);
TWIN_DTYPE(bool, Bool);
#undef TWIN_DTYPE

template <typename T>
constexpr Dtype kDtypeOf = DtypeOfType<T>::value;

/// True if T has a Dtype. The elements of a GlobalTensor may also be structs, which have no Dtype.
template <typename T, typename = void>
constexpr bool kHasDtype = false;
template <typename T>
constexpr bool kHasDtype<T, std::void_t<decltype(DtypeOfType<T>::value)>> = true;

/// True if T is in `List`. API functions use it to refuse other types at compile time.
template <typename T, typename... List>
constexpr bool kOneOf = (std::is_same<T, List>::value || ...);

}  // namespace twin
