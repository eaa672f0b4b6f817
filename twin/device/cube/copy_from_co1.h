// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cube/fixpipe.h"

namespace twin::cube {

TWIN_API void CopyCo1ToGm(const GmOperand& dst, const Operand& src,
                          const AscendC::DataCopyCO12DstParams& params, Dtype to, Dtype from,
                          Location where);
TWIN_API void CopyCo1ToL1(const Operand& dst, const Operand& src,
                          const AscendC::DataCopyCO12DstParams& params, Dtype to, Dtype from,
                          Location where);
TWIN_API void SetNdParameters(uint16_t ndNum, uint16_t srcNdStride, uint16_t dstNdStride,
                              Location where);
TWIN_API void SetQuantWord(uint64_t word, Location where);
/// Sets the address of the quantisation words; also clears all unit flags if `freeUnits` is true.
TWIN_API void SetFixpipeAddress(const Operand* vector, bool freeUnits, Location where);

}  // namespace twin::cube

namespace AscendC {

/// Copies L0C -> GM like Fixpipe, with the registers that the Set functions of this file have set.
template <typename DstT, typename SrcT>
inline void DataCopy(const GlobalTensor<DstT>& dst, const LocalTensor<SrcT>& src,
                     const DataCopyCO12DstParams& intriParams, TWIN_HERE) {
    TWIN_REFUSE_FIXPIPE(DstT, SrcT, CFG_NZ, Gm);
    twin::cube::CopyCo1ToGm(dst, src, intriParams, twin::kDtypeOf<DstT>, twin::kDtypeOf<SrcT>,
                            here);
}
template <typename DstT, typename SrcT>
inline void DataCopy(const LocalTensor<DstT>& dst, const LocalTensor<SrcT>& src,
                     const DataCopyCO12DstParams& intriParams, TWIN_HERE) {
    TWIN_REFUSE_FIXPIPE(DstT, SrcT, CFG_NZ, L1);
    twin::cube::CopyCo1ToL1(dst, src, intriParams, twin::kDtypeOf<DstT>, twin::kDtypeOf<SrcT>,
                            here);
}

/// Sets the number of matrices of a row-major copy, the distance between their sources in fractals,
/// and the distance between their destinations in elements.
inline void SetFixpipeNz2ndFlag(uint16_t ndNum, uint16_t srcNdStride, uint16_t dstNdStride,
                                TWIN_HERE) {
    TWIN_USES_CUBE;
    twin::cube::SetNdParameters(ndNum, srcNdStride, dstNdStride, here);
}
/// Calls SetFixpipeNz2ndFlag with the three lowest 16-bit fields of `config`, from the lowest on.
inline void SetNdParaImpl(uint64_t config, TWIN_HERE) {
    SetFixpipeNz2ndFlag(static_cast<uint16_t>(config), static_cast<uint16_t>(config >> 16),
                        static_cast<uint16_t>(config >> 32), here);
}
/// Sets the quantisation word of the scalar modes.
inline void SetFixpipePreQuantFlag(uint64_t config, TWIN_HERE) {
    TWIN_USES_CUBE;
    twin::cube::SetQuantWord(config, here);
}
/// Sets where in the fixpipe buffer the quantisation words of the vector modes are.
template <typename T>
inline void SetFixPipeConfig(const LocalTensor<T>& reluPre, const LocalTensor<T>& quantPre,
                             bool isUnitFlag = false, TWIN_HERE) {
    TWIN_USES_CUBE;
    (void)reluPre;  // A2/A3 have no ReLU with factors
    const twin::Operand vector = quantPre;
    twin::cube::SetFixpipeAddress(&vector, isUnitFlag, here);
}
template <typename T, bool setRelu = false>
inline void SetFixPipeConfig(const LocalTensor<T>& preTensor, bool isUnitFlag = false, TWIN_HERE) {
    static_assert(!setRelu, "SetFixPipeConfig<T, true>: relu with factors is not on this chip");
    TWIN_USES_CUBE;
    const twin::Operand vector = preTensor;
    twin::cube::SetFixpipeAddress(&vector, isUnitFlag, here);
}

}  // namespace AscendC
