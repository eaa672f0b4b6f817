// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_CUBE_FIXPIPE_V1_H
#define TWIN_DEVICE_CUBE_FIXPIPE_V1_H

#include "device/cube/fixpipe.h"

namespace twin::cube {

/// Ends the task with T455.
[[noreturn]] TWIN_API void RefuseFixpipeV1(Location where);

}  // namespace twin::cube

namespace AscendC {

// The parameters of Fixpipe before FixpipeParamsV220. Kernels that name them compile, but running
// them is refused (T455), because no document says how their gaps count on A2 and A3.

struct QuantParams {
    QuantParams() = default;
    QuantParams(const QuantMode_t quantPreIn) : quantPre(quantPreIn) {}
    QuantParams(const QuantMode_t quantPreIn, const uint64_t deqScalarIn)
        : quantPre(quantPreIn), deqScalar(deqScalarIn) {}
    QuantMode_t quantPre = QuantMode_t::NoQuant;
    uint64_t deqScalar = 0;
};

struct Nz2NdParams {
    Nz2NdParams() = default;
    Nz2NdParams(const bool nz2ndEnIn, const uint16_t ndNumIn, const uint16_t srcNdStrideIn,
                const uint16_t dstNdStrideIn, const uint16_t originalNSizeIn)
        : nz2ndEn(nz2ndEnIn),
          ndNum(ndNumIn),
          srcNdStride(srcNdStrideIn),
          dstNdStride(dstNdStrideIn),
          originalNSize(originalNSizeIn) {}
    bool nz2ndEn = false;
    uint16_t ndNum = 1;
    uint16_t srcNdStride = 0;
    uint16_t dstNdStride = 0;
    uint16_t originalNSize = 0;
};

template <typename SrcT>
struct FixpipeParams {
    FixpipeParams() = default;
    FixpipeParams(const uint16_t count, const uint16_t len, const uint16_t srcStrideIn,
                  const uint32_t dstStrideIn)
        : cburstNum(count), burstLen(len), dstStride(dstStrideIn), srcStride(srcStrideIn) {}
    uint16_t cburstNum = 1;
    uint16_t burstLen = 1;
    uint32_t dstStride = 0;
    uint16_t srcStride = 0;
    QuantParams quantParams;
    bool reluEn = false;
    Nz2NdParams nz2ndParams;
    uint8_t unitFlag = 0;
};

template <typename DstT, typename SrcT>
inline void Fixpipe(const LocalTensor<DstT>&, const LocalTensor<SrcT>&, const FixpipeParams<SrcT>&,
                    TWIN_HERE) {
    twin::cube::RefuseFixpipeV1(here);
}
template <typename DstT, typename SrcT, typename BufT>
inline void Fixpipe(const LocalTensor<DstT>&, const LocalTensor<SrcT>&, const LocalTensor<BufT>&,
                    const FixpipeParams<SrcT>&, TWIN_HERE) {
    twin::cube::RefuseFixpipeV1(here);
}
template <typename DstT, typename SrcT>
inline void Fixpipe(const GlobalTensor<DstT>&, const LocalTensor<SrcT>&, const FixpipeParams<SrcT>&,
                    TWIN_HERE) {
    twin::cube::RefuseFixpipeV1(here);
}
template <typename DstT, typename SrcT, typename BufT>
inline void Fixpipe(const GlobalTensor<DstT>&, const LocalTensor<SrcT>&, const LocalTensor<BufT>&,
                    const FixpipeParams<SrcT>&, TWIN_HERE) {
    twin::cube::RefuseFixpipeV1(here);
}

}  // namespace AscendC

#endif  // TWIN_DEVICE_CUBE_FIXPIPE_V1_H
