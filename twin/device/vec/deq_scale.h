// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_VEC_DEQ_SCALE_H
#define TWIN_DEVICE_VEC_DEQ_SCALE_H

#include "device/tensor/local_tensor.h"

namespace twin::vec {

/// Puts a value into the scale register; for a tensor, its address in the unified buffer.
TWIN_API void SetDeqScale(DeqScaleKind kind, uint64_t value, Location where);
/// One entry of the parameters that CastDeq reads: float scale, 9-bit offset, sign mode.
TWIN_API uint64_t PackDeqScale(float scale, int16_t offset, bool signMode);

}  // namespace twin::vec

namespace AscendC {

constexpr int32_t VDEQ_TENSOR_SIZE = 16;

/// Scale, offset and sign mode of each of the 16 elements of a block.
struct VdeqInfo {
    VdeqInfo() = default;
    VdeqInfo(const float scales[VDEQ_TENSOR_SIZE], const int16_t offsets[VDEQ_TENSOR_SIZE],
             const bool signModes[VDEQ_TENSOR_SIZE]) {
        for (int32_t i = 0; i < VDEQ_TENSOR_SIZE; ++i) {
            vdeqScale[i] = scales[i];
            vdeqOffset[i] = offsets[i];
            vdeqSignMode[i] = signModes[i];
        }
    }

    float vdeqScale[VDEQ_TENSOR_SIZE] = {};
    int16_t vdeqOffset[VDEQ_TENSOR_SIZE] = {};
    bool vdeqSignMode[VDEQ_TENSOR_SIZE] = {};
};

/// For Cast from int32_t to half and for AddDeqRelu.
inline void SetDeqScale(half scale, TWIN_HERE) {
    twin::vec::SetDeqScale(twin::DeqScaleKind::Half, scale.Bits(), here);
}

/// For CastDeq without a vector of parameters.
inline void SetDeqScale(float scale, int16_t offset, bool signMode, TWIN_HERE) {
    twin::vec::SetDeqScale(twin::DeqScaleKind::Scalar,
                           twin::vec::PackDeqScale(scale, offset, signMode), here);
}

/// For CastDeq with a vector of parameters: writes them into `vdeq`, 128 B that CastDeq reads.
template <typename T>
inline void SetDeqScale(const LocalTensor<T>& vdeq, const VdeqInfo& vdeqInfo, TWIN_HERE) {
    static_assert(std::is_same<T, uint64_t>::value, "SetDeqScale: the tensor is of uint64_t");
    for (int32_t i = 0; i < VDEQ_TENSOR_SIZE; ++i) {
        vdeq.SetValue(i,
                      twin::vec::PackDeqScale(vdeqInfo.vdeqScale[i], vdeqInfo.vdeqOffset[i],
                                              vdeqInfo.vdeqSignMode[i]),
                      here);
    }
    twin::vec::SetDeqScale(twin::DeqScaleKind::Tensor, twin::Of(vdeq).address, here);
}

}  // namespace AscendC

#endif  // TWIN_DEVICE_VEC_DEQ_SCALE_H
