// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/library/tmp.h"
#include "device/transpose/confusion_tiling.h"
#include "device/types/dtype.h"
#include "device/vec/shapes.h"
#include "kernel_tiling/advanced_tilings.h"

namespace AscendC {

/// For 8-bit types, dstHighHalf and srcHighHalf select the last 16 B of blocks. Strides count 32 B.
TWIN_PARAMETERS(TransDataTo5HDParams, (bool, dstHighHalf, false), (bool, srcHighHalf, false),
                (uint8_t, repeatTimes, 1), (uint16_t, dstRepStride, 0), (uint16_t, srcRepStride, 0))

TWIN_PARAMETERS(TransposeParamsExt, (uint16_t, nSize, 0), (uint16_t, cSize, 0),
                (uint16_t, hSize, 0), (uint16_t, wSize, 0),
                (TransposeType, transposeType, TransposeType::TRANSPOSE_ND2ND_B16))

}  // namespace AscendC

namespace twin::transpose {

constexpr uint32_t kRows = 16;

/// The sixteen rows that one repeat reads and the sixteen rows that this repeat writes.
struct Rows {
    Operand dst[kRows];
    Operand src[kRows];
};

TWIN_API void RunTo5hd(Dtype dtype, const Rows& rows, const AscendC::TransDataTo5HDParams& params,
                       Location where);
/// Runs TransDataTo5HD on rows at the addresses that GetPhyAddr has returned.
TWIN_API void RunTo5hd(Dtype dtype, const uint64_t* dst, const uint64_t* src,
                       const AscendC::TransDataTo5HDParams& params, Location where);
/// Runs TransDataTo5HD with lists of addresses in UB, which the library first packs in place.
TWIN_API void RunTo5hdLists(Dtype dtype, const Operand& dst, const Operand& src,
                            const AscendC::TransDataTo5HDParams& params, Location where);

TWIN_API void RunTranspose(Dtype dtype, const Operand& dst, const Operand& src, Location where);
TWIN_API void RunTranspose(Dtype dtype, const Operand& dst, const Operand& src,
                           const Operand& scratch, const AscendC::TransposeParamsExt& params,
                           Location where);

TWIN_API void RunConfusion(Dtype dtype, const Operand& dst, const Operand& src,
                           AscendC::TransposeType type, const ConfusionTransposeTiling& tiling,
                           const advanced::Tmp& tmp, Location where);

}  // namespace twin::transpose

namespace AscendC {

/// Transposes 16 x 16 elements of 16 bits; dst may be src.
template <typename T>
inline void Transpose(const LocalTensor<T>& dst, const LocalTensor<T>& src, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(Transpose, T, half, int16_t, uint16_t);
    twin::transpose::RunTranspose(twin::kDtypeOf<T>, dst, src, here);
}

/// Transposes 16 x 16 elements, or [N, C, H, W] to [N, H, W, C] or back; overwrites the scratch.
template <typename T>
inline void Transpose(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                      const LocalTensor<uint8_t>& sharedTmpBuffer,
                      const TransposeParamsExt& transposeParams, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(Transpose, T, int8_t, uint8_t, half, int16_t, uint16_t, float, int32_t,
                      uint32_t);
    twin::transpose::RunTranspose(twin::kDtypeOf<T>, dst, src, sharedTmpBuffer, transposeParams,
                                  here);
}

#define TWIN_5HD_TYPES int8_t, uint8_t, half, int16_t, uint16_t, float, int32_t, uint32_t

/// Transposes sixteen blocks of 32 B per repeat. Each block has an address of its own.
template <typename T>
inline void TransDataTo5HD(const LocalTensor<T> (&dstList)[NCHW_CONV_ADDR_LIST_SIZE],
                           const LocalTensor<T> (&srcList)[NCHW_CONV_ADDR_LIST_SIZE],
                           const TransDataTo5HDParams& nchwconvParams, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(TransDataTo5HD, T, TWIN_5HD_TYPES);
    twin::transpose::Rows rows;
    for (uint32_t i = 0; i < twin::transpose::kRows; ++i) {
        rows.dst[i] = dstList[i];
        rows.src[i] = srcList[i];
    }
    twin::transpose::RunTo5hd(twin::kDtypeOf<T>, rows, nchwconvParams, here);
}

template <typename T>
inline void TransDataTo5HD(uint64_t dstList[NCHW_CONV_ADDR_LIST_SIZE],
                           uint64_t srcList[NCHW_CONV_ADDR_LIST_SIZE],
                           const TransDataTo5HDParams& nchwconvParams, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(TransDataTo5HD, T, TWIN_5HD_TYPES);
    twin::transpose::RunTo5hd(twin::kDtypeOf<T>, dstList, srcList, nchwconvParams, here);
}

/// Reads sixteen addresses each from dst and src, and overwrites the first four words of both.
template <typename T>
inline void TransDataTo5HD(const LocalTensor<uint64_t>& dst, const LocalTensor<uint64_t>& src,
                           const TransDataTo5HDParams& nchwconvParams, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(TransDataTo5HD, T, TWIN_5HD_TYPES);
    twin::transpose::RunTo5hdLists(twin::kDtypeOf<T>, dst, src, nchwconvParams, here);
}

#undef TWIN_5HD_TYPES

// These overloads accept lists of raw pointers or addresses. Kernels call them, although they are
// internal functions of the toolkit's library.

template <typename T>
inline void TransDataTo5HDImpl(uint64_t dstList[NCHW_CONV_ADDR_LIST_SIZE],
                               uint64_t srcList[NCHW_CONV_ADDR_LIST_SIZE],
                               const TransDataTo5HDParams& params, TWIN_HERE) {
    TransDataTo5HD<T>(dstList, srcList, params, here);
}

template <typename T>
inline void TransDataTo5HDImpl(__ubuf__ T* dstList[NCHW_CONV_ADDR_LIST_SIZE],
                               __ubuf__ T* srcList[NCHW_CONV_ADDR_LIST_SIZE],
                               const TransDataTo5HDParams& params, TWIN_HERE) {
    uint64_t dst[NCHW_CONV_ADDR_LIST_SIZE];
    uint64_t src[NCHW_CONV_ADDR_LIST_SIZE];
    for (int32_t i = 0; i < NCHW_CONV_ADDR_LIST_SIZE; ++i) {
        dst[i] = reinterpret_cast<uint64_t>(dstList[i]);
        src[i] = reinterpret_cast<uint64_t>(srcList[i]);
    }
    TransDataTo5HD<T>(dst, src, params, here);
}

#define TWIN_CONFUSION_TRANSPOSE(TMP, tmp, API)                                                   \
    template <typename T>                                                                         \
    inline void API(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,             \
                    TMP(const) TransposeType transposeType, ConfusionTransposeTiling& tiling,     \
                    TWIN_HERE) {                                                                  \
        TWIN_REFUSE_DTYPE(ConfusionTranspose, T, half, int16_t, uint16_t, float, int32_t,         \
                          uint32_t);                                                              \
        ::twin::transpose::RunConfusion(::twin::kDtypeOf<T>, dstTensor, srcTensor, transposeType, \
                                        tiling, tmp, here);                                       \
    }
/// Changes the layout of attention tensors between NZ and ND, with or without the head axis, as the
/// TransposeType requests. The tiling contains the shape.
TWIN_TMP_FORMS_OF(TWIN_CONFUSION_TRANSPOSE, ConfusionTranspose)
/// The newer name of ConfusionTranspose.
TWIN_TMP_FORMS_OF(TWIN_CONFUSION_TRANSPOSE, Transpose)

}  // namespace AscendC
