// SPDX-License-Identifier: Apache-2.0
// Scratch of quantisation, broadcasts, sums and dropout, by the rules that the device checks.
#include "core/tmp_size.h"
#include "tiling/tiling_api.h"

namespace {

using twin::advanced::TmpSize;

/// Rows and columns; a shape of one dimension is one row.
struct Rows {
    explicit Rows(const ge::Shape& shape)
        : rows(shape.GetDimNum() > 1 ? static_cast<uint64_t>(shape.GetDim(0)) : 1),
          columns(static_cast<uint64_t>(shape.GetDim(shape.GetDimNum() > 1 ? 1 : 0))) {}
    uint64_t rows;
    uint64_t columns;
};

bool Known(const ge::Shape& shape) {
    return shape.GetShapeSize() > 0 && shape.GetDimNum() >= 1 && shape.GetDimNum() <= 2;
}

void Say(const TmpSize& size, uint32_t& maxValue, uint32_t& minValue) {
    maxValue = static_cast<uint32_t>(size.max);
    minValue = static_cast<uint32_t>(size.min);
}

TmpSize AntiQuant(const ge::Shape& src, const ge::Shape& scale, bool transposed, ge::DataType to) {
    if (to == ge::DT_FLOAT16 || src.GetShapeSize() <= 0) {
        return TmpSize{};
    }
    const auto scales = static_cast<uint64_t>(scale.GetShapeSize() > 0 ? scale.GetShapeSize() : 1);
    return twin::advanced::AntiQuantTmp(Rows(src).rows, static_cast<uint64_t>(src.GetShapeSize()),
                                        scales, transposed);
}

}  // namespace

namespace AscendC {

void GetAscendDequantMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize,
                                   uint32_t& maxValue, uint32_t& minValue) {
    if (Known(srcShape) && typeSize == sizeof(int32_t)) {
        const Rows shape(srcShape);
        Say(twin::advanced::DequantTmp(shape.rows, shape.columns), maxValue, minValue);
    }
}

void GetAscendQuantMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t, uint32_t& maxValue,
                                 uint32_t& minValue) {
    if (srcShape.GetShapeSize() > 0) {
        Say(twin::advanced::QuantTmp(static_cast<uint64_t>(srcShape.GetShapeSize())), maxValue,
            minValue);
    }
}

uint32_t GetAscendAntiQuantMaxTmpSize(const ge::Shape& srcShape, const ge::Shape& scaleShape,
                                      bool isTranspose, ge::DataType, ge::DataType outputDataType) {
    return static_cast<uint32_t>(AntiQuant(srcShape, scaleShape, isTranspose, outputDataType).max);
}
uint32_t GetAscendAntiQuantMinTmpSize(const ge::Shape& srcShape, const ge::Shape& scaleShape,
                                      bool isTranspose, ge::DataType, ge::DataType outputDataType) {
    return static_cast<uint32_t>(AntiQuant(srcShape, scaleShape, isTranspose, outputDataType).min);
}
void GetAscendAntiQuantMaxMinTmpSize(const ge::Shape& srcShape, const ge::Shape& scaleShape,
                                     bool isTranspose, ge::DataType, ge::DataType outputDataType,
                                     uint32_t& maxValue, uint32_t& minValue) {
    Say(AntiQuant(srcShape, scaleShape, isTranspose, outputDataType), maxValue, minValue);
}

void GetBroadCastMaxMinTmpSize(const platform_ascendc::PlatformAscendC&, const ge::Shape& srcShape,
                               const ge::Shape& dstShape, uint32_t typeSize, const bool,
                               uint32_t& maxValue, uint32_t& minValue) {
    if (Known(srcShape) && Known(dstShape) && srcShape.GetDimNum() == dstShape.GetDimNum()) {
        const Rows to(dstShape);
        Say(twin::advanced::BroadcastTmp(typeSize, static_cast<uint64_t>(srcShape.GetShapeSize()),
                                         to.rows, to.columns),
            maxValue, minValue);
    }
}

void GetCumSumMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize,
                            const bool isLastAxis, const bool, uint32_t& maxValue,
                            uint32_t& minValue) {
    if (Known(srcShape) && srcShape.GetDimNum() == 2) {
        const Rows shape(srcShape);
        Say(twin::advanced::CumSumTmp(typeSize, shape.rows, shape.columns, isLastAxis), maxValue,
            minValue);
    }
}

uint32_t GetDropOutMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize,
                              const bool isReuseSource) {
    uint32_t most = 0;
    uint32_t least = 0;
    GetDropOutMaxMinTmpSize(srcShape, typeSize, isReuseSource, most, least);
    return least;
}
uint32_t GetDropOutMaxTmpSize(const ge::Shape& srcShape, const uint32_t typeSize,
                              const bool isReuseSource) {
    uint32_t most = 0;
    uint32_t least = 0;
    GetDropOutMaxMinTmpSize(srcShape, typeSize, isReuseSource, most, least);
    return most;
}
void GetDropOutMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t, const bool,
                             uint32_t& maxValue, uint32_t& minValue) {
    const int64_t size = srcShape.GetShapeSize();
    Say(twin::advanced::DropOutTmp(size > 0 ? static_cast<uint64_t>(size) : 0), maxValue, minValue);
}

void GetArithProgressionMaxMinTmpSize(uint32_t& maxValue, uint32_t& minValue) {
    maxValue = minValue = 0;
}

}  // namespace AscendC
