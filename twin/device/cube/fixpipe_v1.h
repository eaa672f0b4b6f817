// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cube/fixpipe.h"

namespace AscendC {

// The parameters below are older than FixpipeParamsV220. Fixpipe converts them, as the headers of
// the toolkit do.

struct QuantParams {
    QuantParams(const QuantMode_t quantPreIn = QuantMode_t::NoQuant, const uint64_t deqScalarIn = 0)
        : quantPre(quantPreIn), deqScalar(deqScalarIn) {}
    QuantMode_t quantPre;
    uint64_t deqScalar;
};

TWIN_PARAMETERS(Nz2NdParams, (bool, nz2ndEn, false), (uint16_t, ndNum, 1),
                (uint16_t, srcNdStride, 0), (uint16_t, dstNdStride, 0),
                (uint16_t, originalNSize, 0))

template <typename SrcT>
struct FixpipeParams {
    TWIN_DEFAULT(FixpipeParams)
    TWIN_CONSTRUCTOR(FixpipeParams, (uint16_t, cburstNum), (uint16_t, burstLen),
                     (uint16_t, srcStride), (uint32_t, dstStride))
    TWIN_MEMBERS((uint16_t, cburstNum, 1), (uint16_t, burstLen, 1), (uint32_t, dstStride, 0),
                 (uint16_t, srcStride, 0), (QuantParams, quantParams, {}), (bool, reluEn, false),
                 (Nz2NdParams, nz2ndParams, {}), (uint8_t, unitFlag, 0))
};

}  // namespace AscendC

namespace twin::cube {

/// Returns the parameters of the same copy in the newer form.
template <typename DstT, typename SrcT>
AscendC::FixpipeParamsV220 NewerForm(const AscendC::FixpipeParams<SrcT>& old) {
    constexpr uint32_t kStripe = 16;  // columns of a stripe, and rows of a fractal
    const uint32_t rows = old.burstLen * 32U / (kStripe * sizeof(uint32_t));
    AscendC::FixpipeParamsV220 to;
    to.nSize = old.cburstNum * kStripe;
    to.mSize = static_cast<uint16_t>(rows);
    to.srcStride =
        static_cast<uint16_t>((old.srcStride + (rows + kStripe - 1) / kStripe) * kStripe);
    to.dstStride = old.dstStride;
    if (old.nz2ndParams.nz2ndEn) {
        to.nSize = old.nz2ndParams.originalNSize;
        to.ndNum = old.nz2ndParams.ndNum;
        to.srcNdStride = old.nz2ndParams.srcNdStride;
        to.dstNdStride = old.nz2ndParams.dstNdStride;
    } else {
        to.dstStride += old.burstLen * sizeof(DstT) / sizeof(uint32_t);
    }
    to.quantPre = old.quantParams.quantPre;
    to.deqScalar = old.quantParams.deqScalar;
    to.reluEn = old.reluEn;
    to.unitFlag = old.unitFlag;
    return to;
}

}  // namespace twin::cube

namespace AscendC {

/// Copies `cburstNum` stripes of 16 columns out of L0C. burstLen counts units of 32 B of a stripe
/// of 32-bit elements. srcStride counts gaps of 16 rows behind a stripe, and dstStride counts gaps
/// of 32 B. With nz2ndEn the result is row-major: it has originalNSize columns, and dstStride
/// counts elements from row to row.
#define TWIN_FIXPIPE_V1(TENSOR)                                                                    \
    template <typename DstT, typename SrcT>                                                        \
    inline void Fixpipe(const TENSOR<DstT>& dst, const LocalTensor<SrcT>& src,                     \
                        const FixpipeParams<SrcT>& params, TWIN_HERE) {                            \
        const FixpipeParamsV220 newer = twin::cube::NewerForm<DstT>(params);                       \
        if (params.nz2ndParams.nz2ndEn) {                                                          \
            Fixpipe<DstT, SrcT, CFG_ROW_MAJOR>(dst, src, newer, here);                             \
        } else {                                                                                   \
            Fixpipe<DstT, SrcT, CFG_NZ>(dst, src, newer, here);                                    \
        }                                                                                          \
    }                                                                                              \
    template <typename DstT, typename SrcT, typename BufT>                                         \
    inline void Fixpipe(const TENSOR<DstT>& dst, const LocalTensor<SrcT>& src,                     \
                        const LocalTensor<BufT>& cbufWorkspace, const FixpipeParams<SrcT>& params, \
                        TWIN_HERE) {                                                               \
        const FixpipeParamsV220 newer = twin::cube::NewerForm<DstT>(params);                       \
        if (params.nz2ndParams.nz2ndEn) {                                                          \
            Fixpipe<DstT, SrcT, CFG_ROW_MAJOR>(dst, src, cbufWorkspace, newer, here);              \
        } else {                                                                                   \
            Fixpipe<DstT, SrcT, CFG_NZ>(dst, src, cbufWorkspace, newer, here);                     \
        }                                                                                          \
    }
TWIN_FIXPIPE_V1(LocalTensor)
TWIN_FIXPIPE_V1(GlobalTensor)

}  // namespace AscendC
