// SPDX-License-Identifier: Apache-2.0
#include "core/task.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <new>

namespace twin {
namespace {

// Host frames are larger than the 32 KiB that the device gives a kernel; the guard is wide because
// one large local array can step over a single page.
constexpr size_t kStackBytes = 512 << 10;
constexpr size_t kGuardBytes = 256 << 10;

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

CoreStorage::CoreStorage(uint64_t ubBytes) : ubMemory(new uint8_t[ubBytes + 64]) {
    const auto address = reinterpret_cast<uintptr_t>(ubMemory.get());
    ub = reinterpret_cast<uint8_t*>((address + 63) & ~uintptr_t{63});
}

void CoreStorage::Poison(uint64_t ubBytes) {
    auto* words = reinterpret_cast<uint32_t*>(ub);
    std::fill(words, words + ubBytes / sizeof(uint32_t), kPoison);
}

}  // namespace twin
