// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/uses.h"
#include "device/tensor/global_tensor.h"
#include "device/tensor/local_tensor.h"
#include "device/types/parameters.h"

/// Conversions of copies out of L0C. The numbers are those of the compiler's enumeration.
enum QuantMode_t {
    NoQuant = 0,
    F322F16 = 1,
    VREQ8 = 8,
    REQ8 = 9,
    VDEQF16 = 10,
    DEQF16 = 11,
    VSHIFTS322S16 = 12,
    SHIFTS322S16 = 13,
    F322BF16 = 16,
    VREQ4 = 21,
    REQ4 = 22,
    VQF322B8_PRE = 23,
    QF322B8_PRE = 24,
    VQF322S4_PRE = 25,
    QF322S4_PRE = 26,
    VDEQS16 = 27,
    DEQS16 = 28
};

/// Values of unitFlag. 0: off. 2: the call waits for unit flags. 3: it waits and changes the flags.
enum unit_flag_t { UFMode0 = 0, UFMode2 = 2, UFMode3 = 3 };

namespace AscendC {

enum class CO2Layout : uint8_t { NZ = 0, ROW_MAJOR, COLUMN_MAJOR };

struct FixpipeConfig {
    CO2Layout format;
    bool isToUB = false;  ///< only in toolkits newer than 8.1, for other chips
};
constexpr FixpipeConfig CFG_NZ = {CO2Layout::NZ};
constexpr FixpipeConfig CFG_ROW_MAJOR = {CO2Layout::ROW_MAJOR};
constexpr FixpipeConfig CFG_COLUMN_MAJOR = {CO2Layout::COLUMN_MAJOR};

/// srcStride counts rows from stripe to stripe (16 columns) in L0C. dstStride counts elements from
/// row to row; in fractal order, it counts units of 32 B from stripe to stripe. srcNdStride counts
/// fractals of 1024 B from matrix to matrix, and dstNdStride counts elements.
struct FixpipeParamsV220 {
    TWIN_DEFAULT(FixpipeParamsV220)
    TWIN_CONSTRUCTOR(FixpipeParamsV220, (uint16_t, nSize), (uint16_t, mSize), (uint16_t, srcStride),
                     (uint32_t, dstStride), (bool, reluEn))
    TWIN_CONSTRUCTOR(FixpipeParamsV220, (uint16_t, nSize), (uint16_t, mSize), (uint16_t, srcStride),
                     (uint32_t, dstStride), (bool, reluEn), (QuantMode_t, quantPre),
                     (int64_t, deqScalar), (uint16_t, ndNum), (uint16_t, srcNdStride),
                     (uint16_t, dstNdStride), (uint8_t, unitFlag), (bool, isChannelSplit, = false))
    TWIN_MEMBERS((uint16_t, nSize, 0), (uint16_t, mSize, 0), (uint16_t, srcStride, 0),
                 (uint32_t, dstStride, 0), (QuantMode_t, quantPre, QuantMode_t::NoQuant))
    uint64_t deqScalar = 0xFFC0DEADFFC0DEAD;  ///< undefined in the toolkit; the twin uses a NaN
    TWIN_MEMBERS((uint16_t, ndNum, 1), (uint16_t, srcNdStride, 0), (uint16_t, dstNdStride, 0),
                 (bool, reluEn, false), (uint8_t, unitFlag, 0), (bool, isChannelSplit, false))
};
using FixpipeParamsM300 = FixpipeParamsV220;
using FixpipeParamsM310 = FixpipeParamsV220;

/// Parameters of a DataCopy from CO1. Unlike Fixpipe, this DataCopy does not set registers first.
struct DataCopyCO12DstParams {
    TWIN_DEFAULT(DataCopyCO12DstParams)
    TWIN_CONSTRUCTOR(DataCopyCO12DstParams, (uint16_t, nSize), (uint16_t, mSize),
                     (uint32_t, dstStride), (uint16_t, srcStride), (QuantMode_t, quantPre),
                     (uint8_t, reluPre), (bool, channelSplit), (bool, nz2ndEn))
    TWIN_MEMBERS((uint8_t, sid, 0), (uint16_t, nSize, 0), (uint16_t, mSize, 0),
                 (uint32_t, dstStride, 0), (uint16_t, srcStride, 0), (uint8_t, unitFlag, 0),
                 (uint8_t, clipReluPre, 0), (uint8_t, eltWiseOp, 0),
                 (QuantMode_t, quantPre, QuantMode_t::NoQuant), (uint8_t, reluPre, 0),
                 (bool, channelSplit, false), (bool, nz2ndEn, false))
};

}  // namespace AscendC

namespace twin::cube {

/// Parameters of a copy out of L0C, by Fixpipe or by DataCopy from CO1.
struct CopyOut {
    Opcode api;
    Dtype from;  ///< type of the elements in L0C: F32 or I32
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

/// Executes a Fixpipe to GM. Scalar modes read their quantisation word from `params.deqScalar`.
/// Vector modes read words from `vector` in L1, or from the fixpipe buffer if `vector` is nullptr.
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

/// Defines Fixpipe without a quantisation vector, and Fixpipe with such a vector in L1.
#define TWIN_FIXPIPE(TENSOR, PATH)                                                       \
    template <typename DstT, typename SrcT, const FixpipeConfig& config = CFG_ROW_MAJOR> \
    inline void Fixpipe(const TENSOR<DstT>& dst, const LocalTensor<SrcT>& src,           \
                        const FixpipeParamsV220& intriParams, TWIN_HERE) {               \
        TWIN_REFUSE_FIXPIPE(DstT, SrcT, config, PATH);                                   \
        twin::cube::FixpipeTo##PATH(dst, src, nullptr, intriParams, config.format,       \
                                    twin::kDtypeOf<DstT>, twin::kDtypeOf<SrcT>, here);   \
    }                                                                                    \
    template <typename DstT, typename SrcT, const FixpipeConfig& config = CFG_ROW_MAJOR, \
              typename BufT = uint64_t,                                                  \
              typename = std::enable_if_t<std::is_same<BufT, uint64_t>::value>>          \
    inline void Fixpipe(const TENSOR<DstT>& dst, const LocalTensor<SrcT>& src,           \
                        const LocalTensor<BufT>& cbufWorkspace,                          \
                        const FixpipeParamsV220& intriParams, TWIN_HERE) {               \
        TWIN_REFUSE_FIXPIPE(DstT, SrcT, config, PATH);                                   \
        const twin::Operand vector = cbufWorkspace;                                      \
        twin::cube::FixpipeTo##PATH(dst, src, &vector, intriParams, config.format,       \
                                    twin::kDtypeOf<DstT>, twin::kDtypeOf<SrcT>, here);   \
    }

/// Copies L0C -> GM on pipe FIX with the conversion `quantPre`. The result is row-major
/// (CFG_ROW_MAJOR) or in fractal order (CFG_NZ).
TWIN_FIXPIPE(GlobalTensor, Gm)
/// Copies L0C -> L1, in fractal order.
TWIN_FIXPIPE(LocalTensor, L1)

}  // namespace AscendC
