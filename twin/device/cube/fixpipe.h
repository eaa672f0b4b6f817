// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_CUBE_FIXPIPE_H
#define TWIN_DEVICE_CUBE_FIXPIPE_H

#include "core/uses.h"
#include "device/cube/fixpipe_params.h"
#include "device/tensor/global_tensor.h"
#include "device/tensor/local_tensor.h"

namespace twin::cube {

/// One copy out of L0C, for both calls that make one.
struct CopyOut {
    Opcode api;
    Dtype from;  ///< F32 or I32
    Dtype to;
    bool rowMajor;
    uint16_t columns;
    uint16_t rows;
    uint16_t srcStride;
    uint32_t dstStride;
    QuantMode_t quant;
    uint16_t ndNum;
    uint16_t srcNdStride;
    uint16_t dstNdStride;
    bool relu;
    uint8_t unitFlag;
    bool split;
};

/// Scalar modes read their word from `params.deqScalar`, vector modes from `vector` in L1, which is
/// null for the form without one.
TWIN_API void FixpipeToGm(const GmOperand& dst, const Operand& src, const Operand* vector,
                          const AscendC::FixpipeParamsV220& params, AscendC::CO2Layout layout,
                          Dtype to, Dtype from, Location where);
TWIN_API void FixpipeToL1(const Operand& dst, const Operand& src, const Operand* vector,
                          const AscendC::FixpipeParamsV220& params, AscendC::CO2Layout layout,
                          Dtype to, Dtype from, Location where);

template <typename DstT, typename SrcT>
constexpr bool kFixpipeToL1Types =
    (std::is_same<SrcT, float>::value && kOneOf<DstT, int8_t, uint8_t, half, bfloat16_t>) ||
    (std::is_same<SrcT, int32_t>::value && kOneOf<DstT, int8_t, uint8_t, half>);
template <typename DstT, typename SrcT>
constexpr bool kFixpipeToGmTypes =
    kFixpipeToL1Types<DstT, SrcT> ||
    (std::is_same<SrcT, DstT>::value && kOneOf<DstT, float, int32_t>);

}  // namespace twin::cube

namespace AscendC {

#define TWIN_REFUSE_FIXPIPE(DST, SRC, CONFIG, PATH)                                              \
    static_assert(twin::cube::kFixpipeTo##PATH##Types<DST, SRC>,                                 \
                  "Fixpipe to " #PATH                                                            \
                  ": on A2/A3 float gives int8_t, uint8_t, half, bfloat16_t and, in GM, float; " \
                  "int32_t gives int8_t, uint8_t, half and, in GM, int32_t");                    \
    static_assert((CONFIG).format != CO2Layout::COLUMN_MAJOR,                                    \
                  "Fixpipe with CFG_COLUMN_MAJOR: not on this chip");                            \
    static_assert(!(CONFIG).isToUB, "Fixpipe to UB: A2/A3 have no way from L0C to UB");          \
    TWIN_USES_CUBE

/// Copies L0C -> GM on pipe FIX, with the conversion of `quantPre`: row-major (CFG_ROW_MAJOR) or in
/// fractal order (CFG_NZ).
template <typename DstT, typename SrcT, const FixpipeConfig& config = CFG_ROW_MAJOR>
inline void Fixpipe(const GlobalTensor<DstT>& dst, const LocalTensor<SrcT>& src,
                    const FixpipeParamsV220& intriParams, TWIN_HERE) {
    TWIN_REFUSE_FIXPIPE(DstT, SrcT, config, Gm);
    twin::cube::FixpipeToGm(twin::Of(dst), twin::Of(src), nullptr, intriParams, config.format,
                            twin::kDtypeOf<DstT>, twin::kDtypeOf<SrcT>, here);
}

/// Does the same with one quantisation word per column, in L1.
template <typename DstT, typename SrcT, const FixpipeConfig& config = CFG_ROW_MAJOR,
          typename BufT = uint64_t,
          typename = std::enable_if_t<std::is_same<BufT, uint64_t>::value>>
inline void Fixpipe(const GlobalTensor<DstT>& dst, const LocalTensor<SrcT>& src,
                    const LocalTensor<BufT>& cbufWorkspace, const FixpipeParamsV220& intriParams,
                    TWIN_HERE) {
    TWIN_REFUSE_FIXPIPE(DstT, SrcT, config, Gm);
    const twin::Operand vector = twin::Of(cbufWorkspace);
    twin::cube::FixpipeToGm(twin::Of(dst), twin::Of(src), &vector, intriParams, config.format,
                            twin::kDtypeOf<DstT>, twin::kDtypeOf<SrcT>, here);
}

/// Copies L0C -> L1, in fractal order.
template <typename DstT, typename SrcT, const FixpipeConfig& config = CFG_ROW_MAJOR>
inline void Fixpipe(const LocalTensor<DstT>& dst, const LocalTensor<SrcT>& src,
                    const FixpipeParamsV220& intriParams, TWIN_HERE) {
    TWIN_REFUSE_FIXPIPE(DstT, SrcT, config, L1);
    twin::cube::FixpipeToL1(twin::Of(dst), twin::Of(src), nullptr, intriParams, config.format,
                            twin::kDtypeOf<DstT>, twin::kDtypeOf<SrcT>, here);
}

template <typename DstT, typename SrcT, const FixpipeConfig& config = CFG_ROW_MAJOR,
          typename BufT = uint64_t,
          typename = std::enable_if_t<std::is_same<BufT, uint64_t>::value>>
inline void Fixpipe(const LocalTensor<DstT>& dst, const LocalTensor<SrcT>& src,
                    const LocalTensor<BufT>& cbufWorkspace, const FixpipeParamsV220& intriParams,
                    TWIN_HERE) {
    TWIN_REFUSE_FIXPIPE(DstT, SrcT, config, L1);
    const twin::Operand vector = twin::Of(cbufWorkspace);
    twin::cube::FixpipeToL1(twin::Of(dst), twin::Of(src), &vector, intriParams, config.format,
                            twin::kDtypeOf<DstT>, twin::kDtypeOf<SrcT>, here);
}

}  // namespace AscendC

#endif  // TWIN_DEVICE_CUBE_FIXPIPE_H
