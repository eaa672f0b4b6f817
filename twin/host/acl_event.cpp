// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cinttypes>
#include <memory>

#include "acl/acl.h"
#include "host/error.h"
#include "host/runtime.h"

using twin::host::Fail;
using twin::host::Guard;
using twin::host::Runtime;
using twin::host::Stream;

namespace {

int SynchronizeStream(const char* function, aclrtStream handle, int32_t timeout) {
    std::shared_ptr<Stream> stream;
    TWIN_RETURN_IF_ERROR(Runtime::Instance().FindStream(function, handle, &stream));
    return twin::host::ReportStream(function, stream.get(), timeout);
}

}  // namespace

extern "C" {

aclError aclrtCreateStream(aclrtStream* stream) {
    return Guard("aclrtCreateStream",
                 [&] { return Runtime::Instance().CreateStream("aclrtCreateStream", stream); });
}

aclError aclrtCreateStreamWithConfig(aclrtStream* stream, uint32_t priority, uint32_t flag) {
    return Guard("aclrtCreateStreamWithConfig", [&]() -> int {
        constexpr uint32_t kLowestPriority = 7;
        constexpr uint32_t kKnownFlags = ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC;
        if (priority > kLowestPriority) {
            return Fail(ACL_ERROR_RT_PARAM_INVALID,
                        "aclrtCreateStreamWithConfig: priority is %" PRIu32
                        "; expected 0 (highest) to 7",
                        priority);
        }
        if ((flag & ~kKnownFlags) != 0) {
            return Fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                        "aclrtCreateStreamWithConfig: flag is 0x%" PRIx32
                        "; the twin knows ACL_STREAM_FAST_LAUNCH (1) "
                        "and ACL_STREAM_FAST_SYNC (2) only",
                        flag);
        }
        return Runtime::Instance().CreateStream("aclrtCreateStreamWithConfig", stream);
    });
}

aclError aclrtDestroyStream(aclrtStream stream) {
    return Guard("aclrtDestroyStream",
                 [&] { return Runtime::Instance().DestroyStream(stream, false); });
}

aclError aclrtDestroyStreamForce(aclrtStream stream) {
    return Guard("aclrtDestroyStreamForce",
                 [&] { return Runtime::Instance().DestroyStream(stream, true); });
}

aclError aclrtSynchronizeStream(aclrtStream stream) {
    return Guard("aclrtSynchronizeStream",
                 [&] { return SynchronizeStream("aclrtSynchronizeStream", stream, -1); });
}

aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout) {
    return Guard("aclrtSynchronizeStreamWithTimeout", [&] {
        return SynchronizeStream("aclrtSynchronizeStreamWithTimeout", stream, timeout);
    });
}

aclError aclrtStreamQuery(aclrtStream handle, aclrtStreamStatus* status) {
    return Guard("aclrtStreamQuery", [&]() -> int {
        TWIN_RETURN_IF_NULL(ACL_ERROR_INVALID_PARAM, "aclrtStreamQuery", status);
        std::shared_ptr<Stream> stream;
        TWIN_RETURN_IF_ERROR(Runtime::Instance().FindStream("aclrtStreamQuery", handle, &stream));
        *status = stream->Idle() ? ACL_STREAM_STATUS_COMPLETE : ACL_STREAM_STATUS_NOT_READY;
        return ACL_SUCCESS;
    });
}

aclError aclrtStreamAbort(aclrtStream handle) {
    return Guard("aclrtStreamAbort", [&]() -> int {
        std::shared_ptr<Stream> stream;
        TWIN_RETURN_IF_ERROR(Runtime::Instance().FindStream("aclrtStreamAbort", handle, &stream));
        stream->Abort();
        return ACL_SUCCESS;
    });
}

}  // extern "C"

using twin::LaunchResult;
using twin::host::CancelFlag;
using twin::host::Event;
using twin::host::Fail;
using twin::host::FailText;
using twin::host::Guard;
using twin::host::Runtime;
using twin::host::Stream;

namespace {

int Create(const char* function, aclrtEvent* event, uint32_t flag) {
    constexpr uint32_t kKnownFlags =
        ACL_EVENT_SYNC | ACL_EVENT_CAPTURE_STREAM_PROGRESS | ACL_EVENT_TIME_LINE;
    TWIN_RETURN_IF_ERROR(Runtime::Instance().RequireReady(function));
    TWIN_RETURN_IF_NULL(ACL_ERROR_INVALID_PARAM, function, event);
    if ((flag & ~kKnownFlags) != 0) {
        return Fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                    "%s: flag is 0x%" PRIx32 "; the twin knows 0x%" PRIx32 " only", function, flag,
                    kKnownFlags);
    }
    *event =
        Runtime::Instance().events.Add(std::make_shared<Event>((flag & ACL_EVENT_TIME_LINE) != 0));
    return ACL_SUCCESS;
}

int Find(const char* function, aclrtEvent handle, std::shared_ptr<Event>* event) {
    TWIN_RETURN_IF_ERROR(Runtime::Instance().RequireReady(function));
    if (handle == nullptr) {
        return Fail(ACL_ERROR_INVALID_PARAM, "%s: event is null", function);
    }
    *event = Runtime::Instance().events.Find(handle);
    if (*event != nullptr) {
        return ACL_SUCCESS;
    }
    return Fail(ACL_ERROR_RT_INVALID_HANDLE,
                "%s: event is no event of this process, or destroyed already", function);
}

int FindBoth(const char* function, aclrtEvent eventHandle, aclrtStream streamHandle,
             std::shared_ptr<Event>* event, std::shared_ptr<Stream>* stream) {
    TWIN_RETURN_IF_ERROR(Find(function, eventHandle, event));
    return Runtime::Instance().FindStream(function, streamHandle, stream);
}

int SynchronizeEvent(const char* function, aclrtEvent handle, int32_t timeout) {
    std::shared_ptr<Event> event;
    TWIN_RETURN_IF_ERROR(Find(function, handle, &event));
    if (timeout < -1) {
        return Fail(ACL_ERROR_RT_PARAM_INVALID,
                    "%s: timeout is %" PRId32 " ms; expected -1 or more", function, timeout);
    }
    const uint64_t generation = event->Recorded();
    if (generation == 0) {
        return Fail(ACL_ERROR_RT_PARAM_INVALID,
                    "%s: the event was never recorded, so nothing will complete it; call "
                    "aclrtRecordEvent first",
                    function);
    }
    if (!event->Wait(generation, timeout, nullptr)) {
        return Fail(ACL_ERROR_RT_EVENT_SYNC_TIMEOUT,
                    "%s: the event is not complete after %" PRId32 " ms", function, timeout);
    }
    const LaunchResult failure = event->Failure();
    return failure.status == twin::kLaunchOk ? ACL_SUCCESS
                                             : FailText(failure.status, failure.message);
}

int CheckTimed(const char* name, const Event& event) {
    if (!event.Timed()) {
        return Fail(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID,
                    "aclrtEventElapsedTime: %s keeps no time; create it with aclrtCreateEvent or "
                    "ACL_EVENT_TIME_LINE",
                    name);
    }
    if (!event.Complete()) {
        return Fail(ACL_ERROR_RT_EVENT_NOT_COMPLETE,
                    "aclrtEventElapsedTime: %s is not complete; record it and synchronise first",
                    name);
    }
    return ACL_SUCCESS;
}

}  // namespace

extern "C" {

aclError aclrtCreateEvent(aclrtEvent* event) {
    return Guard("aclrtCreateEvent", [&] {
        return Create("aclrtCreateEvent", event, ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE);
    });
}

aclError aclrtCreateEventWithFlag(aclrtEvent* event, uint32_t flag) {
    return Guard("aclrtCreateEventWithFlag",
                 [&] { return Create("aclrtCreateEventWithFlag", event, flag); });
}

aclError aclrtCreateEventExWithFlag(aclrtEvent* event, uint32_t flag) {
    return Guard("aclrtCreateEventExWithFlag",
                 [&] { return Create("aclrtCreateEventExWithFlag", event, flag); });
}

aclError aclrtDestroyEvent(aclrtEvent handle) {
    return Guard("aclrtDestroyEvent", [&]() -> int {
        std::shared_ptr<Event> event;
        TWIN_RETURN_IF_ERROR(Find("aclrtDestroyEvent", handle, &event));
        // Queued records and waits keep the object itself alive.
        Runtime::Instance().events.Take(handle);
        return ACL_SUCCESS;
    });
}

aclError aclrtRecordEvent(aclrtEvent eventHandle, aclrtStream streamHandle) {
    return Guard("aclrtRecordEvent", [&]() -> int {
        std::shared_ptr<Event> event;
        std::shared_ptr<Stream> stream;
        TWIN_RETURN_IF_ERROR(
            FindBoth("aclrtRecordEvent", eventHandle, streamHandle, &event, &stream));
        const uint64_t generation = event->Record();
        stream->EnqueueAlways([event, generation](const LaunchResult& failure) {
            event->Complete(generation, failure);
        });
        return ACL_SUCCESS;
    });
}

aclError aclrtResetEvent(aclrtEvent eventHandle, aclrtStream streamHandle) {
    return Guard("aclrtResetEvent", [&]() -> int {
        std::shared_ptr<Event> event;
        std::shared_ptr<Stream> stream;
        TWIN_RETURN_IF_ERROR(
            FindBoth("aclrtResetEvent", eventHandle, streamHandle, &event, &stream));
        const uint64_t generation = event->Recorded();
        stream->EnqueueAlways(
            [event, generation](const LaunchResult&) { event->Reset(generation); });
        return ACL_SUCCESS;
    });
}

aclError aclrtStreamWaitEvent(aclrtStream streamHandle, aclrtEvent eventHandle) {
    return Guard("aclrtStreamWaitEvent", [&]() -> int {
        std::shared_ptr<Event> event;
        std::shared_ptr<Stream> stream;
        TWIN_RETURN_IF_ERROR(
            FindBoth("aclrtStreamWaitEvent", eventHandle, streamHandle, &event, &stream));
        const uint64_t generation = event->Recorded();
        if (generation == 0) {
            return ACL_SUCCESS;
        }
        stream->Enqueue([event, generation](const CancelFlag& cancel) {
            LaunchResult result;
            if (!event->Wait(generation, -1, cancel)) {
                result.status = ACL_ERROR_RT_STREAM_ABORT;
                result.message = "the stream was aborted while it waited for an event";
            }
            return result;
        });
        return ACL_SUCCESS;
    });
}

aclError aclrtQueryEventStatus(aclrtEvent handle, aclrtEventRecordedStatus* status) {
    return Guard("aclrtQueryEventStatus", [&]() -> int {
        TWIN_RETURN_IF_NULL(ACL_ERROR_INVALID_PARAM, "aclrtQueryEventStatus", status);
        std::shared_ptr<Event> event;
        TWIN_RETURN_IF_ERROR(Find("aclrtQueryEventStatus", handle, &event));
        *status = event->Complete() ? ACL_EVENT_RECORDED_STATUS_COMPLETE
                                    : ACL_EVENT_RECORDED_STATUS_NOT_READY;
        return ACL_SUCCESS;
    });
}

aclError aclrtSynchronizeEvent(aclrtEvent event) {
    return Guard("aclrtSynchronizeEvent",
                 [&] { return SynchronizeEvent("aclrtSynchronizeEvent", event, -1); });
}

aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout) {
    return Guard("aclrtSynchronizeEventWithTimeout", [&] {
        return SynchronizeEvent("aclrtSynchronizeEventWithTimeout", event, timeout);
    });
}

aclError aclrtEventElapsedTime(float* ms, aclrtEvent startEvent, aclrtEvent endEvent) {
    return Guard("aclrtEventElapsedTime", [&]() -> int {
        TWIN_RETURN_IF_NULL(ACL_ERROR_INVALID_PARAM, "aclrtEventElapsedTime", ms);
        std::shared_ptr<Event> start;
        std::shared_ptr<Event> end;
        TWIN_RETURN_IF_ERROR(Find("aclrtEventElapsedTime", startEvent, &start));
        TWIN_RETURN_IF_ERROR(Find("aclrtEventElapsedTime", endEvent, &end));
        TWIN_RETURN_IF_ERROR(CheckTimed("startEvent", *start));
        TWIN_RETURN_IF_ERROR(CheckTimed("endEvent", *end));
        const std::chrono::duration<float, std::milli> elapsed = end->Time() - start->Time();
        if (elapsed.count() < 0) {
            return Fail(ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL,
                        "aclrtEventElapsedTime: startEvent completed after endEvent; swap them");
        }
        *ms = elapsed.count();
        return ACL_SUCCESS;
    });
}

}  // extern "C"
