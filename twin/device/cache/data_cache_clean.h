// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_CACHE_DATA_CACHE_CLEAN_H
#define TWIN_DEVICE_CACHE_DATA_CACHE_CLEAN_H

#include "device/sync/events.h"
#include "device/tensor/global_tensor.h"
#include "device/tensor/local_tensor.h"

namespace AscendC {

enum class CacheLine : uint64_t { SINGLE_CACHE_LINE = 0, ENTIRE_DATA_CACHE };
enum class DcciDst : uint64_t { CACHELINE_ALL = 0, CACHELINE_UB, CACHELINE_OUT, CACHELINE_ATOMIC };

/// Writes the 64 B line that holds the tensor's first element (or every line) back to memory and
/// drops it, so that the next GetValue reads memory again.
template <typename T, CacheLine entireType, DcciDst dcciDst>
inline void DataCacheCleanAndInvalid(const GlobalTensor<T>& dst, TWIN_HERE) {
    static_assert(
        dcciDst == DcciDst::CACHELINE_ALL || dcciDst == DcciDst::CACHELINE_OUT,
        "DataCacheCleanAndInvalid: global memory is behind CACHELINE_OUT or CACHELINE_ALL");
    twin::CleanDataCache(twin::Of(dst), entireType == CacheLine::ENTIRE_DATA_CACHE, here);
}

template <typename T, CacheLine entireType>
inline void DataCacheCleanAndInvalid(const GlobalTensor<T>& dst, TWIN_HERE) {
    twin::CleanDataCache(twin::Of(dst), entireType == CacheLine::ENTIRE_DATA_CACHE, here);
}

/// For UB this does nothing: the scalar unit accesses UB directly, so there is nothing to write
/// back.
template <typename T, CacheLine entireType, DcciDst dcciDst>
inline void DataCacheCleanAndInvalid(const LocalTensor<T>& dst, TWIN_HERE) {
    static_assert(dcciDst == DcciDst::CACHELINE_ALL || dcciDst == DcciDst::CACHELINE_UB,
                  "DataCacheCleanAndInvalid: a local tensor takes CACHELINE_UB or CACHELINE_ALL");
    twin::RequireMemory(twin::Of(dst), twin::Memory::Ub, "DataCacheCleanAndInvalid", "dst");
    twin::IssueBarrier("DcciUb", twin::Pipe::S, here);
}

}  // namespace AscendC

#endif  // TWIN_DEVICE_CACHE_DATA_CACHE_CLEAN_H
