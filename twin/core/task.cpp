// SPDX-License-Identifier: Apache-2.0
#include "core/task.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <iterator>
#include <new>
#include <utility>

namespace twin {
namespace {

// Host frames are larger than the 32 KiB that the device gives a kernel; the guard is wide because
// one large local array can step over a single page.
constexpr size_t kStackBytes = 512 << 10;
constexpr size_t kGuardBytes = 256 << 10;

size_t WholePages(size_t bytes) {
    static const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    return (bytes + page - 1) / page * page;
}

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

CoreStorage::CoreStorage(const SocInfo& soc, CoreKind kind) : soc_(soc), kind_(kind) {
    const std::pair<Memory, uint64_t> sizes[] = {
        {Memory::Ub, soc.ubBytes},   {Memory::L1, soc.l1Bytes},   {Memory::L0a, soc.l0aBytes},
        {Memory::L0b, soc.l0bBytes}, {Memory::L0c, soc.l0cBytes}, {Memory::Bt, soc.btBytes},
        {Memory::Fb, soc.fbBytes}};
    const auto owned = [kind](Memory memory) {
        return (memory == Memory::Ub) == (kind == CoreKind::Aiv);
    };
    mapped_ = kGuardBytes;
    for (const auto& size : sizes) {
        bytes_[static_cast<size_t>(size.first)] = size.second;
        mapped_ += owned(size.first) ? WholePages(size.second) + kGuardBytes : 0;
    }
    void* const mapping =
        mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapping == MAP_FAILED) {
        throw std::bad_alloc();
    }
    mapping_ = static_cast<uint8_t*>(mapping);
    uint8_t* next = mapping_ + kGuardBytes;
    for (const auto& size : sizes) {
        if (!owned(size.first)) {
            continue;
        }
        const size_t pages = WholePages(size.second);
        if (mprotect(next, pages, PROT_READ | PROT_WRITE) != 0) {
            munmap(mapping_, mapped_);
            throw std::bad_alloc();
        }
        // Less than a page of memory lies at its end: most strays step over the end.
        start_[static_cast<size_t>(size.first)] = next + (pages - size.second);
        next += pages + kGuardBytes;
    }
}

CoreStorage::~CoreStorage() { munmap(mapping_, mapped_); }

void CoreStorage::Poison() {
    for (size_t memory = 0; memory < kMemories; ++memory) {
        if (start_[memory] != nullptr) {
            std::fill_n(reinterpret_cast<uint32_t*>(start_[memory]),
                        bytes_[memory] / sizeof(uint32_t), kPoison);
        }
    }
}

std::string CoreStorage::DescribeGuard(const void* address) const {
    const auto* byte = static_cast<const uint8_t*>(address);
    if (byte < mapping_ || byte >= mapping_ + mapped_) {
        return "";
    }
    // The memory that the address is nearest to.
    size_t nearest = kMemories;
    uint64_t least = UINT64_MAX;
    for (size_t memory = 0; memory < kMemories; ++memory) {
        if (start_[memory] == nullptr) {
            continue;
        }
        const uint8_t* const end = start_[memory] + bytes_[memory];
        const auto away =
            static_cast<uint64_t>(byte < start_[memory] ? start_[memory] - byte : byte - end);
        if (away < least) {
            least = away;
            nearest = memory;
        }
    }
    char text[96];
    const bool before = byte < start_[nearest];
    std::snprintf(text, sizeof(text), "%s%s0x%" PRIx64 ", outside its %" PRIu64 " B",
                  Name(static_cast<Memory>(nearest)), before ? "-" : "+",
                  before ? least : bytes_[nearest] + least, bytes_[nearest]);
    return text;
}

void CoreStorage::Attach(Core* core) const {
    std::copy(std::begin(start_), std::end(start_), core->memory);
    std::copy(std::begin(bytes_), std::end(bytes_), core->memoryBytes);
}

}  // namespace twin
