// SPDX-License-Identifier: Apache-2.0
#include "device.h"

#include <pybind11/pybind11.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "errors.h"
#include "libraries.h"

namespace py = pybind11;

namespace cannery {
namespace {

constexpr int32_t kDeviceId = 0;
constexpr int32_t kWaitSliceMs = 50;  // how late Ctrl-C may be noticed
// Where host memory is mapped only workspaces and tiling data are allocated. Workspaces of kernels
// whose cores meet have 16 MiB of the system, and making that anew costs more than a small launch.
constexpr uint64_t kMappedKeptBytes = 32ULL << 20;
constexpr size_t kMappedKept = 2;
constexpr size_t kCopiedKept = 32;  // a run copies every array of its own

const AclApi& Api() { return Libraries::Instance().Api(); }

thread_local bool runningHere = false;

void Drain(aclrtStream stream) {
    py::gil_scoped_release release;
    Api().aclrtSynchronizeStream(stream);
}

}  // namespace

Device::Device() { kept_.reserve(kCopiedKept + 1); }

Device& Device::Instance() {
    // Never destroyed: a daemon thread may still be inside a run while static destructors go.
    static Device* device = new Device;
    return *device;
}

void Device::Configure(const std::vector<std::string>& directories, bool mapHost) {
    const bool first = !Libraries::Instance().IsOpen();
    Libraries::Instance().Open(directories);
    if (first) {
        mapHost_ = mapHost;
    }
}

void Device::EnsureOpen() {
    if (closed_) {
        throw std::runtime_error("the interpreter is exiting and has closed the device");
    }
    if (!Libraries::Instance().IsOpen()) {
        throw std::runtime_error("the device libraries are not open; call _native.open first");
    }
    if (stream_ == nullptr) {
        const aclError status = Api().aclInit(nullptr);
        if (status != kRepeatInitialize) {
            Check(status, "aclInit");
            initialized_ = true;
        }
    }
    Check(Api().aclrtSetDevice(kDeviceId), "aclrtSetDevice");
    if (stream_ == nullptr) {
        Check(Api().aclrtCreateStream(&stream_), "aclrtCreateStream");
    }
}

// Asked before the mutex is touched: a thread of the parent may have held it when the process was
// forked, and nobody here would ever unlock it.
void Device::RefuseForked() {
    const pid_t here = getpid();
    if (pid_ != here && (stream_ != nullptr || users_ > 0)) {
        throw std::runtime_error(
            "this process was forked after its parent had used the device, whose threads do not "
            "exist here; start workers with "
            "multiprocessing.set_start_method('spawn')");
    }
    pid_ = here;
}

void Device::Lock() {
    for (;;) {
        bool locked = false;
        {
            py::gil_scoped_release release;
            locked = mutex_.try_lock_for(std::chrono::milliseconds(kWaitSliceMs));
        }
        if (locked) {
            return;
        }
        if (PyErr_CheckSignals() != 0) {
            throw py::error_already_set();
        }
    }
}

void Device::Close() {
    if (closed_ || stream_ == nullptr || pid_ != getpid()) {
        return;
    }
    closed_ = true;
    Api().aclrtSetDevice(kDeviceId);
    if (users_ > 0) {
        py::gil_scoped_release release;
        Api().aclrtStreamAbort(stream_);
        while (users_ > 0) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    }
    FreeKept(0);
    Api().aclrtDestroyStream(stream_);
    stream_ = nullptr;
    Api().aclrtResetDevice(kDeviceId);
    if (initialized_) {
        Api().aclFinalize();
    }
}

std::string Device::SocName() {
    RunScope scope;
    const char* name = Api().aclrtGetSocName();
    return name == nullptr ? std::string() : std::string(name);
}

void* Device::Allocate(uint64_t bytes) {
    const auto kept = std::find_if(kept_.begin(), kept_.end(),
                                   [bytes](const Kept& each) { return each.bytes == bytes; });
    if (kept != kept_.end()) {
        void* address = kept->address;
        kept_.erase(kept);
        return address;
    }
    void* address = nullptr;
    aclError status = Api().aclrtMalloc(&address, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
    if (status != 0 && !kept_.empty()) {
        FreeKept(0);
        status = Api().aclrtMalloc(&address, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
    }
    Check(status, "aclrtMalloc");
    sizes_[address] = bytes;
    return address;
}

void Device::Release(void* address) noexcept {
    const uint64_t bytes = sizes_[address];
    if (mapHost_ && bytes > kMappedKeptBytes) {
        sizes_.erase(address);
        Api().aclrtFree(address);
        return;
    }
    kept_.push_back({address, bytes});
    FreeKept(mapHost_ ? kMappedKept : kCopiedKept);
}

void Device::FreeKept(size_t limit) noexcept {
    while (kept_.size() > limit) {
        sizes_.erase(kept_.front().address);
        Api().aclrtFree(kept_.front().address);
        kept_.erase(kept_.begin());
    }
}

RunScope::RunScope() {
    if (runningHere) {
        throw std::runtime_error(
            "a signal handler called cannery while this thread was waiting for a launch");
    }
    Device& device = Device::Instance();
    device.RefuseForked();
    ++device.users_;
    try {
        device.Lock();
    } catch (...) {
        --device.users_;
        throw;
    }
    runningHere = true;
    try {
        device.EnsureOpen();
    } catch (...) {
        Leave();
        throw;
    }
}

RunScope::~RunScope() { Leave(); }

void RunScope::Leave() {
    Device& device = Device::Instance();
    runningHere = false;
    device.mutex_.unlock();
    --device.users_;
}

void RunScope::Finish(aclError status, const char* api) const {
    const aclrtStream stream = Device::Instance().Stream();
    if (status != 0) {
        AclFailure failure(status, api, RecentErrorText());
        Drain(stream);
        throw failure;
    }
    for (;;) {
        std::string text;
        {
            py::gil_scoped_release release;
            status = Api().aclrtSynchronizeStreamWithTimeout(stream, kWaitSliceMs);
            if (status != 0 && status != kStreamSyncTimeout) {
                text = RecentErrorText();
            }
        }
        if (status == 0) {
            return;
        }
        if (status != kStreamSyncTimeout) {
            throw AclFailure(status, api, text);
        }
        if (PyErr_CheckSignals() != 0) {
            py::error_already_set interrupt;
            Api().aclrtStreamAbort(stream);
            Drain(stream);
            throw interrupt;
        }
    }
}

}  // namespace cannery
