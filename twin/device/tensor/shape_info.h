// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/core.h"
#include "device/types/enums.h"

// A kernel may define it to make ShapeInfo smaller on the chip; the twin's ShapeInfo keeps its
// size.
#ifndef K_MAX_SHAPE_DIM
#define K_MAX_SHAPE_DIM 8
#endif

namespace twin {

constexpr uint32_t kMaxShapeDim = 8;

[[noreturn]] TWIN_API void RefuseShape(uint32_t shapeDim, uint32_t originalShapeDim,
                                       Location where);

}  // namespace twin

namespace AscendC {

/// A tensor's shape and the shape before a change of format. It is only stored; no instruction
/// reads it.
struct ShapeInfo {
    ShapeInfo() = default;
    ShapeInfo(const uint8_t inputShapeDim, const uint32_t inputShape[],
              const uint8_t inputOriginalShapeDim, const uint32_t inputOriginalShape[],
              const DataFormat inputFormat, TWIN_HERE)
        : shapeDim(inputShapeDim),
          originalShapeDim(inputOriginalShapeDim),
          dataFormat(inputFormat) {
        if (shapeDim > twin::kMaxShapeDim || originalShapeDim > twin::kMaxShapeDim) {
            twin::RefuseShape(shapeDim, originalShapeDim, here);
        }
        for (uint32_t i = 0; i < shapeDim; ++i) {
            shape[i] = inputShape[i];
        }
        for (uint32_t i = 0; i < originalShapeDim; ++i) {
            originalShape[i] = inputOriginalShape[i];
        }
    }
    ShapeInfo(const uint8_t inputShapeDim, const uint32_t inputShape[],
              const DataFormat inputFormat, TWIN_HERE)
        : ShapeInfo(inputShapeDim, inputShape, inputShapeDim, inputShape, inputFormat, here) {}
    ShapeInfo(const uint8_t inputShapeDim, const uint32_t inputShape[], TWIN_HERE)
        : ShapeInfo(inputShapeDim, inputShape, inputShapeDim, inputShape, DataFormat::ND, here) {}

    uint8_t shapeDim = 0;
    uint8_t originalShapeDim = 0;
    uint32_t shape[twin::kMaxShapeDim] = {};
    uint32_t originalShape[twin::kMaxShapeDim] = {};
    DataFormat dataFormat = DataFormat::ND;
};

/// Number of elements of the shape.
inline uint64_t GetShapeSize(const ShapeInfo& shapeInfo) {
    int size = 1;
    for (uint32_t i = 0; i < shapeInfo.shapeDim; ++i) {
        size *= static_cast<int>(shapeInfo.shape[i]);
    }
    return static_cast<uint64_t>(size);
}

/// A type with a layout, for LocalTensor<TensorTrait<T>>: it is not modelled, so tensors refuse it.
template <typename T>
struct TensorTrait {
    using LiteType = T;
};

}  // namespace AscendC

namespace twin {

/// A copy of the shape that outlives the kernel, because tensors are copied often and must stay
/// small.
TWIN_API const AscendC::ShapeInfo* KeepShape(const AscendC::ShapeInfo& shape);

template <typename T>
constexpr bool kHasTrait = false;
template <typename T>
constexpr bool kHasTrait<AscendC::TensorTrait<T>> = true;

}  // namespace twin
