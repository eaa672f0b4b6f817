// SPDX-License-Identifier: Apache-2.0
#ifndef CANNERY_DEVICE_VIEW_H
#define CANNERY_DEVICE_VIEW_H

#include <cstdint>
#include <vector>

namespace cannery {

enum class Access { kRead, kWrite, kReadWrite };

/// Gives the device access to the host arrays of one run. Overlapping arrays (two views of one
/// buffer) become one span, so that they overlap on the device, too. The object must exist only
/// inside a RunScope.
class DeviceView {
public:
    DeviceView() = default;
    ~DeviceView();
    DeviceView(const DeviceView&) = delete;
    DeviceView& operator=(const DeviceView&) = delete;

    void Add(const void* data, uint64_t bytes, Access access);
    /// Maps every span into the device, or copies it if mapping fails. Throws AclFailure.
    void Open();
    /// Returns the device address for a host address inside a range that was passed to Add().
    void* Address(const void* host) const;
    /// Copies written spans back to the host; mapped spans need no copy. Call it after the launch
    /// has succeeded.
    void CopyBack() const;

private:
    struct Span {
        uintptr_t begin;
        uintptr_t end;
        bool read;
        bool write;
        void* device;
        bool mapped;

        uint64_t Bytes() const { return end - begin; }
        void* Host() const { return reinterpret_cast<void*>(begin); }
    };

    static bool Map(Span* span);
    void MergeOverlaps();
    void CopyIn() const;

    std::vector<Span> spans_;
};

}  // namespace cannery

#endif  // CANNERY_DEVICE_VIEW_H
