// SPDX-License-Identifier: Apache-2.0
#include "device/tensor/shape_info.h"

#include <algorithm>
#include <list>
#include <mutex>

namespace twin {

void RefuseShape(uint32_t shapeDim, uint32_t originalShapeDim, Location where) {
    Self().Begin(where);
    Fail("T444", "too many dimensions: ShapeInfo of %u and %u dimensions, expected at most %d",
         shapeDim, originalShapeDim, kMaxShapeDim);
}

const AscendC::ShapeInfo* KeepShape(const AscendC::ShapeInfo& shape) {
    const auto same = [&shape](const AscendC::ShapeInfo& kept) {
        return kept.shapeDim == shape.shapeDim && kept.originalShapeDim == shape.originalShapeDim &&
               kept.dataFormat == shape.dataFormat &&
               std::equal(shape.shape, shape.shape + shape.shapeDim, kept.shape) &&
               std::equal(shape.originalShape, shape.originalShape + shape.originalShapeDim,
                          kept.originalShape);
    };
    // Never freed: kernels use few different shapes, and their tensors may outlive the task.
    static auto* const shapes = new std::list<AscendC::ShapeInfo>;
    static auto* const mutex = new std::mutex;
    const std::lock_guard<std::mutex> lock(*mutex);
    auto found = std::find_if(shapes->begin(), shapes->end(), same);
    return found != shapes->end() ? &*found : &shapes->emplace_back(shape);
}

}  // namespace twin
