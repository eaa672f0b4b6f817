// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_TRANSPOSE_PARAMS_H
#define TWIN_DEVICE_TRANSPOSE_PARAMS_H

#include "device/transpose/transpose_type.h"
#include "device/vec/shapes.h"

namespace AscendC {

struct TransDataTo5HDParams {
    TransDataTo5HDParams() = default;
    constexpr TransDataTo5HDParams(const bool dstHigh, const bool srcHigh, const uint8_t repeats,
                                   const uint16_t dstRep, const uint16_t srcRep)
        : dstHighHalf(dstHigh),
          srcHighHalf(srcHigh),
          repeatTimes(repeats),
          dstRepStride(dstRep),
          srcRepStride(srcRep) {}

    bool dstHighHalf = false;  ///< 8-bit types: which half of each block is written
    bool srcHighHalf = false;
    uint8_t repeatTimes = 1;
    uint16_t dstRepStride = 0;  ///< blocks of 32 B
    uint16_t srcRepStride = 0;
};

struct TransposeParamsExt {
    TransposeParamsExt() = default;
    TransposeParamsExt(const uint16_t n, const uint16_t c, const uint16_t h, const uint16_t w,
                       const TransposeType type)
        : nSize(n), cSize(c), hSize(h), wSize(w), transposeType(type) {}

    uint16_t nSize = 0;
    uint16_t cSize = 0;
    uint16_t hSize = 0;
    uint16_t wSize = 0;
    TransposeType transposeType = TransposeType::TRANSPOSE_ND2ND_B16;
};

}  // namespace AscendC

namespace twin::transpose {

constexpr uint32_t kRows = 16;

/// The sixteen rows that one repeat reads and the sixteen that it writes.
struct Rows {
    Operand dst[kRows];
    Operand src[kRows];
};

TWIN_API void RunTo5hd(Dtype dtype, const Rows& rows, const AscendC::TransDataTo5HDParams& params,
                       Location where);
/// Rows by the addresses that GetPhyAddr returns.
TWIN_API void RunTo5hd(Dtype dtype, const uint64_t* dst, const uint64_t* src,
                       const AscendC::TransDataTo5HDParams& params, Location where);
/// The same with addresses in local memory: the library first packs both lists in place.
TWIN_API void RunTo5hdLists(Dtype dtype, const Operand& dst, const Operand& src,
                            const AscendC::TransDataTo5HDParams& params, Location where);

TWIN_API void RunTranspose(Dtype dtype, const Operand& dst, const Operand& src, Location where);
TWIN_API void RunTranspose(Dtype dtype, const Operand& dst, const Operand& src,
                           const Operand& scratch, const AscendC::TransposeParamsExt& params,
                           Location where);

}  // namespace twin::transpose

#endif  // TWIN_DEVICE_TRANSPOSE_PARAMS_H
