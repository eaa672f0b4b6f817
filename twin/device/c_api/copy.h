// SPDX-License-Identifier: Apache-2.0
#pragma once

// Copies of the toolkit's C API. Sizes and gaps of the plain forms count blocks of 32 B, the rest
// of a size is dropped; those of the forms with `_align` count bytes in GM.
#include <cstdint>

#include "device/c_api/vector.h"
#include "device/data_copy/data_copy.h"
#include "device/data_copy/data_copy_pad.h"

namespace twin::capi {

template <typename T>
AscendC::LocalTensor<T> Ub(void* pointer, const char* api, Location where) {
    return LocalTensorAt(static_cast<T*>(pointer), api, where);
}
template <typename T>
AscendC::GlobalTensor<T> Gm(void* pointer) {
    return GlobalTensorAt(static_cast<T*>(pointer));
}

/// Copies to GM if T is the type of the atomic mode, which the pointers do not have.
template <typename T>
bool CopyAtomic(void* dst, void* src, const AscendC::DataCopyParams& params, Location where) {
    const bool wanted = Self().atomicDtype == kDtypeOf<T>;
    if (wanted) {
        AscendC::DataCopy(Gm<T>(dst), Ub<T>(src, "asc_copy_ub2gm", where), params, where);
    }
    return wanted;
}
template <typename... T>
void CopyAs(void* dst, void* src, const AscendC::DataCopyParams& params, Location where) {
    static_cast<void>((CopyAtomic<T>(dst, src, params, where) || ...));
}

}  // namespace twin::capi

inline void asc_copy_gm2ub(void* dst, void* src, uint16_t n_burst, uint16_t len_burst,
                           uint16_t src_gap, uint16_t dst_gap, TWIN_HERE) {
    AscendC::DataCopy(::twin::capi::Ub<uint8_t>(dst, "asc_copy_gm2ub", here),
                      ::twin::capi::Gm<uint8_t>(src),
                      AscendC::DataCopyParams(n_burst, len_burst, src_gap, dst_gap), here);
}
inline void asc_copy_ub2ub(void* dst, void* src, uint16_t n_burst, uint16_t len_burst,
                           uint16_t src_gap, uint16_t dst_gap, TWIN_HERE) {
    AscendC::DataCopy(::twin::capi::Ub<uint8_t>(dst, "asc_copy_ub2ub", here),
                      ::twin::capi::Ub<uint8_t>(src, "asc_copy_ub2ub", here),
                      AscendC::DataCopyParams(n_burst, len_burst, src_gap, dst_gap), here);
}
inline void asc_copy_ub2gm(void* dst, void* src, uint16_t n_burst, uint16_t len_burst,
                           uint16_t src_gap, uint16_t dst_gap, TWIN_HERE) {
    const AscendC::DataCopyParams params(n_burst, len_burst, src_gap, dst_gap);
    if (::twin::Self().atomicOp == ::twin::AtomicOp::None) {
        AscendC::DataCopy(::twin::capi::Gm<uint8_t>(dst),
                          ::twin::capi::Ub<uint8_t>(src, "asc_copy_ub2gm", here), params, here);
    } else {
        ::twin::capi::CopyAs<float, half, bfloat16_t, int32_t, int16_t, int8_t>(dst, src, params,
                                                                                here);
    }
}

#define TWIN_C_COPY(NAME)                                                   \
    inline void NAME(void* dst, void* src, uint32_t size, TWIN_HERE) {      \
        NAME(dst, src, 1, static_cast<uint16_t>(size / 32), 0, 0, here);    \
    }                                                                       \
    inline void NAME##_sync(void* dst, void* src, uint32_t size, TWIN_HERE) \
        TWIN_C_FINISH(NAME(dst, src, size, here))
TWIN_C_COPY(asc_copy_gm2ub)
TWIN_C_COPY(asc_copy_ub2gm)
TWIN_C_COPY(asc_copy_ub2ub)

/// Copies runs of `len_burst` bytes. Each run starts at a multiple of 32 B in UB; the padding is
/// the value of asc_set_copy_pad_val.
template <typename T>
inline void asc_copy_gm2ub_align(T* dst, T* src, uint16_t n_burst, uint32_t len_burst,
                                 uint8_t left_padding_num, uint8_t right_padding_num,
                                 uint32_t src_gap, uint32_t dst_gap, TWIN_HERE) {
    const AscendC::DataCopyExtParams params(n_burst, len_burst, src_gap, dst_gap, 0);
    AscendC::DataCopyPadGm2UBImpl(
        dst, src, params,
        AscendC::DataCopyPadExtParams<T>(false, left_padding_num, right_padding_num, T{}), here);
}
template <typename T>
inline void asc_copy_gm2ub_align(T* dst, T* src, uint32_t size, TWIN_HERE) {
    asc_copy_gm2ub_align(dst, src, 1, size, 0, 0, 0, 0, here);
}
template <typename T>
inline void asc_copy_gm2ub_align_sync(T* dst, T* src, uint32_t size, TWIN_HERE)
    TWIN_C_FINISH(asc_copy_gm2ub_align(dst, src, size, here))

    /// Copies runs of `len_burst` bytes out of UB. There is no padding in GM.
    template <typename T>
    inline void asc_copy_ub2gm_align(T* dst, T* src, uint16_t n_burst, uint32_t len_burst,
                                     uint8_t left_padding_num, uint8_t right_padding_num,
                                     uint32_t src_gap, uint32_t dst_gap, TWIN_HERE) {
    (void)left_padding_num;
    (void)right_padding_num;
    const AscendC::DataCopyExtParams params(n_burst, len_burst, src_gap, dst_gap, 0);
    AscendC::DataCopyPadUB2GMImpl(dst, src, params, here);
}
template <typename T>
inline void asc_copy_ub2gm_align(T* dst, T* src, uint32_t size, TWIN_HERE) {
    asc_copy_ub2gm_align(dst, src, 1, size, 0, 0, 0, 0, here);
}
template <typename T>
inline void asc_copy_ub2gm_align_sync(T* dst, T* src, uint32_t size, TWIN_HERE)
    TWIN_C_FINISH(asc_copy_ub2gm_align(dst, src, size, here))
