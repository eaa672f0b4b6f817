// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/library/tmp.h"
#include "device/vec/shapes.h"

namespace twin::reduce {

/// A call that computes one sum or mean per row, and stores these results side by side.
struct RowReduction {
    Opcode api;
    Dtype dtype;
    bool mean;
    bool wide;  ///< sums of half are computed in float
    uint32_t rows;
    uint32_t pitch;  ///< distance between rows, in elements
    uint32_t count;  ///< number of elements of a row that are summed up
};

TWIN_API void RunRows(const RowReduction& what, const Operand& dst, const Operand& src,
                      const advanced::Tmp& tmp, Location where);
TWIN_API void RunXorSum(const Operand& dst, const Operand& src0, const Operand& src1,
                        const advanced::Tmp& tmp, uint32_t count, bool reuse, Location where);

}  // namespace twin::reduce

namespace AscendC {

/// Shape of src: `outter` rows; a row begins every `inner` elements (a multiple of 32 B). The first
/// `n` elements of each row are summed up.
struct SumParams {
    uint32_t outter = 1;
    uint32_t inner;
    uint32_t n;
};
struct MeanParams {
    uint32_t outter = 1;
    uint32_t inner;
    uint32_t n;
};

/// Sets dst[i] to the sum of row i of src.
#define TWIN_SUM(TMP, tmp)                                                               \
    template <typename T, int32_t reduceDim = -1, bool isReuseSource = false,            \
              bool isBasicBlock = false>                                                 \
    inline void Sum(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,    \
                    TMP(const) const SumParams& sumParams, TWIN_HERE) {                  \
        TWIN_REFUSE_DTYPE(Sum, T, half, float);                                          \
        static_assert(reduceDim == -1, "Sum: reduceDim is reserved, it is -1");          \
        ::twin::reduce::RunRows({::twin::Opcode::Sum, ::twin::kDtypeOf<T>, false, false, \
                                 sumParams.outter, sumParams.inner, sumParams.n},        \
                                dstTensor, srcTensor, tmp, here);                        \
    }
TWIN_TMP_FORMS(TWIN_SUM)

/// Sets dst[i] to the mean of row i of src, computed in accType.
#define TWIN_MEAN(TMP, tmp)                                                                     \
    template <typename T, typename accType = T, bool isReuseSource = false,                     \
              bool isBasicBlock = false, int32_t reduceDim = -1>                                \
    inline void Mean(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,          \
                     TMP(const) const MeanParams& meanParams, TWIN_HERE) {                      \
        TWIN_REFUSE_DTYPE(Mean, T, half, float);                                                \
        static_assert(std::is_same<accType, T>::value || std::is_same<accType, float>::value,   \
                      "Mean: accType is T, or float for half");                                 \
        static_assert(reduceDim == -1, "Mean: reduceDim is reserved, it is -1");                \
        ::twin::reduce::RunRows(                                                                \
            {::twin::Opcode::Mean, ::twin::kDtypeOf<T>, true, !std::is_same<accType, T>::value, \
             meanParams.outter, meanParams.inner, meanParams.n},                                \
            dstTensor, srcTensor, tmp, here);                                                   \
    }
TWIN_TMP_FORMS(TWIN_MEAN)

/// Sets dst[0] to the sum of src0[i] ^ src1[i], computed in float. isReuseSource overwrites src1.
#define TWIN_REDUCE_XOR_SUM(TMP, tmp)                                                              \
    template <typename T, bool isReuseSource = false>                                              \
    inline void ReduceXorSum(LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor,          \
                             const LocalTensor<T>& src1Tensor, TMP() const uint32_t calCount,      \
                             TWIN_HERE) {                                                          \
        TWIN_REFUSE_DTYPE(ReduceXorSum, T, int16_t);                                               \
        ::twin::reduce::RunXorSum(dstTensor, src0Tensor, src1Tensor, tmp, calCount, isReuseSource, \
                                  here);                                                           \
    }
TWIN_TMP_FORMS(TWIN_REDUCE_XOR_SUM)

}  // namespace AscendC
