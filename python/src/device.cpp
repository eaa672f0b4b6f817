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

constexpr int32_t kWaitSliceMs = 50;  // Ctrl-C is noticed after at most this time
// The runner keeps released device memory for later runs, because allocating 16 MiB takes longer
// than a small launch. Limits if arrays are mapped: number of allocations, and their bytes.
constexpr size_t kMappedKept = 2;
constexpr uint64_t kMappedKeptBytes = 64ULL << 20;
// Limits if arrays are copied instead. Then each array of a run needs its own allocation.
constexpr size_t kCopiedKept = 32;
constexpr uint64_t kCopiedKeptBytes = 1ULL << 30;

thread_local bool runningHere = false;

/// Aborts a launch. If the runtime cannot do this, the launch runs to its end.
void Abort(aclrtStream stream) {
    if (Api().aclrtStreamAbort != nullptr) {
        Api().aclrtStreamAbort(stream);
    }
}

/// Returns the thread's context, or null if it has none.
aclrtContext CurrentContext() {
    aclrtContext context = nullptr;
    if (Api().aclrtGetCurrentContext(&context) != 0) {
        RecentErrorText();
        return nullptr;
    }
    return context;
}

void Drain(aclrtStream stream) {
    py::gil_scoped_release release;
    Api().aclrtSynchronizeStream(stream);
}

}  // namespace

Device::Device() { kept_.reserve(kCopiedKept + 1); }

Device& Device::Instance() {
    // The object is never destroyed, because a daemon thread may still use it when static
    // destructors run.
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

void Device::CheckUsable() const {
    if (closed_) {
        throw std::runtime_error("the interpreter is exiting and has closed the device");
    }
    if (!Libraries::Instance().IsOpen()) {
        throw std::runtime_error("the device libraries are not open; call _native.open first");
    }
}

void Device::EnsureOpen() {
    if (stream_ != nullptr) {
        Check(Api().aclrtSetCurrentContext(context_), "aclrtSetCurrentContext");
        if (replaceStream_) {
            aclrtStream old = stream_;
            CreateStream();
            Api().aclrtDestroyStream(old);
            RecentErrorText();  // clears the error text, which the caller has already received
            replaceStream_ = false;
        }
        return;
    }
    Initialize();
    Choose();
    try {
        Check(Api().aclrtGetCurrentContext(&context_), "aclrtGetCurrentContext");
        CreateStream();
    } catch (...) {
        Api().aclrtResetDevice(id_);
        throw;
    }
}

void Device::Initialize() {
    if (initialized_) {
        return;
    }
    const aclError status = Api().aclInit(nullptr);
    if (status == kRepeatInitialize) {
        RecentErrorText();  // clears the text: a second aclInit is no error
        return;
    }
    Check(status, "aclInit");
    initialized_ = true;
}

void Device::Choose() {
    if (Api().aclrtGetDevice(&id_) == 0) {
        Check(Api().aclrtSetDevice(id_), "aclrtSetDevice");
        return;
    }
    RecentErrorText();
    uint32_t count = 0;
    const aclError counted = Api().aclrtGetDeviceCount(&count);
    if (counted != 0 || count == 0) {
        throw BackendFailure(
            "this machine shows no Ascend card: aclrtGetDeviceCount returned " +
            std::to_string(counted) + " and " + std::to_string(count) + " devices. " +
            RecentErrorText() +
            "\n  try: `npu-smi info`; in a container the devices /dev/davinci0, "
            "/dev/davinci_manager, /dev/devmm_svm and /dev/hisi_hdc and the driver's folder; "
            "ASCEND_RT_VISIBLE_DEVICES hides those that it does not name");
    }
    std::string refusals;
    for (uint32_t id = 0; id < count; ++id) {
        const aclError status = Api().aclrtSetDevice(static_cast<int32_t>(id));
        if (status == 0) {
            id_ = static_cast<int32_t>(id);
            return;
        }
        if (status == kInvalidParam) {  // not the device is wrong, but a setting of the twin
            Check(status, "aclrtSetDevice");
        }
        refusals += "\n  device " + std::to_string(id) + ": " + std::to_string(status) + " " +
                    RecentErrorText();
    }
    throw BackendFailure("none of " + std::to_string(count) + " devices can be used:" + refusals +
                         "\n  try: `npu-smi info` shows who uses them");
}

void Device::CreateStream() {
    aclrtStream stream = nullptr;
    Check(Api().aclrtCreateStream(&stream), "aclrtCreateStream");
    stream_ = stream;
}

// Call this before locking the mutex: a thread of the parent process may have locked it at the
// fork, and no thread of this process would ever unlock it.
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
    Api().aclrtSetCurrentContext(context_);
    if (users_ > 0) {
        py::gil_scoped_release release;
        Abort(stream_);
        while (users_ > 0) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    }
    FreeKept(0, 0);
    Api().aclrtDestroyStream(stream_);
    stream_ = nullptr;
    Api().aclrtResetDevice(id_);
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
        keptBytes_ -= bytes;
        kept_.erase(kept);
        return address;
    }
    void* address = nullptr;
    aclError status = Api().aclrtMalloc(&address, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
    if (status != 0 && !kept_.empty()) {
        FreeKept(0, 0);
        RecentErrorText();
        status = Api().aclrtMalloc(&address, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
    }
    Check(status, ("aclrtMalloc of " + std::to_string(bytes) + " B").c_str());
    sizes_[address] = bytes;
    return address;
}

void Device::Release(void* address) noexcept {
    const uint64_t bytes = sizes_[address];
    kept_.push_back({address, bytes});
    keptBytes_ += bytes;
    FreeKept(mapHost_ ? kMappedKept : kCopiedKept, mapHost_ ? kMappedKeptBytes : kCopiedKeptBytes);
}

void Device::FreeKept(size_t count, uint64_t bytes) noexcept {
    while (kept_.size() > count || keptBytes_ > bytes) {
        keptBytes_ -= kept_.front().bytes;
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
        device.CheckUsable();
        callers_ = CurrentContext();
        device.EnsureOpen();
        callers_ = callers_ == device.Context() ? nullptr : callers_;
    } catch (...) {
        Leave();
        throw;
    }
}

RunScope::~RunScope() { Leave(); }

void RunScope::Leave() const noexcept {
    Device& device = Device::Instance();
    if (callers_ != nullptr) {
        Api().aclrtSetCurrentContext(callers_);
    }
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
        std::string hazards;
        {
            py::gil_scoped_release release;
            status = Api().aclrtSynchronizeStreamWithTimeout(stream, kWaitSliceMs);
            if (status != 0 && status != kStreamSyncTimeout) {
                text = RecentErrorText();
                hazards = RecentHazardText();
            }
        }
        if (status == 0) {
            return;
        }
        if (status != kStreamSyncTimeout) {
            Device::Instance().ReplaceStream();
            throw AclFailure(status, api, text, hazards);
        }
        if (PyErr_CheckSignals() != 0) {
            py::error_already_set interrupt;
            Abort(stream);
            Drain(stream);
            throw interrupt;
        }
    }
}

}  // namespace cannery
