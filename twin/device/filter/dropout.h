// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/compare/compare.h"
#include "device/library/tmp.h"
#include "device/pipe/spm.h"
#include "device/sync/events.h"
#include "device/vec/duplicate.h"
#include "device/vec/mask.h"
#include "device/vec/shapes.h"

namespace AscendC {

/// The shape of a call: number of rows, elements per row, and bytes per row of the mask.
struct DropOutShapeInfo {
    uint32_t firstAxis = 0;
    uint32_t srcLastAxis = 0;
    uint32_t maskLastAxis = 0;
};

/// Values of dropOutMode. The mask has a byte or a bit per element, with (MISALIGN) or without
/// (ALIGN) bytes to skip after each row. Value 0: DropOut derives the mode from DropOutShapeInfo.
constexpr uint32_t DROPOUT_MODE_BYTE_MISALIGN = 1;
constexpr uint32_t DROPOUT_MODE_BYTE_ALIGN = 2;
constexpr uint32_t DROPOUT_MODE_BIT_ALIGN = 3;
constexpr uint32_t DROPOUT_MODE_BIT_MISALIGN = 4;

}  // namespace AscendC

namespace twin::advanced {

struct DropOutForm {
    uint32_t mode;
    bool bitsReady;  ///< isInitBitMode: the kernel has set CMPMASK to 0
    float keepProb;
};

TWIN_API void RunDropOut(Dtype dtype, const Operand& dst, const Operand& src, const Operand& mask,
                         const DropOutForm& form, const AscendC::DropOutShapeInfo& info,
                         const Tmp& tmp, Location where);

}  // namespace twin::advanced

namespace AscendC {

/// Clears CMPMASK by way of the first 256 B of the scratch, for DropOut with isInitBitMode. Kernels
/// use this inner name.
template <typename T>
inline void DropOutBitModeInit(const LocalTensor<T>& sharedTmpBuffer, TWIN_HERE) {
    ResetMask(here);
    const LocalTensor<int16_t> zeros = sharedTmpBuffer.template ReinterpretCast<int16_t>();
    Duplicate(zeros, static_cast<int16_t>(0), 128, here);
    PipeBarrier<PIPE_V>(here);
    SetCmpMask(zeros, here);
    PipeBarrier<PIPE_V>(here);
}
inline void DropOutBitModeInit(TWIN_HERE) {
    LocalTensor<int16_t> rest;
    PopStackBuffer<int16_t, TPosition::LCM>(rest, here);
    DropOutBitModeInit(rest, here);
}

/// Sets dst to src / keepProb where the mask keeps the element, otherwise to 0.
#define TWIN_DROP_OUT(TMP, tmp)                                                                    \
    template <typename T, bool isInitBitMode = false, uint32_t dropOutMode = 0>                    \
    inline void DropOut(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal,            \
                        const LocalTensor<uint8_t>& maskLocal, TMP(const) const float keepProb,    \
                        const DropOutShapeInfo& info, TWIN_HERE) {                                 \
        TWIN_REFUSE_DTYPE(DropOut, T, half, float);                                                \
        static_assert(dropOutMode <= DROPOUT_MODE_BIT_MISALIGN, "DropOut: dropOutMode is 0 to 4"); \
        ::twin::advanced::RunDropOut(::twin::kDtypeOf<T>, dstLocal, srcLocal, maskLocal,           \
                                     {dropOutMode, isInitBitMode, keepProb}, info, tmp, here);     \
    }
TWIN_TMP_FORMS(TWIN_DROP_OUT)

}  // namespace AscendC
