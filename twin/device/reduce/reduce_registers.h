// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/reduce/instructions.h"
#include "device/tensor/global_tensor.h"

namespace AscendC {

/// Reads the extreme value of the last WholeReduceMax or WholeReduceMin over all repeats, and the
/// index of this value, both as bits of T. After ReduceMax or ReduceMin only the value is useful.
template <typename T>
inline void GetReduceMaxMinCount(T& maxMinValue, T& maxMinIndex, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(GetReduceMaxMinCount, T, half, float);
    const ::twin::reduce::BestResult best =
        ::twin::reduce::ReadBest(::twin::Opcode::GetReduceMaxMinCount, here);
    __builtin_memcpy(&maxMinValue, &best.value, sizeof(T));
    __builtin_memcpy(&maxMinIndex, &best.index, sizeof(T));
}

/// Reads the value and the index like the overload above, but as 32-bit words.
template <typename T>
inline void GetReduceMaxMinCount(uint32_t& maxMinValue, uint32_t& maxMinIndex, TWIN_HERE) {
    const ::twin::reduce::BestResult best =
        ::twin::reduce::ReadBest(::twin::Opcode::GetReduceMaxMinCount, here);
    maxMinValue = best.value;
    maxMinIndex = best.index;
}

template <typename T>
inline void GetReduceMaxMinCount(T& /*maxMinValue*/) {
    static_assert(sizeof(T) == 0,
                  "GetReduceMaxMinCount(value) alone belongs to another chip: A2/A3 take (value, "
                  "index)");
}

/// Newer name of GetReduceMaxMinCount.
template <typename T>
inline void GetReduceRepeatMaxMinSpr(T& maxMinValue, T& maxMinIndex, TWIN_HERE) {
    GetReduceMaxMinCount<T>(maxMinValue, maxMinIndex, here);
}

/// Returns the result of the last ReduceSum with an element count, as plain bits.
inline int64_t GetAccVal(TWIN_HERE) {
    return ::twin::reduce::ReadSum(::twin::Opcode::GetAccVal, here);
}

/// Returns the result of the last ReduceSum with an element count.
template <typename T>
inline T GetAccVal(TWIN_HERE) {
    TWIN_REFUSE_DTYPE(GetAccVal, T, half, float);
    const uint32_t bits = ::twin::reduce::ReadSum(::twin::Opcode::GetAccVal, here);
    T value;
    __builtin_memcpy(&value, &bits, sizeof(T));
    return value;
}

/// Newer name of GetAccVal.
template <typename T>
inline T GetReduceRepeatSumSpr(TWIN_HERE) {
    return GetAccVal<T>(here);
}

// Public kernels call these inner functions of the toolkit, with raw pointers and the current mask.

#define TWIN_REDUCE_INTRINSICS(API)                                                               \
    template <typename T>                                                                         \
    inline void API##IntrinsicsImpl(__ubuf__ T* dst, __ubuf__ T* src, const int32_t repeat,       \
                                    const int32_t dstRepStride, const int32_t srcBlkStride,       \
                                    const int32_t srcRepStride, TWIN_HERE) {                      \
        static constexpr char kApi[] = #API "IntrinsicsImpl";                                     \
        API<T, false>(twin::LocalTensorAt(dst, kApi, here), twin::LocalTensorAt(src, kApi, here), \
                      repeat, static_cast<int32_t>(MASK_PLACEHOLDER), dstRepStride, srcBlkStride, \
                      srcRepStride, here);                                                        \
    }
TWIN_REDUCE_INTRINSICS(BlockReduceSum)
TWIN_REDUCE_INTRINSICS(BlockReduceMax)
TWIN_REDUCE_INTRINSICS(BlockReduceMin)

}  // namespace AscendC
