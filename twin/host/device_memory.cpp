// SPDX-License-Identifier: Apache-2.0
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdlib>
#include <string>

#include "acl/acl.h"
#include "core/core.h"
#include "core/gm.h"
#include "host/error.h"
#include "host/runtime.h"

namespace twin::host {
namespace {

constexpr uint64_t kBlock = 32;
constexpr uint64_t kHugePage = 2ULL << 20;

uint64_t RoundUp(uint64_t value, uint64_t unit) { return (value + unit - 1) / unit * unit; }

size_t PageBytes() { return static_cast<size_t>(sysconf(_SC_PAGESIZE)); }

}  // namespace

DeviceMemory& DeviceMemory::Instance() {
    static DeviceMemory* const memory = new DeviceMemory;
    return *memory;
}

void* DeviceMemory::Allocate(const char* function, uint64_t size, uint64_t spare) {
    const uint64_t total = CurrentSoc().hbmBytes;
    const size_t page = PageBytes();
    std::lock_guard<std::mutex> lock(mutex_);
    const uint64_t available = total - std::min(used_, total);
    if (size > available || RoundUp(size, kBlock) + spare > available) {
        Refuse(ACL_ERROR_RT_MEMORY_ALLOCATION,
               "%s: size is %" PRIu64 " bytes; %" PRIu64 " of the chip's %" PRIu64
               " bytes are free. Free memory first, or take a chip with more (CANNERY_SOC)",
               function, size, available, total);
    }
    bool poisoned = true;
    if (const char* fresh = std::getenv("CANNERY_MEMORY"); fresh != nullptr && *fresh != '\0') {
        poisoned = std::strcmp(fresh, "zero") != 0;
        if (poisoned && std::strcmp(fresh, "poison") != 0) {
            Refuse(ACL_ERROR_INVALID_PARAM,
                   "%s: CANNERY_MEMORY is \"%s\", expected poison or zero, what fresh device "
                   "memory holds",
                   function, fresh);
        }
    }
    Block block;
    block.bytes = RoundUp(size, kBlock) + spare;
    const size_t inner = RoundUp(block.bytes, page);
    block.mapped = inner + 2 * page;
    void* const mapping =
        mmap(nullptr, block.mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    block.mapping = static_cast<uint8_t*>(mapping);
    if (mapping == MAP_FAILED ||
        mprotect(block.mapping + page, inner, PROT_READ | PROT_WRITE) != 0) {
        if (mapping != MAP_FAILED) {
            munmap(mapping, block.mapped);
        }
        Refuse(ACL_ERROR_RT_MEMORY_ALLOCATION,
               "%s: size is %" PRIu64 " bytes, for which this machine has no memory left: %s",
               function, size, std::strerror(errno));
    }
    uint8_t* const base = block.mapping + page;
    // Huge pages cause fewer page faults and TLB misses for large tensors. If the system has no
    // huge pages, the call has no effect.
    if (inner >= kHugePage) {
        madvise(base, inner, MADV_HUGEPAGE);
    }
    if (poisoned && block.bytes <= kPoisonLimit) {
        FillWords(base, block.bytes, kPoison);
    }
    const auto begin = reinterpret_cast<uintptr_t>(base);
    GmRegistry::Instance().Add(
        GmRange{begin, size, false, std::string(function) + " #" + std::to_string(++count_)});
    used_ += block.bytes;
    blocks_.emplace(begin, block);
    return base;
}

void DeviceMemory::Free(const char* function, void* address) {
    const auto begin = reinterpret_cast<uintptr_t>(address);
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = blocks_.find(begin);
    if (found == blocks_.end()) {
        GmRange range;
        const bool inside = GmRegistry::Instance().Find(begin, &range);
        Refuse(
            ACL_ERROR_RT_PARAM_INVALID,
            "%s: devPtr 0x%" PRIxPTR " is the beginning of no allocation%s%s%s", function, begin,
            inside ? "; it lies in " : ", or was freed already", inside ? range.label.c_str() : "",
            inside ? ", so pass the beginning of that (aclrtHostUnregister for host memory)" : "");
    }
    GmRegistry::Instance().Remove(begin);
    used_ -= found->second.bytes;
    munmap(found->second.mapping, found->second.mapped);
    blocks_.erase(found);
}

void DeviceMemory::FreeAll() {
    std::lock_guard<std::mutex> lock(mutex_);
    for (const auto& entry : blocks_) {
        GmRegistry::Instance().Remove(entry.first);
        munmap(entry.second.mapping, entry.second.mapped);
    }
    blocks_.clear();
    used_ = 0;
}

uint64_t DeviceMemory::Used() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return used_;
}

bool DeviceMemory::Contains(const void* address) const {
    const auto wanted = reinterpret_cast<uintptr_t>(address);
    std::lock_guard<std::mutex> lock(mutex_);
    const auto after = blocks_.upper_bound(wanted);
    if (after == blocks_.begin()) {
        return false;
    }
    const auto block = std::prev(after);
    return wanted - block->first < block->second.bytes;
}

HostMappings& HostMappings::Instance() {
    static HostMappings* const mappings = new HostMappings;
    return *mappings;
}

void HostMappings::Add(const char* function, void* address, uint64_t bytes, bool mapped,
                       bool readOnly) {
    const auto begin = reinterpret_cast<uintptr_t>(address);
    std::lock_guard<std::mutex> lock(mutex_);
    const std::string label = "host memory #" + std::to_string(count_ + 1);
    if (mappings_.count(begin) != 0 ||
        (mapped && !GmRegistry::Instance().Add(GmRange{begin, bytes, readOnly, label}))) {
        Refuse(ACL_ERROR_RT_PARAM_INVALID,
               "%s: [0x%" PRIxPTR ", +%" PRIu64
               ") overlaps memory that the device sees already; "
               "unregister that first",
               function, begin, bytes);
    }
    ++count_;
    mappings_.emplace(begin, mapped);
}

void HostMappings::Remove(void* address) {
    const auto begin = reinterpret_cast<uintptr_t>(address);
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = mappings_.find(begin);
    if (found == mappings_.end()) {
        Refuse(ACL_ERROR_RT_PARAM_INVALID,
               "aclrtHostUnregister: ptr 0x%" PRIxPTR
               " is not registered; pass the address given to "
               "aclrtHostRegister",
               begin);
    }
    if (found->second) {
        GmRegistry::Instance().Remove(begin);
    }
    mappings_.erase(found);
}

void* HostMappings::DevicePointer(void* address) const {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = mappings_.find(reinterpret_cast<uintptr_t>(address));
    if (found == mappings_.end() || !found->second) {
        Refuse(ACL_ERROR_RT_PARAM_INVALID,
               "aclrtHostGetDevicePointer: pHost is not registered with ACL_HOST_REG_MAPPED");
    }
    return address;
}

}  // namespace twin::host
