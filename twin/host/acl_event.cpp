// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cinttypes>
#include <memory>

#include "acl/acl.h"
#include "host/error.h"
#include "host/runtime.h"

using namespace twin::host;
using twin::LaunchResult;

namespace {

int SynchronizeStream(const char* function, aclrtStream handle, int32_t timeout) {
    return Guard(function, [&] {
        const auto stream = Runtime::Instance().FindStream(function, handle);
        Check(ReportStream(function, stream.get(), timeout));
    });
}

int Create(const char* function, aclrtEvent* event, uint32_t flag) {
    constexpr uint32_t kKnownFlags =
        ACL_EVENT_SYNC | ACL_EVENT_CAPTURE_STREAM_PROGRESS | ACL_EVENT_TIME_LINE;
    return Guard(function, [&] {
        Runtime::Instance().RequireReady(function);
        TWIN_REFUSE_NULL(ACL_ERROR_INVALID_PARAM, function, event);
        if ((flag & ~kKnownFlags) != 0) {
            Refuse(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                   "%s: flag is 0x%" PRIx32 "; the twin knows 0x%" PRIx32 " only", function, flag,
                   kKnownFlags);
        }
        const bool timed = (flag & ACL_EVENT_TIME_LINE) != 0;
        *event = Runtime::Instance().events.Add(std::make_shared<Event>(timed));
    });
}

std::shared_ptr<Event> Find(const char* function, aclrtEvent handle) {
    Runtime::Instance().RequireReady(function);
    if (handle == nullptr) {
        Refuse(ACL_ERROR_INVALID_PARAM, "%s: event is null", function);
    }
    std::shared_ptr<Event> event = Runtime::Instance().events.Find(handle);
    if (event == nullptr) {
        Refuse(ACL_ERROR_RT_INVALID_HANDLE,
               "%s: event is no event of this process, or destroyed already", function);
    }
    return event;
}

int SynchronizeEvent(const char* function, aclrtEvent handle, int32_t timeout) {
    return Guard(function, [&] {
        const auto event = Find(function, handle);
        if (timeout < -1) {
            Refuse(ACL_ERROR_RT_PARAM_INVALID, "%s: timeout is %" PRId32 " ms; expected -1 or more",
                   function, timeout);
        }
        const uint64_t generation = event->Recorded();
        if (generation == 0) {
            Refuse(ACL_ERROR_RT_PARAM_INVALID,
                   "%s: the event was never recorded, so nothing will complete it; call "
                   "aclrtRecordEvent first",
                   function);
        }
        if (!event->Wait(generation, timeout, nullptr)) {
            Refuse(ACL_ERROR_RT_EVENT_SYNC_TIMEOUT,
                   "%s: the event is not complete after %" PRId32 " ms", function, timeout);
        }
        ReportResult(event->Failure());
    });
}

void CheckTimed(const char* name, const Event& event) {
    if (!event.Timed()) {
        Refuse(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID,
               "aclrtEventElapsedTime: %s keeps no time; create it with aclrtCreateEvent or "
               "ACL_EVENT_TIME_LINE",
               name);
    }
    if (!event.Complete()) {
        Refuse(ACL_ERROR_RT_EVENT_NOT_COMPLETE,
               "aclrtEventElapsedTime: %s is not complete; record it and synchronise first", name);
    }
}

}  // namespace

extern "C" {

aclError aclrtCreateStream(aclrtStream* stream) {
    return Guard("aclrtCreateStream",
                 [&] { Runtime::Instance().CreateStream("aclrtCreateStream", stream); });
}

aclError aclrtCreateStreamWithConfig(aclrtStream* stream, uint32_t priority, uint32_t flag) {
    return Guard("aclrtCreateStreamWithConfig", [&] {
        constexpr uint32_t kLowestPriority = 7;
        constexpr uint32_t kKnownFlags = ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC;
        if (priority > kLowestPriority) {
            Refuse(ACL_ERROR_RT_PARAM_INVALID,
                   "aclrtCreateStreamWithConfig: priority is %" PRIu32
                   "; expected 0 (highest) to 7",
                   priority);
        }
        if ((flag & ~kKnownFlags) != 0) {
            Refuse(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                   "aclrtCreateStreamWithConfig: flag is 0x%" PRIx32
                   "; the twin knows ACL_STREAM_FAST_LAUNCH (1) "
                   "and ACL_STREAM_FAST_SYNC (2) only",
                   flag);
        }
        Runtime::Instance().CreateStream("aclrtCreateStreamWithConfig", stream);
    });
}

aclError aclrtDestroyStream(aclrtStream stream) {
    return Guard("aclrtDestroyStream", [&] { Runtime::Instance().DestroyStream(stream, false); });
}

aclError aclrtDestroyStreamForce(aclrtStream stream) {
    return Guard("aclrtDestroyStreamForce",
                 [&] { Runtime::Instance().DestroyStream(stream, true); });
}

aclError aclrtSynchronizeStream(aclrtStream stream) {
    return SynchronizeStream("aclrtSynchronizeStream", stream, -1);
}

aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout) {
    return SynchronizeStream("aclrtSynchronizeStreamWithTimeout", stream, timeout);
}

aclError aclrtStreamQuery(aclrtStream handle, aclrtStreamStatus* status) {
    return Guard("aclrtStreamQuery", [&] {
        TWIN_REFUSE_NULL(ACL_ERROR_INVALID_PARAM, "aclrtStreamQuery", status);
        const auto stream = Runtime::Instance().FindStream("aclrtStreamQuery", handle);
        *status = stream->Idle() ? ACL_STREAM_STATUS_COMPLETE : ACL_STREAM_STATUS_NOT_READY;
    });
}

aclError aclrtStreamAbort(aclrtStream handle) {
    return Guard("aclrtStreamAbort",
                 [&] { Runtime::Instance().FindStream("aclrtStreamAbort", handle)->Abort(); });
}

aclError aclrtCreateEvent(aclrtEvent* event) {
    return Create("aclrtCreateEvent", event, ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE);
}

aclError aclrtCreateEventWithFlag(aclrtEvent* event, uint32_t flag) {
    return Create("aclrtCreateEventWithFlag", event, flag);
}

aclError aclrtCreateEventExWithFlag(aclrtEvent* event, uint32_t flag) {
    return Create("aclrtCreateEventExWithFlag", event, flag);
}

aclError aclrtDestroyEvent(aclrtEvent handle) {
    return Guard("aclrtDestroyEvent", [&] {
        Find("aclrtDestroyEvent", handle);
        // Removes only the handle. The queued tasks that record or await the event still own it.
        Runtime::Instance().events.Take(handle);
    });
}

aclError aclrtRecordEvent(aclrtEvent eventHandle, aclrtStream streamHandle) {
    return Guard("aclrtRecordEvent", [&] {
        const auto event = Find("aclrtRecordEvent", eventHandle);
        const auto stream = Runtime::Instance().FindStream("aclrtRecordEvent", streamHandle);
        event->SetCapture(stream->Captured());
        if (stream->Captured() != nullptr) {
            return;  // the order of a model's tasks is the order in which they were captured
        }
        const uint64_t generation = event->Record();
        stream->EnqueueAlways([event, generation](const LaunchResult& failure) {
            event->Complete(generation, failure);
        });
    });
}

aclError aclrtResetEvent(aclrtEvent eventHandle, aclrtStream streamHandle) {
    return Guard("aclrtResetEvent", [&] {
        const auto event = Find("aclrtResetEvent", eventHandle);
        const auto stream = Runtime::Instance().FindStream("aclrtResetEvent", streamHandle);
        const uint64_t generation = event->Recorded();
        stream->EnqueueAlways(
            [event, generation](const LaunchResult&) { event->Reset(generation); });
    });
}

aclError aclrtStreamWaitEvent(aclrtStream streamHandle, aclrtEvent eventHandle) {
    return Guard("aclrtStreamWaitEvent", [&] {
        const auto event = Find("aclrtStreamWaitEvent", eventHandle);
        const auto stream = Runtime::Instance().FindStream("aclrtStreamWaitEvent", streamHandle);
        if (const auto capture = event->Captured()) {
            JoinCapture("aclrtStreamWaitEvent", stream, capture);
            return;
        }
        const uint64_t generation = event->Recorded();
        if (generation == 0) {
            return;
        }
        stream->Enqueue([event, generation](const CancelFlag& cancel) {
            LaunchResult result;
            if (!event->Wait(generation, -1, cancel)) {
                result.status = ACL_ERROR_RT_STREAM_ABORT;
                result.message = "the stream was aborted while it waited for an event";
            }
            return result;
        });
    });
}

aclError aclrtQueryEventStatus(aclrtEvent handle, aclrtEventRecordedStatus* status) {
    return Guard("aclrtQueryEventStatus", [&] {
        TWIN_REFUSE_NULL(ACL_ERROR_INVALID_PARAM, "aclrtQueryEventStatus", status);
        *status = Find("aclrtQueryEventStatus", handle)->Complete()
                      ? ACL_EVENT_RECORDED_STATUS_COMPLETE
                      : ACL_EVENT_RECORDED_STATUS_NOT_READY;
    });
}

aclError aclrtSynchronizeEvent(aclrtEvent event) {
    return SynchronizeEvent("aclrtSynchronizeEvent", event, -1);
}

aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout) {
    return SynchronizeEvent("aclrtSynchronizeEventWithTimeout", event, timeout);
}

aclError aclrtEventElapsedTime(float* ms, aclrtEvent startEvent, aclrtEvent endEvent) {
    return Guard("aclrtEventElapsedTime", [&] {
        TWIN_REFUSE_NULL(ACL_ERROR_INVALID_PARAM, "aclrtEventElapsedTime", ms);
        const auto start = Find("aclrtEventElapsedTime", startEvent);
        const auto end = Find("aclrtEventElapsedTime", endEvent);
        CheckTimed("startEvent", *start);
        CheckTimed("endEvent", *end);
        const std::chrono::duration<float, std::milli> elapsed = end->Time() - start->Time();
        if (elapsed.count() < 0) {
            Refuse(ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL,
                   "aclrtEventElapsedTime: startEvent completed after endEvent; swap them");
        }
        *ms = elapsed.count();
    });
}

}  // extern "C"
