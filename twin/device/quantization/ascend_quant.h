// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/library/tmp.h"
#include "device/vec/shapes.h"

namespace AscendC {

/// Counts known at compile time, which replace those of the call; 0: none.
struct AscendQuantConfig {
    constexpr AscendQuantConfig(const uint32_t calc, const uint32_t offset, const uint32_t scale,
                                const uint32_t work)
        : calcCount(calc), offsetCount(offset), scaleCount(scale), workLocalSize(work) {}
    uint32_t calcCount = 0;
    uint32_t offsetCount = 0;
    uint32_t scaleCount = 0;
    uint32_t workLocalSize = 0;
};

constexpr AscendQuantConfig ASCEND_QUANT_DEFAULT_CFG = {0, 0, 0, 0};

}  // namespace AscendC

namespace twin::advanced {

/// Scale or offset: a tensor of `count` elements, one for each column, or a number.
struct QuantFactor {
    bool tensor = false;
    Operand place = {};
    uint32_t count = 0;
    float number = 0.0F;

    QuantFactor(const Operand& values, uint32_t elements)
        : tensor(true), place(values), count(elements) {}
    QuantFactor(float value, uint32_t /*elements*/ = 0) : number(value) {}
};

TWIN_API void RunQuant(Dtype dtype, const Operand& dst, const Operand& src, QuantFactor scale,
                       QuantFactor offset, uint32_t count, const AscendC::AscendQuantConfig& config,
                       const Tmp& tmp, Location where);

}  // namespace twin::advanced

#define TWIN_QUANT(TMP, tmp, SCALE, scaleCount, OFFSET, offsetCount, COUNTS, count)                \
    template <typename T, bool isReuseSource = false,                                              \
              const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>                          \
    inline void AscendQuant(const LocalTensor<int8_t>& dstTensor, const LocalTensor<T>& srcTensor, \
                            TMP(const) SCALE scale, OFFSET offset, COUNTS() TWIN_HERE) {           \
        TWIN_REFUSE_DTYPE(AscendQuant, T, half, float);                                            \
        ::twin::advanced::RunQuant(::twin::kDtypeOf<T>, dstTensor, srcTensor, {scale, scaleCount}, \
                                   {offset, offsetCount}, count, config, tmp, here);               \
    }
#define TWIN_QUANT_SCALE_COUNT() const uint32_t scaleSize, const uint32_t calCount,
#define TWIN_QUANT_BOTH_COUNTS() \
    const uint32_t scaleSize, const uint32_t offsetSize, const uint32_t calCount,

namespace AscendC {

// dst = src * scale + offset in half, every step rounded, then rounded to the nearest int8_t. Scale
// and offset are numbers, or have an element for each column.
TWIN_TMP_FORMS_OF(TWIN_QUANT, const float, 0, const float, 0, TWIN_CAL_COUNT, calCount)
TWIN_TMP_FORMS_OF(TWIN_QUANT, const float, 0, const float, 0, TWIN_NOTHING, srcTensor.GetSize())
TWIN_TMP_FORMS_OF(TWIN_QUANT, const LocalTensor<T>&, scaleSize, const T, 0, TWIN_QUANT_SCALE_COUNT,
                  calCount)
TWIN_TMP_FORMS_OF(TWIN_QUANT, const LocalTensor<T>&, scale.GetSize(), const T, 0, TWIN_NOTHING,
                  srcTensor.GetSize())
TWIN_TMP_FORMS_OF(TWIN_QUANT, const LocalTensor<T>&, scaleSize, const LocalTensor<T>&, offsetSize,
                  TWIN_QUANT_BOTH_COUNTS, calCount)
TWIN_TMP_FORMS_OF(TWIN_QUANT, const LocalTensor<T>&, scale.GetSize(), const LocalTensor<T>&,
                  offset.GetSize(), TWIN_NOTHING, srcTensor.GetSize())

}  // namespace AscendC
