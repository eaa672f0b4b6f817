// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_HOST_DEVICE_MEMORY_H
#define TWIN_HOST_DEVICE_MEMORY_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

#include "core/export.h"

namespace twin::host {

/// Bytes up to which fresh device memory and a kernel's workspace are filled with the poison
/// pattern; beyond, filling would cost more than it finds.
constexpr uint64_t kPoisonLimit = 64ULL << 20;

/// Fills with the pattern that also fills a core's unified buffer: NaN as float and as bfloat16.
TWIN_API void FillPoison(void* begin, uint64_t bytes);

/// Device memory: host memory with a 512-byte aligned base between guard pages. Thread safe; never
/// destroyed.
class DeviceMemory {
public:
    static DeviceMemory& Instance();

    /// `spare` bytes beyond the size rounded up to 32 exist, but kernels may touch the asked size
    /// only.
    int Allocate(const char* function, uint64_t size, uint64_t spare, void** address);
    /// `function`: whose, for messages.
    int Free(const char* function, void* address);
    void FreeAll();
    /// Sum of the real sizes of all allocations.
    uint64_t Used() const;
    /// True when the address lies in an allocation (not in registered host memory).
    bool Contains(const void* address) const;

private:
    struct Block {
        uint64_t bytes;    ///< real size
        uint8_t* mapping;  ///< with guards
        size_t mapped;
    };

    DeviceMemory() = default;

    mutable std::mutex mutex_;
    std::map<uintptr_t, Block> blocks_;
    uint64_t used_ = 0;
    uint64_t count_ = 0;
};

/// Host memory that device code may touch, and what aclrtHostRegisterV2 only pinned. Thread safe;
/// never destroyed.
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

#endif  // TWIN_HOST_DEVICE_MEMORY_H
