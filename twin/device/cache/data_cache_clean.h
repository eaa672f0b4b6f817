// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/types.h"
#include "device/sync/events.h"
#include "device/tensor/global_tensor.h"
#include "device/tensor/local_tensor.h"
#include "device/types/dtype.h"

namespace twin {

/// Reads `bytes` bytes of GM without the scalar data cache; checks and records the access.
TWIN_API uint64_t ReadGmDirectly(const void* place, uint32_t bytes, Location where);
TWIN_API void WriteGmDirectly(void* place, const void* value, uint32_t bytes, Location where);
/// Records a call of DataCacheCleanAndInvalid for UB, which changes no data.
TWIN_API void CleanUb(Location where);

}  // namespace twin

#define TWIN_BY_PASS_TYPES int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t

namespace AscendC {

enum class CacheLine : uint64_t { SINGLE_CACHE_LINE = 0, ENTIRE_DATA_CACHE };
enum class DcciDst : uint64_t { CACHELINE_ALL = 0, CACHELINE_UB, CACHELINE_OUT, CACHELINE_ATOMIC };

/// Writes back and invalidates the 64 B cache line of the tensor's first element, or all lines. The
/// next GetValue then reads memory again.
template <typename T, CacheLine entireType, DcciDst dcciDst>
inline void DataCacheCleanAndInvalid(const GlobalTensor<T>& dst, TWIN_HERE) {
    static_assert(
        dcciDst == DcciDst::CACHELINE_ALL || dcciDst == DcciDst::CACHELINE_OUT,
        "DataCacheCleanAndInvalid: global memory is behind CACHELINE_OUT or CACHELINE_ALL");
    twin::CleanDataCache(dst, entireType == CacheLine::ENTIRE_DATA_CACHE, here);
}

template <typename T, CacheLine entireType>
inline void DataCacheCleanAndInvalid(const GlobalTensor<T>& dst, TWIN_HERE) {
    twin::CleanDataCache(dst, entireType == CacheLine::ENTIRE_DATA_CACHE, here);
}

/// Changes no data: the scalar unit accesses UB without a cache, so there is nothing to write back.
template <typename T, CacheLine entireType, DcciDst dcciDst>
inline void DataCacheCleanAndInvalid(const LocalTensor<T>& dst, TWIN_HERE) {
    static_assert(dcciDst == DcciDst::CACHELINE_ALL || dcciDst == DcciDst::CACHELINE_UB,
                  "DataCacheCleanAndInvalid: a local tensor takes CACHELINE_UB or CACHELINE_ALL");
    twin::RequireMemory(dst, twin::Memory::Ub, "DataCacheCleanAndInvalid", "dst");
    twin::CleanUb(here);
}

/// Reads one element of GM without the scalar data cache. Toolkit 8.1 does not have this function.
template <typename T>
inline T ReadGmByPassDCache(__gm__ T* addr, TWIN_HERE) {
    static_assert(twin::kOneOf<T, TWIN_BY_PASS_TYPES>,
                  "ReadGmByPassDCache: this type is not supported; it takes integers");
    return static_cast<T>(twin::ReadGmDirectly(addr, sizeof(T), here));
}

/// Writes one element of GM without the scalar data cache. SetValue, in contrast, changes a cache
/// line of 64 B, which is written back later. Toolkit 8.1 does not have this function.
template <typename T>
inline void WriteGmByPassDCache(__gm__ T* addr, T value, TWIN_HERE) {
    static_assert(twin::kOneOf<T, TWIN_BY_PASS_TYPES>,
                  "WriteGmByPassDCache: this type is not supported; it takes integers");
    twin::WriteGmDirectly(addr, &value, sizeof(T), here);
}

}  // namespace AscendC

#undef TWIN_BY_PASS_TYPES
