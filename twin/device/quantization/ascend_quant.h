// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/library/tmp.h"
#include "device/vec/shapes.h"

namespace AscendC {

/// Counts known at compile time. A count other than 0 replaces the count that the call passes.
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

/// The scale or offset of a call: a tensor of `count` elements, one for each column, or a number.
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

// The overloads below compute dst = src * scale + offset in half, rounded after each operation.
// The result is converted to int8_t. Scale and offset are numbers, or have an element per column.
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

namespace AscendC {

/// Shape of src: `m` rows of `n` int32_t. The first `calCount` elements of each row are computed.
struct DequantParams {
    uint32_t m;
    uint32_t n;
    uint32_t calCount;
};

/// If the mode is DEQUANT_WITH_SINGLE_ROW, DequantParams {1, m * n, n} means m rows of n elements.
enum class DeQuantMode : uint8_t { DEQUANT_WITH_SINGLE_ROW = 0, DEQUANT_WITH_MULTI_ROW };

}  // namespace AscendC

namespace twin::advanced {

/// The scale of a call: a tensor, or one number as float.
struct DequantScale {
    Dtype dtype = Dtype::F32;
    bool tensor = false;
    Operand place = {};
    float number = 0.0F;

    template <typename T>
    DequantScale(const AscendC::LocalTensor<T>& scales)
        : dtype(kDtypeOf<T>), tensor(true), place(scales) {}
    DequantScale(float value) : number(value) {}
    DequantScale(bfloat16_t value) : number(static_cast<float>(value)) {}
};

/// The elements to compute: the rows in `params`, or `total` elements in rows as long as the scale.
struct DequantShape {
    AscendC::DequantParams params = {};
    bool rows = false;       ///< the call has params
    uint32_t total = 0;      ///< number of elements, if the call has no params
    bool singleRow = false;  ///< true if the mode is DEQUANT_WITH_SINGLE_ROW

    DequantShape(uint32_t total) : total(total) {}
    DequantShape(const AscendC::DequantParams& params, AscendC::DeQuantMode mode)
        : params(params),
          rows(true),
          singleRow(mode == AscendC::DeQuantMode::DEQUANT_WITH_SINGLE_ROW) {}
};

TWIN_API void RunDequant(Dtype dtype, const Operand& dst, const Operand& src,
                         const DequantScale& scale, const DequantShape& shape, const Tmp& tmp,
                         Location where);

template <typename D, typename S, bool tensor>
constexpr void CheckDequantTypes() {
    constexpr bool kToFloat = std::is_same<D, float>::value || std::is_same<D, bfloat16_t>::value;
    constexpr bool kFloat = std::is_same<S, float>::value || std::is_same<S, bfloat16_t>::value;
    constexpr bool kHalf =
        tensor && std::is_same<D, half>::value && std::is_same<S, uint64_t>::value;
    static_assert((kToFloat && kFloat) || kHalf,
                  "AscendDequant: these types are not supported on A2/A3; it takes scales of float "
                  "or bfloat16_t to float or bfloat16_t, and tensors of uint64_t to half");
}

}  // namespace twin::advanced

namespace AscendC {

#define TWIN_DEQUANT(TMP, tmp, SCALE, isTensor, EXTENT, ...)                                 \
    template <typename dstT, typename scaleT,                                                \
              DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>                       \
    inline void AscendDequant(const LocalTensor<dstT>& dstTensor,                            \
                              const LocalTensor<int32_t>& srcTensor, SCALE deqScale,         \
                              TMP(const) EXTENT() TWIN_HERE) {                               \
        ::twin::advanced::CheckDequantTypes<dstT, scaleT, isTensor>();                       \
        ::twin::advanced::RunDequant(::twin::kDtypeOf<dstT>, dstTensor, srcTensor, deqScale, \
                                     __VA_ARGS__, tmp, here);                                \
    }
#define TWIN_DEQUANT_ROWS() DequantParams params,
/// Computes dst = src * scale in float and rounds once; each column has its own scale.
TWIN_TMP_FORMS_OF(TWIN_DEQUANT, const LocalTensor<scaleT>&, true, TWIN_DEQUANT_ROWS, {params, mode})
TWIN_TMP_FORMS_OF(TWIN_DEQUANT, const LocalTensor<scaleT>&, true, TWIN_CAL_COUNT, calCount)
TWIN_TMP_FORMS_OF(TWIN_DEQUANT, const LocalTensor<scaleT>&, true, TWIN_NOTHING, srcTensor.GetSize())
/// Computes dst = src * scale with one scale for all elements.
TWIN_TMP_FORMS_OF(TWIN_DEQUANT, const scaleT, false, TWIN_DEQUANT_ROWS, {params, mode})

}  // namespace AscendC
