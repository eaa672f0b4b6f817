// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cinttypes>
#include <memory>

#include "acl/acl.h"
#include "host/error.h"
#include "host/runtime.h"

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
    if (int status = Runtime::Instance().RequireReady(function)) {
        return status;
    }
    if (event == nullptr) {
        return Fail(ACL_ERROR_INVALID_PARAM, "%s: event is null", function);
    }
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
    if (int status = Runtime::Instance().RequireReady(function)) {
        return status;
    }
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
    if (int status = Find(function, eventHandle, event)) {
        return status;
    }
    return Runtime::Instance().FindStream(function, streamHandle, stream);
}

int SynchronizeEvent(const char* function, aclrtEvent handle, int32_t timeout) {
    std::shared_ptr<Event> event;
    if (int status = Find(function, handle, &event)) {
        return status;
    }
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
        if (int status = Find("aclrtDestroyEvent", handle, &event)) {
            return status;
        }
        // Queued records and waits keep the object itself alive.
        Runtime::Instance().events.Take(handle);
        return ACL_SUCCESS;
    });
}

aclError aclrtRecordEvent(aclrtEvent eventHandle, aclrtStream streamHandle) {
    return Guard("aclrtRecordEvent", [&]() -> int {
        std::shared_ptr<Event> event;
        std::shared_ptr<Stream> stream;
        if (int status = FindBoth("aclrtRecordEvent", eventHandle, streamHandle, &event, &stream)) {
            return status;
        }
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
        if (int status = FindBoth("aclrtResetEvent", eventHandle, streamHandle, &event, &stream)) {
            return status;
        }
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
        if (int status =
                FindBoth("aclrtStreamWaitEvent", eventHandle, streamHandle, &event, &stream)) {
            return status;
        }
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
        if (status == nullptr) {
            return Fail(ACL_ERROR_INVALID_PARAM, "aclrtQueryEventStatus: status is null");
        }
        std::shared_ptr<Event> event;
        if (int code = Find("aclrtQueryEventStatus", handle, &event)) {
            return code;
        }
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
        if (ms == nullptr) {
            return Fail(ACL_ERROR_INVALID_PARAM, "aclrtEventElapsedTime: ms is null");
        }
        std::shared_ptr<Event> start;
        std::shared_ptr<Event> end;
        if (int status = Find("aclrtEventElapsedTime", startEvent, &start)) {
            return status;
        }
        if (int status = Find("aclrtEventElapsedTime", endEvent, &end)) {
            return status;
        }
        if (int status = CheckTimed("startEvent", *start)) {
            return status;
        }
        if (int status = CheckTimed("endEvent", *end)) {
            return status;
        }
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
