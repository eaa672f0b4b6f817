// SPDX-License-Identifier: Apache-2.0
#ifndef CANNERY_DEVICE_BUFFER_H
#define CANNERY_DEVICE_BUFFER_H

#include <cstdint>

#include "device.h"

namespace cannery {

/// Device memory that one run uses. If the size is 0, the address is null.
class DeviceBuffer {
public:
    DeviceBuffer() = default;
    ~DeviceBuffer() {
        if (address_ != nullptr) {
            Device::Instance().Release(address_);
        }
    }
    DeviceBuffer(const DeviceBuffer&) = delete;
    DeviceBuffer& operator=(const DeviceBuffer&) = delete;

    void Allocate(uint64_t bytes) {
        address_ = bytes == 0 ? nullptr : Device::Instance().Allocate(bytes);
    }
    void* Address() const { return address_; }

private:
    void* address_ = nullptr;
};

}  // namespace cannery

#endif  // CANNERY_DEVICE_BUFFER_H
