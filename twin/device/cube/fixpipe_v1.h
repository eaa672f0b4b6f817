// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cube/fixpipe.h"

namespace twin::cube {

/// Fails, because Fixpipe with the older parameters is not modelled (T455).
[[noreturn]] TWIN_API void RefuseFixpipeV1(Location where);

}  // namespace twin::cube

namespace AscendC {

// The parameters below are older than FixpipeParamsV220. Kernels that use them compile, but Fixpipe
// fails (T455): no document gives the units of srcStride and dstStride on A2 and A3.

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

#define TWIN_FIXPIPE_V1(TENSOR)                                                                    \
    template <typename DstT, typename SrcT>                                                        \
    inline void Fixpipe(const TENSOR<DstT>&, const LocalTensor<SrcT>&, const FixpipeParams<SrcT>&, \
                        TWIN_HERE) {                                                               \
        twin::cube::RefuseFixpipeV1(here);                                                         \
    }                                                                                              \
    template <typename DstT, typename SrcT, typename BufT>                                         \
    inline void Fixpipe(const TENSOR<DstT>&, const LocalTensor<SrcT>&, const LocalTensor<BufT>&,   \
                        const FixpipeParams<SrcT>&, TWIN_HERE) {                                   \
        twin::cube::RefuseFixpipeV1(here);                                                         \
    }
TWIN_FIXPIPE_V1(LocalTensor)
TWIN_FIXPIPE_V1(GlobalTensor)

}  // namespace AscendC
