// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/library/tmp.h"
#include "device/vec/shapes.h"

namespace twin::advanced {

/// Scale or offset: a tensor with its height and width (0: unknown), a number, or none.
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
    return {AntiQuantFactor::Kind::Tensor, Of(tensor),
            height == 0 && known ? static_cast<uint32_t>(shape.shape[0]) : height,
            width == 0 && known ? static_cast<uint32_t>(shape.shape[1]) : width, 0.0F};
}
template <typename T>
AntiQuantFactor NumberOf(const T& value) {
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

#define TWIN_ANTIQUANT_TEMPLATE \
    template <typename InputDataType, typename OutputDataType, bool isTranspose>
// SHAPES is for tensors that do not know their shape. OFFSET and SCALE are factors.
#define TWIN_ANTIQUANT_BODY(OFFSET, SCALE, TMP)                                               \
    {                                                                                         \
        ::twin::advanced::CheckAntiQuantTypes<InputDataType, OutputDataType>();               \
        ::twin::advanced::RunAntiQuant(                                                       \
            {::twin::kDtypeOf<InputDataType>, ::twin::kDtypeOf<OutputDataType>, isTranspose}, \
            ::twin::Of(dst), ::twin::Of(src), OFFSET, SCALE, K, TMP, here);                   \
    }
#define TWIN_OFFSET_TENSOR(SHAPES) \
    ::twin::advanced::FactorOf(offset, SHAPES.offsetHeight, SHAPES.offsetWidth)
#define TWIN_SCALE_TENSOR(SHAPES) \
    ::twin::advanced::FactorOf(scale, SHAPES.scaleHeight, SHAPES.scaleWidth)

namespace AscendC {

/// Shapes of offset and scale; 0 means those of the tensors' ShapeInfo.
struct AntiQuantShapeInfo {
    uint32_t offsetHeight{0};
    uint32_t offsetWidth{0};
    uint32_t scaleHeight{0};
    uint32_t scaleWidth{0};
};

// dst = (src + offset) * scale: in half with every step rounded, or in float for bfloat16_t.

TWIN_ANTIQUANT_TEMPLATE
inline void AscendAntiQuant(const LocalTensor<OutputDataType>& dst,
                            const LocalTensor<InputDataType>& src,
                            const LocalTensor<OutputDataType>& offset,
                            const LocalTensor<OutputDataType>& scale,
                            const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t K,
                            const AntiQuantShapeInfo& shapeInfo = {}, TWIN_HERE)
    TWIN_ANTIQUANT_BODY(TWIN_OFFSET_TENSOR(shapeInfo), TWIN_SCALE_TENSOR(shapeInfo),
                        sharedTmpBuffer)
    /// In the forms without scratch the library ignores shapeInfo, so the tensors must know their
    /// shape.
    TWIN_ANTIQUANT_TEMPLATE
    inline void AscendAntiQuant(const LocalTensor<OutputDataType>& dst,
                                const LocalTensor<InputDataType>& src,
                                const LocalTensor<OutputDataType>& offset,
                                const LocalTensor<OutputDataType>& scale, const uint32_t K,
                                const AntiQuantShapeInfo& shapeInfo = {}, TWIN_HERE)
        TWIN_ANTIQUANT_BODY(TWIN_OFFSET_TENSOR(AntiQuantShapeInfo()),
                            TWIN_SCALE_TENSOR(AntiQuantShapeInfo()), {}) TWIN_ANTIQUANT_TEMPLATE
    inline void AscendAntiQuant(const LocalTensor<OutputDataType>& dst,
                                const LocalTensor<InputDataType>& src,
                                const LocalTensor<OutputDataType>& scale,
                                const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t K,
                                const AntiQuantShapeInfo& shapeInfo = {}, TWIN_HERE)
        TWIN_ANTIQUANT_BODY({}, TWIN_SCALE_TENSOR(shapeInfo),
                            sharedTmpBuffer) TWIN_ANTIQUANT_TEMPLATE
    inline void AscendAntiQuant(const LocalTensor<OutputDataType>& dst,
                                const LocalTensor<InputDataType>& src, const OutputDataType offset,
                                const OutputDataType scale,
                                const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t K,
                                const AntiQuantShapeInfo& shapeInfo = {}, TWIN_HERE)
        TWIN_ANTIQUANT_BODY(::twin::advanced::NumberOf(offset), ::twin::advanced::NumberOf(scale),
                            sharedTmpBuffer) TWIN_ANTIQUANT_TEMPLATE
    inline void AscendAntiQuant(const LocalTensor<OutputDataType>& dst,
                                const LocalTensor<InputDataType>& src, const OutputDataType offset,
                                const OutputDataType scale, const uint32_t K,
                                const AntiQuantShapeInfo& shapeInfo = {}, TWIN_HERE)
        TWIN_ANTIQUANT_BODY(::twin::advanced::NumberOf(offset), ::twin::advanced::NumberOf(scale),
                            {}) TWIN_ANTIQUANT_TEMPLATE
    inline void AscendAntiQuant(const LocalTensor<OutputDataType>& dst,
                                const LocalTensor<InputDataType>& src, const OutputDataType scale,
                                const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t K,
                                const AntiQuantShapeInfo& shapeInfo = {}, TWIN_HERE)
        TWIN_ANTIQUANT_BODY({}, ::twin::advanced::NumberOf(scale), sharedTmpBuffer)

}  // namespace AscendC
