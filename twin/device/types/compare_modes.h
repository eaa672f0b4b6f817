// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_TYPES_COMPARE_MODES_H
#define TWIN_DEVICE_TYPES_COMPARE_MODES_H

#include <cstdint>

namespace AscendC {

enum class CMPMODE : uint8_t { LT = 0, GT, EQ, LE, GE, NE };

enum class SELMODE : uint8_t {
    VSEL_CMPMASK_SPR = 0,     ///< the same bits in every repeat
    VSEL_TENSOR_SCALAR_MODE,  ///< consecutive bits; the scalar where the bit is 0
    VSEL_TENSOR_TENSOR_MODE   ///< consecutive bits
};

}  // namespace AscendC

#endif  // TWIN_DEVICE_TYPES_COMPARE_MODES_H
