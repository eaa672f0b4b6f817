// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_REDUCE_ORDER_H
#define TWIN_DEVICE_REDUCE_ORDER_H

#include <cstdint>

namespace AscendC {

/// The results that a maximum or minimum writes for each repeat.
enum class ReduceOrder : uint8_t {
    ORDER_VALUE_INDEX = 0,
    ORDER_INDEX_VALUE,
    ORDER_ONLY_VALUE,
    ORDER_ONLY_INDEX
};

/// Operation of ReduceRepeat, ReduceDataBlock and ReducePairElem.
enum class ReduceType { NONE = -1, SUM = 0, MAX, MIN };

}  // namespace AscendC

#endif  // TWIN_DEVICE_REDUCE_ORDER_H
