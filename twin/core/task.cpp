// SPDX-License-Identifier: Apache-2.0
#include "core/task.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <new>
#include <utility>

namespace twin {
namespace {

// Host frames are larger than the 32 KiB that the device gives a kernel; the guard is wide because
// one large local array can step over a single page.
constexpr size_t kStackBytes = 512 << 10;
constexpr size_t kGuardBytes = 256 << 10;
constexpr uintptr_t kLineBytes = 64;

}  // namespace

Stack::Stack() {
    void* mapping = mmap(nullptr, kStackBytes + kGuardBytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapping == MAP_FAILED || mprotect(mapping, kGuardBytes, PROT_NONE) != 0) {
        throw std::bad_alloc();
    }
    mapping_ = static_cast<uint8_t*>(mapping);
    base_ = mapping_ + kGuardBytes;
}

Stack::~Stack() { munmap(mapping_, kStackBytes + kGuardBytes); }

size_t Stack::Bytes() { return kStackBytes; }

bool Stack::InGuard(const void* address) const {
    const auto* byte = static_cast<const uint8_t*>(address);
    return byte >= mapping_ && byte < base_;
}

CoreStorage::CoreStorage(const SocInfo& soc, CoreKind coreKind) : kind(coreKind) {
    const std::pair<Memory, uint64_t> sizes[] = {
        {Memory::Ub, soc.ubBytes},   {Memory::L1, soc.l1Bytes},   {Memory::L0a, soc.l0aBytes},
        {Memory::L0b, soc.l0bBytes}, {Memory::L0c, soc.l0cBytes}, {Memory::Bt, soc.btBytes},
        {Memory::Fb, soc.fbBytes}};
    const auto owned = [coreKind](Memory memory) {
        return (memory == Memory::Ub) == (coreKind == CoreKind::Aiv);
    };
    for (const auto& size : sizes) {
        bytes_[static_cast<size_t>(size.first)] = size.second;
        totalBytes_ += owned(size.first) ? size.second : 0;
    }
    block_.reset(new uint8_t[totalBytes_ + kLineBytes]);
    const auto address = reinterpret_cast<uintptr_t>(block_.get());
    aligned_ = reinterpret_cast<uint8_t*>((address + kLineBytes - 1) & ~(kLineBytes - 1));
    uint8_t* next = aligned_;
    for (const auto& size : sizes) {
        if (owned(size.first)) {
            start_[static_cast<size_t>(size.first)] = next;
            next += size.second;
        }
    }
}

void CoreStorage::Poison() {
    std::fill_n(reinterpret_cast<uint32_t*>(aligned_), totalBytes_ / sizeof(uint32_t), kPoison);
}

void CoreStorage::Attach(Core* core) const {
    std::copy(std::begin(start_), std::end(start_), core->memory);
    std::copy(std::begin(bytes_), std::end(bytes_), core->memoryBytes);
    core->ub = start_[static_cast<size_t>(Memory::Ub)];
}

}  // namespace twin
