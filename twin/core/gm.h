// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "core/types.h"

namespace twin {

/// A range of global memory that kernels may touch.
struct GmRange {
    uintptr_t begin = 0;
    uint64_t bytes = 0;
    bool readOnly = false;
    std::string label;    ///< name in errors, such as "input x", "workspace" or "aclrtMalloc #3"
    uint64_t order = 0;   ///< number of the range in the order of registration
    uint64_t device = 0;  ///< modelled device address of `begin`; every launch sets it anew
    /// For an array of doubles: bit d becomes 1 if the kernel accesses elements as Dtype d, a
    /// smaller type. nullptr: the caller does not want this information.
    std::atomic<uint32_t>* takenFor = nullptr;

    uintptr_t End() const { return begin + bytes; }
    bool Contains(uintptr_t address) const { return address >= begin && address - begin < bytes; }
    bool ContainsDevice(uint64_t address) const {
        return address >= device && address - device < bytes;
    }
    /// Returns true if `next` follows directly in the same allocation.
    bool Meets(const GmRange& next) const {
        return End() == next.begin && device + bytes == next.device;
    }
};

/// The allocations that a device pointer may point into. The class is safe for several threads.
class TWIN_API GmRegistry {
public:
    static GmRegistry& Instance();

    /// Adds a range. Returns false if the range is empty or overlaps a registered range.
    bool Add(const GmRange& range);
    /// Removes the range that starts at `begin`; returns false if there is none.
    bool Remove(uintptr_t begin);
    /// If a range contains `address`, sets `range` to it and returns true.
    bool Find(uintptr_t address, GmRange* range) const;
    std::vector<GmRange> Snapshot() const;
    /// Calls `look` with each range. No range can be removed meanwhile, so all the memory exists.
    void ForEach(const std::function<void(const GmRange&)>& look) const;

private:
    mutable std::mutex mutex_;
    std::map<uintptr_t, GmRange> ranges_;
    uint64_t registered_ = 0;
};

}  // namespace twin
