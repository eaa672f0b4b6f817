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

// A handle, not a pointer: another thread may destroy the context. Current() checks the handle.
thread_local aclrtContext currentContext = nullptr;

void CheckDevice(const char* function, int32_t device) {
    if (device < 0 || device >= kDeviceCount) {
        Refuse(ACL_ERROR_RT_INVALID_DEVICEID,
               "%s: deviceId is %" PRId32 "; the twin has %" PRId32 " device, so pass 0", function,
               device, kDeviceCount);
    }
}

/// Returns `status` if it is an error, else `later`.
int FirstOf(int status, int later) { return status != ACL_SUCCESS ? status : later; }

}  // namespace

Runtime& Runtime::Instance() {
    static Runtime* const runtime = new Runtime;
    return *runtime;
}

void Runtime::SetUp() {
    State fresh = State::Fresh;
    if (state_.compare_exchange_strong(fresh, State::SetUp)) {
        owner_ = getpid();
        // Creates the registry, which is never destroyed, so AtExit can still use it.
        GmRegistry::Instance();
        std::atexit(&Runtime::AtExit);
    }
}

void Runtime::Initialize() {
    SetUp();
    RefuseForked("aclInit");
    State expected = State::SetUp;
    if (!state_.compare_exchange_strong(expected, State::Ready)) {
        Refuse(ACL_ERROR_REPEAT_INITIALIZE,
               expected == State::Ready
                   ? "aclInit: called before in this process; go on as if it had returned 0"
                   : "aclInit: aclFinalize was called, and a process can initialise acl only once");
    }
}

void Runtime::Finalize() {
    RefuseForked("aclFinalize");
    State expected = State::Ready;
    if (!state_.compare_exchange_strong(expected, State::Finalized)) {
        Check(expected != State::Finalized
                  ? Fail(ACL_ERROR_UNINITIALIZE, "aclFinalize: aclInit was not called")
                  : Fail(ACL_ERROR_REPEAT_FINALIZE, "aclFinalize: called before in this process"));
    }
    std::lock_guard<std::mutex> lock(deviceMutex_);
    deviceUsers_ = 0;
    Check(ReleaseDevice());
}

void Runtime::AtExit() {
    if (Instance().Forked()) {
        return;  // the streams belong to the parent process; their locks may stay locked
    }
    // Limits the wait: a kernel that ignores its cancel flag must not block the exit.
    constexpr int kPatienceMs = 2000;
    for (const auto& entry : Instance().streams_.Snapshot()) {
        entry.second->Stop(kPatienceMs);
    }
}

bool Runtime::Forked() const {
    const pid_t owner = owner_.load();
    return owner != 0 && owner != getpid();
}

void Runtime::RefuseForked(const char* function) const {
    if (Forked()) {
        Refuse(ACL_ERROR_RT_INTERNAL_ERROR,
               "%s: this process was forked after aclInit or aclrtSetDevice, whose threads and "
               "locks stayed with the parent; start children with spawn or exec, or call aclInit "
               "first in the child",
               function);
    }
}

void Runtime::RequireReady(const char* function) const {
    RefuseForked(function);
    const State state = state_.load();
    if (state != State::SetUp && state != State::Ready) {
        Refuse(ACL_ERROR_UNINITIALIZE,
               state == State::Fresh ? "%s: call aclInit first"
                                     : "%s: called after aclFinalize, when nothing works any more",
               function);
    }
}

void Runtime::SetDevice(int32_t device) {
    SetUp();
    RequireReady("aclrtSetDevice");
    CheckDevice("aclrtSetDevice", device);
    CurrentSoc();
    std::lock_guard<std::mutex> lock(deviceMutex_);
    if (primary_ == nullptr) {
        primary_ = AddContext(device);
    }
    ++deviceUsers_;
    currentContext = primary_;
}

void Runtime::ResetDevice(int32_t device) {
    RequireReady("aclrtResetDevice");
    CheckDevice("aclrtResetDevice", device);
    std::lock_guard<std::mutex> lock(deviceMutex_);
    if (deviceUsers_ == 0) {
        Refuse(ACL_ERROR_RT_CONTEXT_NULL,
               "aclrtResetDevice: device %" PRId32 " is not in use; call aclrtSetDevice first",
               device);
    }
    if (--deviceUsers_ > 0) {
        WaitAll();
    } else {
        Check(ReleaseDevice());
    }
}

int Runtime::ReleaseDevice() {
    int first = ACL_SUCCESS;
    for (const auto& entry : contexts_.Snapshot()) {
        contexts_.Take(entry.first);
        first = FirstOf(first, ReleaseContext(*entry.second));
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

void Runtime::CreateContext(int32_t device, aclrtContext* context) {
    RequireReady("aclrtCreateContext");
    TWIN_REFUSE_NULL(ACL_ERROR_INVALID_PARAM, "aclrtCreateContext", context);
    CheckDevice("aclrtCreateContext", device);
    *context = currentContext = AddContext(device);
}

void Runtime::DestroyContext(aclrtContext handle) {
    RequireReady("aclrtDestroyContext");
    if (handle == nullptr) {
        Refuse(ACL_ERROR_INVALID_PARAM, "aclrtDestroyContext: context is null");
    }
    {
        std::lock_guard<std::mutex> lock(deviceMutex_);
        if (handle == primary_) {
            Refuse(ACL_ERROR_INVALID_PARAM,
                   "aclrtDestroyContext: this is the context of aclrtSetDevice; end it with "
                   "aclrtResetDevice");
        }
    }
    const std::shared_ptr<Context> context = contexts_.Take(handle);
    if (context == nullptr) {
        Refuse(ACL_ERROR_RT_CONTEXT_NULL,
               "aclrtDestroyContext: context is no context of this process, or destroyed already");
    }
    if (currentContext == handle) {
        currentContext = nullptr;
    }
    Check(ReleaseContext(*context));
}

void Runtime::SetCurrent(aclrtContext context) {
    RequireReady("aclrtSetCurrentContext");
    TWIN_REFUSE_NULL(ACL_ERROR_INVALID_PARAM, "aclrtSetCurrentContext", context);
    if (contexts_.Find(context) == nullptr) {
        Refuse(
            ACL_ERROR_RT_CONTEXT_NULL,
            "aclrtSetCurrentContext: context is no context of this process, or destroyed already");
    }
    currentContext = context;
}

std::shared_ptr<Context> Runtime::Current(const char* function) {
    RequireReady(function);
    auto context = currentContext == nullptr ? nullptr : contexts_.Find(currentContext);
    if (context == nullptr) {
        Refuse(ACL_ERROR_RT_CONTEXT_NULL,
               currentContext == nullptr
                   ? "%s: this thread has no context; call aclrtSetDevice or "
                     "aclrtSetCurrentContext on it first"
                   : "%s: the context of this thread was destroyed; call aclrtSetDevice again",
               function);
    }
    return context;
}

void Runtime::CreateStream(const char* function, aclrtStream* stream) {
    TWIN_REFUSE_NULL(ACL_ERROR_INVALID_PARAM, function, stream);
    const auto context = Current(function);
    try {
        *stream = streams_.Add(std::make_shared<Stream>(context->handle));
    } catch (const std::system_error& error) {
        Refuse(ACL_ERROR_RT_NO_STREAM_RESOURCE, "%s: no thread for another stream: %s", function,
               error.what());
    }
}

std::shared_ptr<Stream> Runtime::FindStream(const char* function, aclrtStream handle) {
    const auto context = Current(function);
    if (handle == nullptr) {
        std::lock_guard<std::mutex> lock(context->mutex);
        if (context->defaultStream == nullptr) {
            CreateStream(function, &context->defaultStream);
        }
        handle = context->defaultStream;
    }
    std::shared_ptr<Stream> stream = streams_.Find(handle);
    if (stream == nullptr) {
        Refuse(ACL_ERROR_RT_INVALID_HANDLE,
               "%s: stream is no stream of this process, or destroyed already", function);
    }
    if (stream->Context() != context->handle) {
        Refuse(ACL_ERROR_RT_STREAM_CONTEXT,
               "%s: the stream belongs to another context than this thread's; call "
               "aclrtSetCurrentContext with "
               "the context it was created in",
               function);
    }
    return stream;
}

void Runtime::DestroyStream(aclrtStream handle, bool force) {
    const char* const function = force ? "aclrtDestroyStreamForce" : "aclrtDestroyStream";
    if (handle == nullptr) {
        Refuse(ACL_ERROR_INVALID_PARAM, "%s: stream is null", function);
    }
    const auto stream = FindStream(function, handle);
    if (streams_.Take(handle) == nullptr) {
        Refuse(ACL_ERROR_RT_INVALID_HANDLE, "%s: stream is being destroyed by another thread",
               function);
    }
    constexpr int kForEver = -1;
    const int status = force ? ACL_SUCCESS : ReportStream(function, stream.get(), kForEver);
    stream->Stop(kForEver);
    Check(status);
}

int Runtime::ReleaseContext(const Context& context) {
    constexpr int kForEver = -1;
    int first = ACL_SUCCESS;
    for (const auto& entry : streams_.Snapshot()) {
        if (entry.second->Context() != context.handle) {
            continue;
        }
        streams_.Take(entry.first);
        first =
            FirstOf(first, ReportStream("release of the context", entry.second.get(), kForEver));
        entry.second->Stop(kForEver);
    }
    return first;
}

void Runtime::WaitAll() {
    for (const auto& entry : streams_.Snapshot()) {
        entry.second->WaitIdle(-1);
    }
}

void Runtime::SynchronizeDevice(const char* function, int timeoutMs) {
    Current(function);
    int first = ACL_SUCCESS;
    for (const auto& entry : streams_.Snapshot()) {
        first = FirstOf(first, ReportStream(function, entry.second.get(), timeoutMs));
    }
    Check(first);
}

int ReportStream(const char* function, Stream* stream, int timeoutMs) {
    if (timeoutMs < -1) {
        return Fail(
            ACL_ERROR_RT_PARAM_INVALID,
            "%s: timeout is %d ms; expected -1 (for ever), 0 (ask only) or a positive number",
            function, timeoutMs);
    }
    if (stream->Captured() != nullptr) {
        return Fail(ACL_ERROR_RT_STREAM_MODEL,
                    "%s: the stream captures a model\n  try: aclmdlRICaptureEnd before", function);
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

void ReportResult(const LaunchResult& result) {
    if (result.status != kLaunchOk) {
        Check(FailText(result.status, result.message));
    }
}

void EnqueueOnStream(const char* function, aclrtStream handle, StreamTask task) {
    Runtime::Instance().FindStream(function, handle)->Enqueue(std::move(task));
}

bool DeterministicWanted() {
    bool wanted = false;
    Guard("aclrtCtxGetSysParamOpt", [&] {
        Runtime& runtime = Runtime::Instance();
        wanted = runtime.Current("aclrtCtxGetSysParamOpt")->deterministic.load() != 0 ||
                 runtime.deterministic.load() != 0;
    });
    return wanted;
}

}  // namespace twin::host
