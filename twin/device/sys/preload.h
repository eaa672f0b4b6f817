// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_SYS_PRELOAD_H
#define TWIN_DEVICE_SYS_PRELOAD_H

#include <type_traits>

#include "device/tensor/global_tensor.h"

namespace twin {

TWIN_API void PreloadInstructions(int64_t length, Location where);

}  // namespace twin

namespace AscendC {

/// Loads the next `preFetchLen` * 2 KiB of code; less than the core's instruction cache, which has
/// 16 KiB on a vector core. It does not change results.
inline void ICachePreLoad(const int64_t preFetchLen, TWIN_HERE) {
    twin::PreloadInstructions(preFetchLen, here);
}
/// Returns 0: the preload has finished, which is always true on the twin.
inline int64_t GetICachePreloadStatus() { return 0; }

/// Reads the line of 64 B at byte `cacheOffset` into the scalar data cache: later GetValue calls
/// see its present contents.
template <typename T>
inline void DataCachePreload(const GlobalTensor<uint64_t>& src, const T cacheOffset, TWIN_HERE) {
    static_assert(std::is_integral<T>::value, "DataCachePreload: the offset counts bytes");
    twin::GmOperand place = twin::Of(src);
    place.address += static_cast<uintptr_t>(static_cast<int64_t>(cacheOffset));
    twin::GmScalar(place, 1, "DataCachePreload", here);
}

}  // namespace AscendC

#define PRELOAD(len) ::AscendC::ICachePreLoad(len)

#endif  // TWIN_DEVICE_SYS_PRELOAD_H
