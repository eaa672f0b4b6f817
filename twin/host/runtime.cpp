// SPDX-License-Identifier: Apache-2.0
#include "host/runtime.h"

#include <unistd.h>

#include <cinttypes>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "host/error.h"

namespace twin::host {
namespace {

// This is a plain pointer, so that it needs no destructor. If another thread destroys the context,
// its handle shows that.
thread_local aclrtContext currentContext = nullptr;

int CheckDevice(const char* function, int32_t device) {
    if (device >= 0 && device < kDeviceCount) {
        return ACL_SUCCESS;
    }
    return Fail(ACL_ERROR_RT_INVALID_DEVICEID,
                "%s: deviceId is %" PRId32 "; the twin has %" PRId32 " device, so pass 0", function,
                device, kDeviceCount);
}

}  // namespace

Runtime& Runtime::Instance() {
    static Runtime* const runtime = new Runtime;
    return *runtime;
}

void Runtime::SetUp() {
    State fresh = State::Fresh;
    if (state_.compare_exchange_strong(fresh, State::SetUp)) {
        owner_ = getpid();
        // These are used first so that they outlive the handler: exit handlers run in reverse
        // order.
        GmRegistry::Instance();
        std::atexit(&Runtime::AtExit);
    }
}

int Runtime::Initialize() {
    SetUp();
    TWIN_RETURN_IF_ERROR(RefuseForked("aclInit"));
    State expected = State::SetUp;
    if (state_.compare_exchange_strong(expected, State::Ready)) {
        return ACL_SUCCESS;
    }
    return Fail(
        ACL_ERROR_REPEAT_INITIALIZE,
        expected == State::Ready
            ? "aclInit: called before in this process; go on as if it had returned 0"
            : "aclInit: aclFinalize was called, and a process can initialise acl only once");
}

int Runtime::Finalize() {
    TWIN_RETURN_IF_ERROR(RefuseForked("aclFinalize"));
    State expected = State::Ready;
    if (!state_.compare_exchange_strong(expected, State::Finalized)) {
        return expected != State::Finalized
                   ? Fail(ACL_ERROR_UNINITIALIZE, "aclFinalize: aclInit was not called")
                   : Fail(ACL_ERROR_REPEAT_FINALIZE, "aclFinalize: called before in this process");
    }
    std::lock_guard<std::mutex> lock(deviceMutex_);
    deviceUsers_ = 0;
    return ReleaseDevice(0);
}

void Runtime::AtExit() {
    if (Instance().Forked()) {
        return;  // the streams belong to the parent, and its threads may have held their locks
    }
    // A kernel that ignores its cancel flag must not keep the process; the kernel's own timeout
    // does not matter here.
    constexpr int kPatienceMs = 2000;
    for (const auto& entry : Instance().streams_.Snapshot()) {
        entry.second->Stop(kPatienceMs);
    }
}

bool Runtime::Forked() const {
    const pid_t owner = owner_.load();
    return owner != 0 && owner != getpid();
}

int Runtime::RefuseForked(const char* function) const {
    if (!Forked()) {
        return ACL_SUCCESS;
    }
    return Fail(
        ACL_ERROR_RT_INTERNAL_ERROR,
        "%s: this process was forked after aclInit or aclrtSetDevice, whose threads and locks "
        "stayed "
        "with the parent; start children with spawn or exec, or call aclInit first in the child",
        function);
}

int Runtime::RequireReady(const char* function) const {
    TWIN_RETURN_IF_ERROR(RefuseForked(function));
    const State state = state_.load();
    if (state == State::SetUp || state == State::Ready) {
        return ACL_SUCCESS;
    }
    return Fail(ACL_ERROR_UNINITIALIZE,
                state == State::Fresh ? "%s: call aclInit first"
                                      : "%s: called after aclFinalize, when nothing works any more",
                function);
}

int Runtime::SetDevice(int32_t device) {
    SetUp();
    TWIN_RETURN_IF_ERROR(RequireReady("aclrtSetDevice"));
    TWIN_RETURN_IF_ERROR(CheckDevice("aclrtSetDevice", device));
    CurrentSoc();
    std::lock_guard<std::mutex> lock(deviceMutex_);
    if (primary_ == nullptr) {
        primary_ = AddContext(device);
    }
    ++deviceUsers_;
    currentContext = primary_;
    return ACL_SUCCESS;
}

int Runtime::ResetDevice(int32_t device) {
    TWIN_RETURN_IF_ERROR(RequireReady("aclrtResetDevice"));
    TWIN_RETURN_IF_ERROR(CheckDevice("aclrtResetDevice", device));
    std::lock_guard<std::mutex> lock(deviceMutex_);
    if (deviceUsers_ == 0) {
        return Fail(ACL_ERROR_RT_CONTEXT_NULL,
                    "aclrtResetDevice: device %" PRId32 " is not in use; call aclrtSetDevice first",
                    device);
    }
    if (--deviceUsers_ > 0) {
        WaitAll();
        return ACL_SUCCESS;
    }
    return ReleaseDevice(device);
}

int Runtime::ReleaseDevice(int32_t) {
    int first = ACL_SUCCESS;
    for (const auto& entry : contexts_.Snapshot()) {
        contexts_.Take(entry.first);
        const int status = ReleaseContext(entry.second);
        if (first == ACL_SUCCESS) {
            first = status;
        }
    }
    primary_ = nullptr;
    DeviceMemory::Instance().FreeAll();
    return first;
}

aclrtContext Runtime::AddContext(int32_t device) {
    auto context = std::make_shared<Context>();
    context->device = device;
    context->handle = contexts_.Add(context);
    return context->handle;
}

int Runtime::CreateContext(int32_t device, aclrtContext* context) {
    TWIN_RETURN_IF_ERROR(RequireReady("aclrtCreateContext"));
    TWIN_RETURN_IF_NULL(ACL_ERROR_INVALID_PARAM, "aclrtCreateContext", context);
    TWIN_RETURN_IF_ERROR(CheckDevice("aclrtCreateContext", device));
    *context = currentContext = AddContext(device);
    return ACL_SUCCESS;
}

int Runtime::DestroyContext(aclrtContext handle) {
    TWIN_RETURN_IF_ERROR(RequireReady("aclrtDestroyContext"));
    if (handle == nullptr) {
        return Fail(ACL_ERROR_INVALID_PARAM, "aclrtDestroyContext: context is null");
    }
    {
        std::lock_guard<std::mutex> lock(deviceMutex_);
        if (handle == primary_) {
            return Fail(ACL_ERROR_INVALID_PARAM,
                        "aclrtDestroyContext: this is the context of aclrtSetDevice; end it with "
                        "aclrtResetDevice");
        }
    }
    const std::shared_ptr<Context> context = contexts_.Take(handle);
    if (context == nullptr) {
        return Fail(
            ACL_ERROR_RT_CONTEXT_NULL,
            "aclrtDestroyContext: context is no context of this process, or destroyed already");
    }
    if (currentContext == handle) {
        currentContext = nullptr;
    }
    return ReleaseContext(context);
}

int Runtime::SetCurrent(aclrtContext context) {
    TWIN_RETURN_IF_ERROR(RequireReady("aclrtSetCurrentContext"));
    TWIN_RETURN_IF_NULL(ACL_ERROR_INVALID_PARAM, "aclrtSetCurrentContext", context);
    if (contexts_.Find(context) == nullptr) {
        return Fail(
            ACL_ERROR_RT_CONTEXT_NULL,
            "aclrtSetCurrentContext: context is no context of this process, or destroyed already");
    }
    currentContext = context;
    return ACL_SUCCESS;
}

int Runtime::Current(const char* function, std::shared_ptr<Context>* context) {
    TWIN_RETURN_IF_ERROR(RequireReady(function));
    *context = currentContext == nullptr ? nullptr : contexts_.Find(currentContext);
    if (*context != nullptr) {
        return ACL_SUCCESS;
    }
    return Fail(ACL_ERROR_RT_CONTEXT_NULL,
                currentContext == nullptr
                    ? "%s: this thread has no context; call aclrtSetDevice or "
                      "aclrtSetCurrentContext on it first"
                    : "%s: the context of this thread was destroyed; call aclrtSetDevice again",
                function);
}

int Runtime::CreateStream(const char* function, aclrtStream* stream) {
    TWIN_RETURN_IF_NULL(ACL_ERROR_INVALID_PARAM, function, stream);
    std::shared_ptr<Context> context;
    TWIN_RETURN_IF_ERROR(Current(function, &context));
    try {
        *stream = streams_.Add(std::make_shared<Stream>(context->handle));
    } catch (const std::system_error& error) {
        return Fail(ACL_ERROR_RT_NO_STREAM_RESOURCE, "%s: no thread for another stream: %s",
                    function, error.what());
    }
    return ACL_SUCCESS;
}

int Runtime::FindStream(const char* function, aclrtStream handle, std::shared_ptr<Stream>* stream) {
    std::shared_ptr<Context> context;
    TWIN_RETURN_IF_ERROR(Current(function, &context));
    if (handle == nullptr) {
        std::lock_guard<std::mutex> lock(context->mutex);
        if (context->defaultStream == nullptr) {
            TWIN_RETURN_IF_ERROR(CreateStream(function, &context->defaultStream));
        }
        handle = context->defaultStream;
    }
    *stream = streams_.Find(handle);
    if (*stream == nullptr) {
        return Fail(ACL_ERROR_RT_INVALID_HANDLE,
                    "%s: stream is no stream of this process, or destroyed already", function);
    }
    if ((*stream)->Context() != context->handle) {
        return Fail(ACL_ERROR_RT_STREAM_CONTEXT,
                    "%s: the stream belongs to another context than this thread's; call "
                    "aclrtSetCurrentContext with "
                    "the context it was created in",
                    function);
    }
    return ACL_SUCCESS;
}

int Runtime::DestroyStream(aclrtStream handle, bool force) {
    const char* const function = force ? "aclrtDestroyStreamForce" : "aclrtDestroyStream";
    if (handle == nullptr) {
        return Fail(ACL_ERROR_INVALID_PARAM, "%s: stream is null", function);
    }
    std::shared_ptr<Stream> stream;
    TWIN_RETURN_IF_ERROR(FindStream(function, handle, &stream));
    if (streams_.Take(handle) == nullptr) {
        return Fail(ACL_ERROR_RT_INVALID_HANDLE, "%s: stream is being destroyed by another thread",
                    function);
    }
    constexpr int kForEver = -1;
    int status = ACL_SUCCESS;
    if (!force) {
        status = ReportStream(function, stream.get(), kForEver);
    }
    stream->Stop(kForEver);
    return status;
}

int Runtime::ReleaseContext(const std::shared_ptr<Context>& context) {
    constexpr int kForEver = -1;
    int first = ACL_SUCCESS;
    for (const auto& entry : streams_.Snapshot()) {
        if (entry.second->Context() != context->handle) {
            continue;
        }
        streams_.Take(entry.first);
        const int status = ReportStream("release of the context", entry.second.get(), kForEver);
        if (first == ACL_SUCCESS) {
            first = status;
        }
        entry.second->Stop(kForEver);
    }
    return first;
}

void Runtime::WaitAll() {
    for (const auto& entry : streams_.Snapshot()) {
        entry.second->WaitIdle(-1);
    }
}

int Runtime::SynchronizeDevice(const char* function, int timeoutMs) {
    std::shared_ptr<Context> context;
    TWIN_RETURN_IF_ERROR(Current(function, &context));
    int first = ACL_SUCCESS;
    for (const auto& entry : streams_.Snapshot()) {
        const int status = ReportStream(function, entry.second.get(), timeoutMs);
        if (first == ACL_SUCCESS) {
            first = status;
        }
    }
    return first;
}

int ReportStream(const char* function, Stream* stream, int timeoutMs) {
    if (timeoutMs < -1) {
        return Fail(
            ACL_ERROR_RT_PARAM_INVALID,
            "%s: timeout is %d ms; expected -1 (for ever), 0 (ask only) or a positive number",
            function, timeoutMs);
    }
    if (!stream->WaitIdle(timeoutMs)) {
        return Fail(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, "%s: the stream still has work after %d ms",
                    function, timeoutMs);
    }
    const LaunchResult failure = stream->TakeFailure();
    if (failure.status == kLaunchOk) {
        return ACL_SUCCESS;
    }
    FailText(failure.status, failure.message);
    SetRecentHazards(failure.hazards);
    return failure.status;
}

int EnqueueOnStream(const char* function, aclrtStream handle, StreamTask task) {
    std::shared_ptr<Stream> stream;
    TWIN_RETURN_IF_ERROR(Runtime::Instance().FindStream(function, handle, &stream));
    stream->Enqueue(std::move(task));
    return ACL_SUCCESS;
}

bool DeterministicWanted() {
    Runtime& runtime = Runtime::Instance();
    std::shared_ptr<Context> context;
    if (runtime.Current("aclrtCtxGetSysParamOpt", &context) != ACL_SUCCESS) {
        return false;
    }
    return context->deterministic.load() != 0 || runtime.deterministic.load() != 0;
}

}  // namespace twin::host
