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

// On the device a kernel has 32 KiB of stack, but stack frames on the host are larger. The guard is
// large because a large local array can step over a single page.
constexpr size_t kStackBytes = 512 << 10;
constexpr size_t kGuardBytes = 256 << 10;

size_t WholePages(size_t bytes) {
    static const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    return (bytes + page - 1) / page * page;
}

bool Owns(CoreKind kind, size_t memory) {
    return memory != static_cast<size_t>(Memory::Gm) &&
           (memory == static_cast<size_t>(Memory::Ub)) == (kind == CoreKind::Aiv);
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

MemorySizes SizesOf(const SocInfo& soc) {
    return {0,           soc.ubBytes, soc.l1Bytes, soc.l0aBytes, soc.l0bBytes, soc.l0cBytes,
            soc.btBytes, soc.fbBytes};
}

bool Stack::InGuard(const void* address) const {
    const auto* byte = static_cast<const uint8_t*>(address);
    return byte >= mapping_ && byte < base_;
}

CoreStorage::CoreStorage(const SocInfo& soc, CoreKind kind) : kind_(kind), bytes_(SizesOf(soc)) {
    mapped_ = kGuardBytes;
    for (size_t memory = 0; memory < kMemories; ++memory) {
        mapped_ += Owns(kind, memory) ? WholePages(bytes_[memory]) + kGuardBytes : 0;
    }
    void* const mapping =
        mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapping == MAP_FAILED) {
        throw std::bad_alloc();
    }
    mapping_ = static_cast<uint8_t*>(mapping);
    uint8_t* next = mapping_ + kGuardBytes;
    for (size_t memory = 0; memory < kMemories; ++memory) {
        if (!Owns(kind, memory)) {
            continue;
        }
        const size_t pages = WholePages(bytes_[memory]);
        if (mprotect(next, pages, PROT_READ | PROT_WRITE) != 0) {
            munmap(mapping_, mapped_);
            throw std::bad_alloc();
        }
        // The memory ends directly before the guard, because most wrong accesses go beyond the end.
        start_[memory] = next + (pages - bytes_[memory]);
        next += pages + kGuardBytes;
    }
}

CoreStorage::~CoreStorage() { munmap(mapping_, mapped_); }

bool CoreStorage::Fits(const SocInfo& soc, CoreKind kind) const {
    return kind_ == kind && bytes_ == SizesOf(soc);
}

void CoreStorage::Poison(uint32_t pattern) {
    for (size_t memory = 0; memory < kMemories; ++memory) {
        if (start_[memory] != nullptr) {
            std::fill_n(reinterpret_cast<uint32_t*>(start_[memory]),
                        bytes_[memory] / sizeof(uint32_t), pattern);
        }
    }
}

std::string CoreStorage::DescribeGuard(const void* address) const {
    const auto* byte = static_cast<const uint8_t*>(address);
    if (byte < mapping_ || byte >= mapping_ + mapped_) {
        return "";
    }
    // Finds the memory that is nearest to the address.
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
    std::copy(bytes_.begin(), bytes_.end(), core->memoryBytes);
}

IdleStorages& IdleStorages::Instance() {
    static IdleStorages* const storages = new IdleStorages;  // never destroyed; workers may use it
    return *storages;
}

std::unique_ptr<CoreStorage> IdleStorages::Take(const SocInfo& soc, CoreKind kind,
                                                const Worker* worker) {
    const std::lock_guard<std::mutex> lock(mutex_);
    auto best = entries_.end();
    for (auto entry = entries_.begin(); entry != entries_.end(); ++entry) {
        const bool better = best == entries_.end() || best->user != worker || entry->user == worker;
        if (better && entry->storage->Fits(soc, kind)) {
            best = entry;
        }
    }
    if (best == entries_.end()) {
        return std::make_unique<CoreStorage>(soc, kind);
    }
    std::unique_ptr<CoreStorage> storage = std::move(best->storage);
    entries_.erase(best);
    return storage;
}

void IdleStorages::Give(std::unique_ptr<CoreStorage> storage, const Worker* worker) {
    constexpr size_t kMost = 24 + 48;  // cube and vector cores that run at the same time
    const std::lock_guard<std::mutex> lock(mutex_);
    if (entries_.size() == kMost) {
        entries_.erase(entries_.begin());
    }
    entries_.push_back(Entry{std::move(storage), worker});
}

}  // namespace twin
