// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/library/tmp.h"
#include "device/vec/shapes.h"

namespace twin::advanced {

/// The scale or offset of a call: a tensor with height and width (0: unknown), a number, or none.
struct AntiQuantFactor {
    enum class Kind : uint8_t { None, Number, Tensor };
    Kind kind = Kind::None;
    Operand place = {};
    uint32_t height = 0;
    uint32_t width = 0;
    float number = 0.0F;
};

template <typename T>
AntiQuantFactor FactorOf(const AscendC::LocalTensor<T>& tensor, uint32_t height, uint32_t width) {
    const AscendC::ShapeInfo shape = tensor.GetShapeInfo();
    const bool known = shape.shapeDim >= 2;
    return {AntiQuantFactor::Kind::Tensor, tensor,
            height == 0 && known ? static_cast<uint32_t>(shape.shape[0]) : height,
            width == 0 && known ? static_cast<uint32_t>(shape.shape[1]) : width, 0.0F};
}
template <typename T>
AntiQuantFactor FactorOf(const T& value, uint32_t /*height*/, uint32_t /*width*/) {
    return {AntiQuantFactor::Kind::Number, {}, 0, 0, static_cast<float>(value)};
}

struct AntiQuantTypes {
    Dtype from;
    Dtype to;
    bool transposed;
};

TWIN_API void RunAntiQuant(const AntiQuantTypes& types, const Operand& dst, const Operand& src,
                           const AntiQuantFactor& offset, const AntiQuantFactor& scale, uint32_t k,
                           const Tmp& tmp, Location where);

template <typename I, typename O>
constexpr void CheckAntiQuantTypes() {
    TWIN_REFUSE_DTYPE(AscendAntiQuant, I, int8_t, AscendC::int4b_t);
    TWIN_REFUSE_DTYPE(AscendAntiQuant, O, half, bfloat16_t);
}

}  // namespace twin::advanced

// Declares an overload of AscendAntiQuant. FACTOR is the type of scale and offset. SHAPES gives the
// shapes of tensors that have no ShapeInfo.
#define TWIN_ANTIQUANT(TMP, tmp, FACTOR, SHAPES, OFFSET, offsetFactor)                             \
    template <typename InputDataType, typename OutputDataType, bool isTranspose>                   \
    inline void AscendAntiQuant(const LocalTensor<OutputDataType>& dst,                            \
                                const LocalTensor<InputDataType>& src,                             \
                                OFFSET(FACTOR) FACTOR scale, TMP(const) const uint32_t K,          \
                                const AntiQuantShapeInfo& shapeInfo = {}, TWIN_HERE) {             \
        ::twin::advanced::CheckAntiQuantTypes<InputDataType, OutputDataType>();                    \
        ::twin::advanced::RunAntiQuant(                                                            \
            {::twin::kDtypeOf<InputDataType>, ::twin::kDtypeOf<OutputDataType>, isTranspose}, dst, \
            src, offsetFactor,                                                                     \
            ::twin::advanced::FactorOf(scale, SHAPES.scaleHeight, SHAPES.scaleWidth), K, tmp,      \
            here);                                                                                 \
    }
#define TWIN_ANTIQUANT_SHIFTED(TMP, tmp, FACTOR, SHAPES)            \
    TWIN_ANTIQUANT(TMP, tmp, FACTOR, SHAPES, TWIN_ANTIQUANT_OFFSET, \
                   ::twin::advanced::FactorOf(offset, SHAPES.offsetHeight, SHAPES.offsetWidth))
#define TWIN_ANTIQUANT_OFFSET(FACTOR) FACTOR offset,

namespace AscendC {

/// Shapes of offset and scale; 0 means the shape in the tensor's ShapeInfo.
struct AntiQuantShapeInfo {
    uint32_t offsetHeight{0};
    uint32_t offsetWidth{0};
    uint32_t scaleHeight{0};
    uint32_t scaleWidth{0};
};

// The overloads below compute dst = (src + offset) * scale, in half or (for bfloat16_t) in float.

TWIN_ANTIQUANT_SHIFTED(TWIN_TMP_BUFFER, sharedTmpBuffer, const LocalTensor<OutputDataType>&,
                       shapeInfo)
/// Without a temporary buffer, the library ignores shapeInfo: the tensors must have a ShapeInfo.
TWIN_ANTIQUANT_SHIFTED(TWIN_NOTHING, {}, const LocalTensor<OutputDataType>&, AntiQuantShapeInfo())
TWIN_TMP_FORMS_OF(TWIN_ANTIQUANT_SHIFTED, const OutputDataType, shapeInfo)
TWIN_ANTIQUANT(TWIN_TMP_BUFFER, sharedTmpBuffer, const LocalTensor<OutputDataType>&, shapeInfo,
               TWIN_NOTHING, {})
TWIN_ANTIQUANT(TWIN_TMP_BUFFER, sharedTmpBuffer, const OutputDataType, shapeInfo, TWIN_NOTHING, {})

}  // namespace AscendC
