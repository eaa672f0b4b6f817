// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_HOST_HANDLES_H
#define TWIN_HOST_HANDLES_H

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

namespace twin::host {

/// Objects behind opaque C pointers. A handle is a number that is never used again and never a
/// valid address, so a destroyed, foreign or random pointer is recognised instead of being
/// followed. Thread safe.
template <typename T>
class HandleTable {
public:
    /// `tag` distinguishes the handles of different tables.
    explicit HandleTable(uint8_t tag)
        : next_((uintptr_t{1} << 62) | (static_cast<uintptr_t>(tag) << 48)) {}

    void* Add(std::shared_ptr<T> object) {
        std::lock_guard<std::mutex> lock(mutex_);
        next_ += 16;
        void* const handle = reinterpret_cast<void*>(next_);
        objects_.emplace(handle, std::move(object));
        return handle;
    }

    std::shared_ptr<T> Find(const void* handle) const {
        std::lock_guard<std::mutex> lock(mutex_);
        const auto found = objects_.find(handle);
        return found == objects_.end() ? nullptr : found->second;
    }

    /// Finds the object and removes its handle.
    std::shared_ptr<T> Take(const void* handle) {
        std::lock_guard<std::mutex> lock(mutex_);
        const auto found = objects_.find(handle);
        if (found == objects_.end()) {
            return nullptr;
        }
        std::shared_ptr<T> object = std::move(found->second);
        objects_.erase(found);
        return object;
    }

    std::vector<std::pair<const void*, std::shared_ptr<T>>> Snapshot() const {
        std::lock_guard<std::mutex> lock(mutex_);
        return {objects_.begin(), objects_.end()};
    }

private:
    mutable std::mutex mutex_;
    std::unordered_map<const void*, std::shared_ptr<T>> objects_;
    uintptr_t next_;
};

}  // namespace twin::host

#endif  // TWIN_HOST_HANDLES_H
