// SPDX-License-Identifier: Apache-2.0
#include "device_view.h"

#include <algorithm>

#include "copy.h"
#include "device.h"
#include "errors.h"
#include "libraries.h"

namespace cannery {
namespace {

// Maps host memory. With `readOnly`, the twin reports a kernel that writes to this memory. If the
// runtime refuses a read-only mapping, as on some cards, makes a writable mapping.
bool RegisterV2(void* host, uint64_t bytes, bool readOnly, void** device) {
    const AclApi& api = Api();
    if (api.aclrtHostRegisterV2 == nullptr || api.aclrtHostGetDevicePointer == nullptr) {
        return false;
    }
    bool registered =
        readOnly &&
        api.aclrtHostRegisterV2(host, bytes, ACL_HOST_REG_MAPPED | ACL_HOST_REG_READONLY) == 0;
    registered = registered || api.aclrtHostRegisterV2(host, bytes, ACL_HOST_REG_MAPPED) == 0;
    if (!registered) {
        return false;
    }
    if (api.aclrtHostGetDevicePointer(host, device, 0) == 0) {
        return true;
    }
    api.aclrtHostUnregister(host);
    return false;
}

}  // namespace

DeviceView::~DeviceView() {
    for (const Span& span : spans_) {
        if (span.mapped) {
            Api().aclrtHostUnregister(span.Host());
        } else if (span.device != nullptr) {
            Device::Instance().Release(span.device);
        }
    }
}

void DeviceView::Add(const void* data, uint64_t bytes, Access access) {
    if (bytes == 0) {
        return;
    }
    const uintptr_t begin = reinterpret_cast<uintptr_t>(data);
    spans_.push_back(
        {begin, begin + bytes, access != Access::kWrite, access != Access::kRead, nullptr, false});
}

void DeviceView::MergeOverlaps() {
    std::sort(spans_.begin(), spans_.end(),
              [](const Span& a, const Span& b) { return a.begin < b.begin; });
    std::vector<Span> merged;
    for (const Span& span : spans_) {
        // Arrays that do not overlap stay separate spans even if they are adjacent, so that the
        // twin finds an access after the end of the first one.
        if (!merged.empty() && span.begin < merged.back().end) {
            Span& last = merged.back();
            // CopyBack() overwrites the whole merged span on the host. If the two ranges differ,
            // CopyIn() must therefore first copy the host's data to the device.
            last.read = last.read || span.read || last.begin != span.begin || last.end != span.end;
            last.write = last.write || span.write;
            last.end = std::max(last.end, span.end);
        } else {
            merged.push_back(span);
        }
    }
    spans_ = std::move(merged);
}

bool DeviceView::Map(Span* span) {
    const AclApi& api = Api();
    if (api.aclrtHostUnregister == nullptr) {
        return false;
    }
    const bool mapped = RegisterV2(span->Host(), span->Bytes(), !span->write, &span->device) ||
                        (api.aclrtHostRegister != nullptr &&
                         api.aclrtHostRegister(span->Host(), span->Bytes(),
                                               ACL_HOST_REGISTER_MAPPED, &span->device) == 0);
    if (!mapped) {
        RecentErrorText();  // clears the error text, because a failed mapping is no error
    }
    return mapped;
}

void DeviceView::Open() {
    MergeOverlaps();
    Device& device = Device::Instance();
    for (Span& span : spans_) {
        span.mapped = device.MapHost() && Map(&span);
        if (!span.mapped) {
            device.StopMapping();
            span.device = nullptr;
            span.device = device.Allocate(span.Bytes());
        }
    }
    CopyIn();
}

void* DeviceView::Address(const void* host) const {
    const uintptr_t address = reinterpret_cast<uintptr_t>(host);
    for (const Span& span : spans_) {
        if (address >= span.begin && address < span.end) {
            return static_cast<char*>(span.device) + (address - span.begin);
        }
    }
    return const_cast<void*>(host);  // the array is empty, so nothing accesses this address
}

void DeviceView::CopyIn() const {
    std::vector<Copy> copies;
    for (const Span& span : spans_) {
        if (!span.mapped && span.read) {
            copies.push_back({span.device, span.Host(), span.Bytes()});
        }
    }
    CopyAll(copies, ACL_MEMCPY_HOST_TO_DEVICE);
}

void DeviceView::CopyBack() const {
    std::vector<Copy> copies;
    for (const Span& span : spans_) {
        if (!span.mapped && span.write) {
            copies.push_back({span.Host(), span.device, span.Bytes()});
        }
    }
    CopyAll(copies, ACL_MEMCPY_DEVICE_TO_HOST);
}

}  // namespace cannery
