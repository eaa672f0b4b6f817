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
    explicit QuantFactor(float value) : number(value) {}
};

TWIN_API void RunQuant(Dtype dtype, const Operand& dst, const Operand& src, QuantFactor scale,
                       QuantFactor offset, uint32_t count, const AscendC::AscendQuantConfig& config,
                       const Tmp& tmp, Location where);

/// Forms with a count, or for whole tensors.
template <typename T, typename Offset>
QuantFactor OffsetOf(const Offset& offset, uint32_t count) {
    if constexpr (std::is_same<Offset, AscendC::LocalTensor<T>>::value) {
        return QuantFactor(Of(offset), count);
    } else {
        return QuantFactor(static_cast<float>(offset));
    }
}

}  // namespace twin::advanced

#define TWIN_QUANT_TEMPLATE                           \
    template <typename T, bool isReuseSource = false, \
              const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>

// Forms with one number, with and without a count, after TMP_PARAMETER, which is passed on as TMP.
#define TWIN_QUANT_BY_NUMBER(TMP, ...)                                                             \
    TWIN_QUANT_TEMPLATE                                                                            \
    inline void AscendQuant(const LocalTensor<int8_t>& dstTensor, const LocalTensor<T>& srcTensor, \
                            __VA_ARGS__ const float scale, const float offset,                     \
                            const uint32_t calCount, TWIN_HERE) {                                  \
        TWIN_REFUSE_DTYPE(AscendQuant, T, half, float);                                            \
        ::twin::advanced::RunQuant(::twin::kDtypeOf<T>, ::twin::Of(dstTensor),                     \
                                   ::twin::Of(srcTensor), ::twin::advanced::QuantFactor(scale),    \
                                   ::twin::advanced::QuantFactor(offset), calCount, config, TMP,   \
                                   here);                                                          \
    }                                                                                              \
    TWIN_QUANT_TEMPLATE                                                                            \
    inline void AscendQuant(const LocalTensor<int8_t>& dstTensor, const LocalTensor<T>& srcTensor, \
                            __VA_ARGS__ const float scale, const float offset, TWIN_HERE) {        \
        TWIN_REFUSE_DTYPE(AscendQuant, T, half, float);                                            \
        ::twin::advanced::RunQuant(::twin::kDtypeOf<T>, ::twin::Of(dstTensor),                     \
                                   ::twin::Of(srcTensor), ::twin::advanced::QuantFactor(scale),    \
                                   ::twin::advanced::QuantFactor(offset), srcTensor.GetSize(),     \
                                   config, TMP, here);                                             \
    }

// Forms by columns: OFFSET is a number or a tensor; COUNTS are the counts after it, OFFSETS that of
// offset.
#define TWIN_QUANT_BY_COLUMN(TMP, OFFSET, COUNTS, OFFSETS, WHOLE_OFFSETS, ...)                     \
    TWIN_QUANT_TEMPLATE                                                                            \
    inline void AscendQuant(const LocalTensor<int8_t>& dstTensor, const LocalTensor<T>& srcTensor, \
                            __VA_ARGS__ const LocalTensor<T>& scaleTensor, OFFSET offset,          \
                            COUNTS const uint32_t calCount, TWIN_HERE) {                           \
        TWIN_REFUSE_DTYPE(AscendQuant, T, half, float);                                            \
        ::twin::advanced::RunQuant(                                                                \
            ::twin::kDtypeOf<T>, ::twin::Of(dstTensor), ::twin::Of(srcTensor),                     \
            ::twin::advanced::QuantFactor(::twin::Of(scaleTensor), scaleCount),                    \
            ::twin::advanced::OffsetOf<T>(offset, OFFSETS), calCount, config, TMP, here);          \
    }                                                                                              \
    TWIN_QUANT_TEMPLATE                                                                            \
    inline void AscendQuant(const LocalTensor<int8_t>& dstTensor, const LocalTensor<T>& srcTensor, \
                            __VA_ARGS__ const LocalTensor<T>& scaleTensor, OFFSET offset,          \
                            TWIN_HERE) {                                                           \
        TWIN_REFUSE_DTYPE(AscendQuant, T, half, float);                                            \
        ::twin::advanced::RunQuant(                                                                \
            ::twin::kDtypeOf<T>, ::twin::Of(dstTensor), ::twin::Of(srcTensor),                     \
            ::twin::advanced::QuantFactor(::twin::Of(scaleTensor), scaleTensor.GetSize()),         \
            ::twin::advanced::OffsetOf<T>(offset, WHOLE_OFFSETS), srcTensor.GetSize(), config,     \
            TMP, here);                                                                            \
    }
#define TWIN_QUANT_SCALE_COUNT const uint32_t scaleCount,
#define TWIN_QUANT_BOTH_COUNTS const uint32_t scaleCount, const uint32_t offsetCount,
#define TWIN_QUANT_TMP const LocalTensor<uint8_t>&sharedTmpBuffer,

namespace AscendC {

// dst = src * scale + offset in half, every step rounded, then rounded to the nearest int8_t.
TWIN_QUANT_BY_NUMBER(sharedTmpBuffer, TWIN_QUANT_TMP)
TWIN_QUANT_BY_NUMBER({}, )
TWIN_QUANT_BY_COLUMN(sharedTmpBuffer, const T, TWIN_QUANT_SCALE_COUNT, 0, 0, TWIN_QUANT_TMP)
TWIN_QUANT_BY_COLUMN({}, const T, TWIN_QUANT_SCALE_COUNT, 0, 0, )
TWIN_QUANT_BY_COLUMN(sharedTmpBuffer, const LocalTensor<T>&, TWIN_QUANT_BOTH_COUNTS, offsetCount,
                     offset.GetSize(), TWIN_QUANT_TMP)
TWIN_QUANT_BY_COLUMN({}, const LocalTensor<T>&, TWIN_QUANT_BOTH_COUNTS, offsetCount,
                     offset.GetSize(), )

}  // namespace AscendC
