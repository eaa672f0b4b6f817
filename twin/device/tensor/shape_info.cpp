// SPDX-License-Identifier: Apache-2.0
#include "device/tensor/shape_info.h"

namespace twin {

void RefuseShape(uint32_t shapeDim, uint32_t originalShapeDim, Location where) {
    Self().Begin(where);
    Fail("T444", "too many dimensions: ShapeInfo of %u and %u dimensions, expected at most %d",
         shapeDim, originalShapeDim, AscendC::K_MAX_SHAPE_DIM);
}

}  // namespace twin
