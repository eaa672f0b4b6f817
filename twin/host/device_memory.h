// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

#include "core/types.h"

namespace twin::host {

/// New device memory and a kernel's workspace are filled with the poison pattern up to this many
/// bytes; for larger ones, filling would cost more than it finds.
constexpr uint64_t kPoisonLimit = 64ULL << 20;

/// Fills with the pattern that also fills a core's unified buffer: it is NaN as float and as
/// bfloat16.
TWIN_API void FillPoison(void* begin, uint64_t bytes);

/// Device memory is host memory with a 512-byte aligned base between guard pages. Thread safe;
/// never destroyed.
class DeviceMemory {
public:
    static DeviceMemory& Instance();

    /// `spare` bytes follow the size rounded up to 32, but kernels may touch only the requested
    /// size.
    int Allocate(const char* function, uint64_t size, uint64_t spare, void** address);
    /// `function` is the name of the caller, for messages.
    int Free(const char* function, void* address);
    void FreeAll();
    /// Sum of the real sizes of all allocations.
    uint64_t Used() const;
    /// True if the address lies in an allocation (not in registered host memory).
    bool Contains(const void* address) const;

private:
    struct Block {
        uint64_t bytes;    ///< real size
        uint8_t* mapping;  ///< includes the guard pages
        size_t mapped;
    };

    DeviceMemory() = default;

    mutable std::mutex mutex_;
    std::map<uintptr_t, Block> blocks_;
    uint64_t used_ = 0;
    uint64_t count_ = 0;
};

/// Host memory that device code may touch, and memory that aclrtHostRegisterV2 only pinned. Thread
/// safe; never destroyed.
class HostMappings {
public:
    static HostMappings& Instance();

    int Add(const char* function, void* address, uint64_t bytes, bool mapped, bool readOnly);
    int Remove(void* address);
    int DevicePointer(void* address, void** device) const;

private:
    HostMappings() = default;

    mutable std::mutex mutex_;
    std::map<uintptr_t, bool> mappings_;  ///< base address -> visible to the device
    uint64_t count_ = 0;
};

}  // namespace twin::host
