// SPDX-License-Identifier: Apache-2.0
#include "device.h"

#include <pybind11/pybind11.h>
#include <unistd.h>

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
// Where host memory is mapped only workspaces are allocated. Those of kernels whose cores meet have
// 16 MiB of the system, and making that anew costs more than a small launch.
constexpr uint64_t kKeptBytes = 32ULL << 20;
constexpr size_t kKeptBuffers = 2;

const AclApi& Api() { return Libraries::Instance().Api(); }

thread_local bool runningHere = false;

void Drain(aclrtStream stream) {
    py::gil_scoped_release release;
    Api().aclrtSynchronizeStream(stream);
}

}  // namespace

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
    if (stream_ != nullptr && pid_ != getpid()) {
        throw std::runtime_error(
            "this process was forked after its parent had used the device, whose threads do not "
            "exist here; start workers with "
            "multiprocessing.set_start_method('spawn')");
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
        pid_ = getpid();
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
    FreePool();
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
    auto found = free_.lower_bound(bytes);
    if (found != free_.end() && found->first <= 2 * bytes) {
        void* address = found->second;
        free_.erase(found);
        return address;
    }
    void* address = nullptr;
    aclError status = Api().aclrtMalloc(&address, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
    if (status != 0 && !free_.empty()) {
        FreePool();
        status = Api().aclrtMalloc(&address, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
    }
    Check(status, "aclrtMalloc");
    sizes_[address] = bytes;
    return address;
}

void Device::Release(void* address) noexcept {
    if (mapHost_ && (sizes_[address] > kKeptBytes || free_.size() >= kKeptBuffers)) {
        sizes_.erase(address);
        Api().aclrtFree(address);
    } else {
        free_.emplace(sizes_[address], address);
    }
}

void Device::FreePool() noexcept {
    for (const auto& [bytes, address] : free_) {
        sizes_.erase(address);
        Api().aclrtFree(address);
    }
    free_.clear();
}

RunScope::RunScope() {
    if (runningHere) {
        throw std::runtime_error(
            "a signal handler called cannery while this thread was waiting for a launch");
    }
    Device& device = Device::Instance();
    ++device.users_;
    {
        py::gil_scoped_release release;
        device.mutex_.lock();
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
