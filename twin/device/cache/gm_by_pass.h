// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_CACHE_GM_BY_PASS_H
#define TWIN_DEVICE_CACHE_GM_BY_PASS_H

#include "core/location.h"
#include "device/types/dtype.h"
#include "device/types/qualifiers.h"

namespace twin {

/// Scalar access to global memory that bypasses the data cache, checked and recorded.
TWIN_API uint64_t ReadGmDirectly(const void* place, uint32_t bytes, Location where);
TWIN_API void WriteGmDirectly(void* place, const void* value, uint32_t bytes, Location where);

}  // namespace twin

#define TWIN_BY_PASS_TYPES int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t

namespace AscendC {

/// Newer than 8.1: reads an element of global memory, bypassing the scalar data cache.
template <typename T>
inline T ReadGmByPassDCache(__gm__ T* addr, TWIN_HERE) {
    static_assert(twin::kOneOf<T, TWIN_BY_PASS_TYPES>,
                  "ReadGmByPassDCache: this type is not supported; it takes integers");
    return static_cast<T>(twin::ReadGmDirectly(addr, sizeof(T), here));
}

/// Newer than 8.1: writes one element and nothing around it, unlike SetValue, which writes back a
/// line of 64 B.
template <typename T>
inline void WriteGmByPassDCache(__gm__ T* addr, T value, TWIN_HERE) {
    static_assert(twin::kOneOf<T, TWIN_BY_PASS_TYPES>,
                  "WriteGmByPassDCache: this type is not supported; it takes integers");
    twin::WriteGmDirectly(addr, &value, sizeof(T), here);
}

}  // namespace AscendC

#undef TWIN_BY_PASS_TYPES

#endif  // TWIN_DEVICE_CACHE_GM_BY_PASS_H
