// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_CUBE_INIT_CONST_VALUE_H
#define TWIN_DEVICE_CUBE_INIT_CONST_VALUE_H

#include <cstring>

#include "core/uses.h"
#include "device/cube/params.h"
#include "device/tensor/local_tensor.h"

namespace twin::cube {

/// `pattern` is repeated over every block.
TWIN_API void FillBlocks(const Operand& dst, uint32_t repeats, uint32_t blocks, uint32_t gap,
                         uint32_t pattern, Dtype dtype, Location where);

}  // namespace twin::cube

namespace AscendC {

/// Fills L1 (blocks of 32 B, pipe MTE2), L0A or L0B (blocks of 512 B, pipe MTE1) with one value.
template <typename T, typename U = T>
inline void InitConstValue(const LocalTensor<T>& dst,
                           const InitConstValueParams<U>& initConstValueParams, TWIN_HERE) {
    static_assert(
        std::is_same<T, U>::value &&
            twin::kOneOf<T, half, int16_t, uint16_t, bfloat16_t, int32_t, uint32_t, float>,
        "InitConstValue takes half, bfloat16_t, int16_t, uint16_t, int32_t, uint32_t and "
        "float, the value in the tensor's type");
    TWIN_USES_CUBE;
    uint32_t pattern = 0;
    std::memcpy(&pattern, &initConstValueParams.initValue, sizeof(T));
    pattern |= sizeof(T) == 2 ? pattern << 16 : 0;
    twin::cube::FillBlocks(twin::Of(dst), initConstValueParams.repeatTimes,
                           initConstValueParams.blockNum, initConstValueParams.dstGap, pattern,
                           twin::kDtypeOf<T>, here);
}

/// The newer name of InitConstValue.
template <typename T, typename U = T>
inline void Fill(const LocalTensor<T>& dst, const InitConstValueParams<U>& initConstValueParams,
                 TWIN_HERE) {
    InitConstValue<T, U>(dst, initConstValueParams, here);
}

}  // namespace AscendC

#endif  // TWIN_DEVICE_CUBE_INIT_CONST_VALUE_H
