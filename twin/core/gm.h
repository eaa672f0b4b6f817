// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "core/byte_range.h"
#include "core/types.h"

namespace twin {

/// An array that the caller passed to a launch: the type of its elements, and the types as which
/// the kernel accesses them. In `taken` and `used`, bit d stands for Dtype d.
struct GivenArray {
    ElementType dtype;               ///< unknown if the caller did not declare it
    std::atomic<uint32_t> taken{0};  ///< element types of GlobalTensors that accessed the array
    std::atomic<uint32_t> used{0};   ///< types as which the scalar unit read elements of the array
};

/// Word that fills the user workspace of a launch. The word is a NaN as float, and each of its
/// halves is a NaN as half and as bfloat16. Kernels often write -1, so the word has no half 0xFFFF.
constexpr uint32_t kWorkspaceFill = 0x7FE97FD3;
/// Returns true for the name of a workspace, which only the kernel uses.
TWIN_API bool IsWorkspace(std::string name);
/// Fills memory with copies of a word.
TWIN_API void FillWords(void* begin, uint64_t bytes, uint32_t word);
/// Fills a user workspace.
TWIN_API void FillWorkspace(void* workspace, uint64_t bytes);
/// Returns the byte that the fill writes `offset` bytes behind the start of the workspace.
constexpr uint8_t WorkspaceFillAt(uint64_t offset) {
    return static_cast<uint8_t>(kWorkspaceFill >> offset % sizeof(kWorkspaceFill) * 8);
}

/// A range of global memory that kernels may touch.
struct GmRange {
    uintptr_t begin = 0;
    uint64_t bytes = 0;
    bool readOnly = false;
    std::string label;    ///< name in errors, such as "input x", "workspace" or "aclrtMalloc #3"
    uint64_t order = 0;   ///< number of the range in the order of registration
    uint64_t device = 0;  ///< modelled device address of `begin`; every launch sets it anew
    GivenArray* array = nullptr;  ///< nullptr: the type of the elements is not known
    /// When the launch begins, all words are kWorkspaceFill, and count as unwritten.
    bool undefined = false;

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
