// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/core.h"
#include "device/types/dtype.h"

namespace twin {

TWIN_API void SetAtomicMode(AtomicOp op, Dtype dtype, Location where);
/// Fails with the toolkit's assertion that atomic copies do not support the element type (T442).
[[noreturn]] TWIN_API void RefuseAtomicType(const char* api, Location where);
TWIN_API void SetAtomicDtype(Dtype dtype, Location where);
/// Makes copies to GM add elements of `type`, a value of AscendC::AtomicDtype; 0 turns this off.
TWIN_API void SetAtomicConfig(uint16_t type, Location where);
TWIN_API void GetAtomicConfig(uint16_t* type, uint16_t* op, Location where);

template <typename T>
constexpr bool kAtomicType = kOneOf<T, int8_t, int16_t, half, bfloat16_t, int32_t, float>;

}  // namespace twin

namespace AscendC {

// Refuses T only at run time, because a branch that never runs may name an unsupported type.
#define TWIN_REFUSE_ATOMIC(API, T)          \
    if constexpr (!twin::kAtomicType<T>) {  \
        twin::RefuseAtomicType(#API, here); \
    }

enum class AtomicDtype {
    ATOMIC_NONE = 0,
    ATOMIC_F32,
    ATOMIC_F16,
    ATOMIC_S16,
    ATOMIC_S32,
    ATOMIC_S8,
    ATOMIC_BF16
};
enum class AtomicOp { ATOMIC_SUM = 0 };

/// Sets the element type and the operation of atomic copies to GM; ATOMIC_NONE turns them off.
template <AtomicDtype type, AtomicOp op>
inline void SetStoreAtomicConfig(TWIN_HERE) {
    twin::SetAtomicConfig(static_cast<uint16_t>(type), here);
}

inline void GetStoreAtomicConfig(uint16_t& atomicType, uint16_t& atomicOp, TWIN_HERE) {
    twin::GetAtomicConfig(&atomicType, &atomicOp, here);
}

/// Makes copies to GM store the sum, maximum or minimum of the old and the new element, until
/// SetAtomicNone is called.
#define TWIN_SET_ATOMIC(OP)                                               \
    template <typename T>                                                 \
    inline void SetAtomic##OP(TWIN_HERE) {                                \
        TWIN_REFUSE_ATOMIC(SetAtomic##OP, T);                             \
        twin::SetAtomicMode(twin::AtomicOp::OP, twin::kDtypeOf<T>, here); \
    }
TWIN_SET_ATOMIC(Add)
TWIN_SET_ATOMIC(Max)
TWIN_SET_ATOMIC(Min)
#undef TWIN_SET_ATOMIC

/// Changes the element type of atomic copies to GM, but not their operation.
template <typename T>
inline void SetAtomicType(TWIN_HERE) {
    TWIN_REFUSE_ATOMIC(SetAtomicType, T);
    twin::SetAtomicDtype(twin::kDtypeOf<T>, here);
}

inline void SetAtomicNone(TWIN_HERE) {
    twin::SetAtomicMode(twin::AtomicOp::None, twin::Dtype::F32, here);
}

/// The newer name of SetAtomicNone.
inline void DisableDmaAtomic(TWIN_HERE) { SetAtomicNone(here); }

#undef TWIN_REFUSE_ATOMIC

}  // namespace AscendC
