// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/library/tmp.h"
#include "device/transpose/transpose.h"
#include "device/vec/shapes.h"
#include "kernel_tiling/advanced_tilings.h"

namespace twin::transpose {

TWIN_API void RunConfusion(Dtype dtype, const Operand& dst, const Operand& src,
                           AscendC::TransposeType type, const ConfusionTransposeTiling& tiling,
                           const advanced::Tmp& tmp, Location where);

}  // namespace twin::transpose

namespace AscendC {

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
/// Layout changes of attention tensors between NZ and ND, with and without the head axis; see
/// TransposeType. The tiling contains the shape.
TWIN_TMP_FORMS_OF(TWIN_CONFUSION_TRANSPOSE, ConfusionTranspose)
/// The newer name of ConfusionTranspose.
TWIN_TMP_FORMS_OF(TWIN_CONFUSION_TRANSPOSE, Transpose)

}  // namespace AscendC
