// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_GATHER_SCATTER_H
#define TWIN_DEVICE_GATHER_SCATTER_H

#include "device/tensor/local_tensor.h"

namespace AscendC {

/// The vector unit of A2/A3 cannot scatter; every call is refused at compile time, whatever its
/// arguments.
template <typename T, typename... Arguments>
inline void Scatter(const LocalTensor<T>&, const Arguments&...) {
    static_assert(sizeof(T) == 0,
                  "Scatter is not supported on A2/A3: write with SetValue, or copy rows with "
                  "DataCopyPad");
}

}  // namespace AscendC

#endif  // TWIN_DEVICE_GATHER_SCATTER_H
