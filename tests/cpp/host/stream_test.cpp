// SPDX-License-Identifier: Apache-2.0
// Tests of the order, failures, events and aborts of streams. They enqueue tasks directly, so they
// need no kernel.
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "acl/acl.h"
#include "acl_session.h"
#include "check.h"
#include "host/runtime.h"

using twin::LaunchResult;
using twin::host::CancelFlag;
using twin::host::EnqueueOnStream;

namespace {

LaunchResult Failure(int status, const char* text) {
    LaunchResult result;
    result.status = status;
    result.message = text;
    return result;
}

void EnqueueFailure(aclrtStream stream) {
    EnqueueOnStream("test", stream, [](const CancelFlag&) {
        return Failure(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION, "T101 first failure");
    });
}

/// Enqueues a task that runs until `gate` is true or the stream is aborted.
void EnqueueGate(aclrtStream stream, std::atomic<bool>* gate) {
    EnqueueOnStream("test", stream, [gate](const CancelFlag& cancel) {
        while (!gate->load() && !cancel->load()) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        return LaunchResult();
    });
}

}  // namespace

TEST(TasksRunInOrderAndAsynchronously) {
    AclSession session;
    std::atomic<bool> gate{false};
    std::vector<int> order;
    EnqueueGate(session.stream, &gate);
    for (int i = 0; i < 100; ++i) {
        EnqueueOnStream("test", session.stream, [&order, i](const CancelFlag&) {
            order.push_back(i);
            return LaunchResult();
        });
    }
    aclrtStreamStatus status = ACL_STREAM_STATUS_COMPLETE;
    CHECK_EQ(aclrtStreamQuery(session.stream, &status), ACL_SUCCESS);
    CHECK_EQ(status, ACL_STREAM_STATUS_NOT_READY);
    CHECK_EQ(aclrtSynchronizeStreamWithTimeout(session.stream, 0),
             ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    CHECK_EQ(aclrtSynchronizeStreamWithTimeout(session.stream, 20),
             ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    CHECK_EQ(aclrtSynchronizeStreamWithTimeout(session.stream, -2), ACL_ERROR_RT_PARAM_INVALID);
    gate = true;
    CHECK_EQ(aclrtSynchronizeStream(session.stream), ACL_SUCCESS);
    CHECK_EQ(order.size(), 100u);
    for (int i = 0; i < 100; ++i) {
        CHECK_EQ(order[static_cast<size_t>(i)], i);
    }
}

TEST(AFailureDropsWhatFollowsUntilReported) {
    AclSession session;
    std::atomic<int> ran{0};
    const auto count = [&ran](const CancelFlag&) {
        ++ran;
        return LaunchResult();
    };
    EnqueueFailure(session.stream);
    EnqueueOnStream("test", session.stream, count);
    CHECK_EQ(aclrtSynchronizeStream(session.stream), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
    CHECK_EQ(Message(), "T101 first failure");
    CHECK_EQ(ran.load(), 0);
    CHECK_EQ(aclrtSynchronizeStream(session.stream), ACL_SUCCESS);
    EnqueueOnStream("test", session.stream, count);
    CHECK_EQ(aclrtSynchronizeStream(session.stream), ACL_SUCCESS);
    CHECK_EQ(ran.load(), 1);
}

TEST(DestroyReportsAnUnreportedFailure) {
    AclSession session;
    aclrtStream stream = nullptr;
    CHECK_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
    EnqueueFailure(stream);
    CHECK_EQ(aclrtDestroyStream(stream), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
    CHECK_EQ(aclrtSynchronizeStream(stream), ACL_ERROR_RT_INVALID_HANDLE);
}

TEST(DeviceSynchronizeReportsAnyStream) {
    AclSession session;
    EnqueueFailure(session.stream);
    CHECK_EQ(aclrtSynchronizeDevice(), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
    CHECK_EQ(aclrtSynchronizeDevice(), ACL_SUCCESS);
}

TEST(AnExceptionInATaskIsAFailure) {
    AclSession session;
    EnqueueOnStream("test", session.stream,
                    [](const CancelFlag&) -> LaunchResult { throw std::runtime_error("boom"); });
    CHECK_EQ(aclrtSynchronizeStream(session.stream), ACL_ERROR_RT_INTERNAL_ERROR);
    CHECK(MessageHas("boom"));
}

TEST(EventsOrderStreams) {
    AclSession session;
    aclrtStream other = nullptr;
    aclrtEvent event = nullptr;
    CHECK_EQ(aclrtCreateStream(&other), ACL_SUCCESS);
    CHECK_EQ(aclrtCreateEvent(&event), ACL_SUCCESS);
    std::atomic<bool> gate{false};
    std::atomic<bool> seen{false};
    EnqueueGate(session.stream, &gate);
    CHECK_EQ(aclrtRecordEvent(event, session.stream), ACL_SUCCESS);
    CHECK_EQ(aclrtStreamWaitEvent(other, event), ACL_SUCCESS);
    EnqueueOnStream("test", other, [&](const CancelFlag&) {
        seen = gate.load();
        return LaunchResult();
    });
    aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_COMPLETE;
    CHECK_EQ(aclrtQueryEventStatus(event, &status), ACL_SUCCESS);
    CHECK_EQ(status, ACL_EVENT_RECORDED_STATUS_NOT_READY);
    CHECK_EQ(aclrtSynchronizeEventWithTimeout(event, 5), ACL_ERROR_RT_EVENT_SYNC_TIMEOUT);
    gate = true;
    CHECK_EQ(aclrtSynchronizeStream(other), ACL_SUCCESS);
    CHECK(seen.load());
    CHECK_EQ(aclrtSynchronizeEvent(event), ACL_SUCCESS);
    CHECK_EQ(aclrtQueryEventStatus(event, &status), ACL_SUCCESS);
    CHECK_EQ(status, ACL_EVENT_RECORDED_STATUS_COMPLETE);
    CHECK_EQ(aclrtResetEvent(event, session.stream), ACL_SUCCESS);
    CHECK_EQ(aclrtSynchronizeStream(session.stream), ACL_SUCCESS);
    CHECK_EQ(aclrtQueryEventStatus(event, &status), ACL_SUCCESS);
    CHECK_EQ(status, ACL_EVENT_RECORDED_STATUS_NOT_READY);
    CHECK_EQ(aclrtDestroyEvent(event), ACL_SUCCESS);
    CHECK_EQ(aclrtDestroyStream(other), ACL_SUCCESS);
}

TEST(EventsBehindAFailureCompleteAndTell) {
    AclSession session;
    aclrtEvent event = nullptr;
    CHECK_EQ(aclrtCreateEvent(&event), ACL_SUCCESS);
    EnqueueFailure(session.stream);
    CHECK_EQ(aclrtRecordEvent(event, session.stream), ACL_SUCCESS);
    CHECK_EQ(aclrtSynchronizeEvent(event), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
    CHECK_EQ(aclrtSynchronizeStream(session.stream), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
    CHECK_EQ(aclrtDestroyEvent(event), ACL_SUCCESS);
}

TEST(ElapsedTimeNeedsTimedCompleteEvents) {
    AclSession session;
    aclrtEvent start = nullptr;
    aclrtEvent end = nullptr;
    aclrtEvent untimed = nullptr;
    float ms = -1;
    CHECK_EQ(aclrtCreateEvent(&start), ACL_SUCCESS);
    CHECK_EQ(aclrtCreateEventWithFlag(&end, ACL_EVENT_TIME_LINE), ACL_SUCCESS);
    CHECK_EQ(aclrtCreateEventExWithFlag(&untimed, ACL_EVENT_SYNC), ACL_SUCCESS);
    CHECK_EQ(aclrtCreateEventWithFlag(&end, 0x4000u), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_EQ(aclrtSynchronizeEvent(start), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_EQ(aclrtRecordEvent(start, session.stream), ACL_SUCCESS);
    CHECK_EQ(aclrtSynchronizeStream(session.stream), ACL_SUCCESS);
    CHECK_EQ(aclrtEventElapsedTime(&ms, start, end), ACL_ERROR_RT_EVENT_NOT_COMPLETE);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    CHECK_EQ(aclrtRecordEvent(end, session.stream), ACL_SUCCESS);
    CHECK_EQ(aclrtSynchronizeEvent(end), ACL_SUCCESS);
    CHECK_EQ(aclrtEventElapsedTime(&ms, start, end), ACL_SUCCESS);
    CHECK(ms >= 4.0f && ms < 300000.0f);
    CHECK_EQ(aclrtEventElapsedTime(&ms, end, start), ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL);
    CHECK_EQ(aclrtEventElapsedTime(&ms, untimed, end), ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID);
}

TEST(AbortEndsWhatRunsAndIsReportedOnce) {
    AclSession session;
    std::atomic<bool> never{false};
    std::atomic<int> ran{0};
    EnqueueGate(session.stream, &never);
    EnqueueOnStream("test", session.stream, [&ran](const CancelFlag&) {
        ++ran;
        return LaunchResult();
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    CHECK_EQ(aclrtStreamAbort(session.stream), ACL_SUCCESS);
    CHECK_EQ(aclrtSynchronizeStream(session.stream), ACL_ERROR_RT_STREAM_ABORT);
    CHECK_EQ(aclrtSynchronizeStream(session.stream), ACL_SUCCESS);
    CHECK_EQ(ran.load(), 0);
    CHECK_EQ(aclrtStreamAbort(session.stream), ACL_SUCCESS);
    CHECK_EQ(aclrtSynchronizeStream(session.stream), ACL_SUCCESS);
}

TEST(AbortReachesAStreamThatWaitsForAnEvent) {
    AclSession session;
    aclrtStream blocked = nullptr;
    aclrtEvent event = nullptr;
    std::atomic<bool> gate{false};
    CHECK_EQ(aclrtCreateStream(&blocked), ACL_SUCCESS);
    CHECK_EQ(aclrtCreateEvent(&event), ACL_SUCCESS);
    EnqueueGate(session.stream, &gate);
    CHECK_EQ(aclrtRecordEvent(event, session.stream), ACL_SUCCESS);
    CHECK_EQ(aclrtStreamWaitEvent(blocked, event), ACL_SUCCESS);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    CHECK_EQ(aclrtStreamAbort(blocked), ACL_SUCCESS);
    CHECK_EQ(aclrtSynchronizeStream(blocked), ACL_ERROR_RT_STREAM_ABORT);
    gate = true;
    CHECK_EQ(aclrtDestroyStream(blocked), ACL_SUCCESS);
}

TEST(DestroyForceDoesNotWait) {
    AclSession session;
    aclrtStream stream = nullptr;
    std::atomic<bool> never{false};
    CHECK_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
    EnqueueGate(stream, &never);
    CHECK_EQ(aclrtDestroyStreamForce(stream), ACL_SUCCESS);
}

TEST(ACapturedModelRunsAgainAndAgain) {
    AclSession session;
    aclrtStream other = nullptr;
    aclrtEvent ready = nullptr, done = nullptr;
    int8_t source = 1, middle = 0, target = 0;
    std::vector<int> order;
    const auto note = [&order](aclrtStream stream, int number) {
        EnqueueOnStream("test", stream, [&order, number](const CancelFlag&) {
            order.push_back(number);
            return LaunchResult();
        });
    };
    CHECK_EQ(aclrtCreateStream(&other), ACL_SUCCESS);
    CHECK_EQ(aclrtCreateEvent(&ready), ACL_SUCCESS);
    CHECK_EQ(aclrtCreateEvent(&done), ACL_SUCCESS);
    CHECK_EQ(aclmdlRICaptureBegin(session.stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL), ACL_SUCCESS);
    CHECK_EQ(aclrtMemcpyAsync(&middle, 1, &source, 1, ACL_MEMCPY_HOST_TO_HOST, session.stream),
             ACL_SUCCESS);
    note(session.stream, 1);
    CHECK_EQ(aclrtRecordEvent(ready, session.stream), ACL_SUCCESS);
    CHECK_EQ(aclrtStreamWaitEvent(other, ready), ACL_SUCCESS);
    note(other, 2);
    CHECK_EQ(aclrtMemcpyAsync(&target, 1, &middle, 1, ACL_MEMCPY_HOST_TO_HOST, other), ACL_SUCCESS);
    CHECK_EQ(aclrtRecordEvent(done, other), ACL_SUCCESS);
    CHECK_EQ(aclrtStreamWaitEvent(session.stream, done), ACL_SUCCESS);
    note(session.stream, 3);
    aclmdlRICaptureStatus status = ACL_MODEL_RI_CAPTURE_STATUS_NONE;
    CHECK_EQ(aclmdlRICaptureGetInfo(other, &status, nullptr), ACL_SUCCESS);
    CHECK_EQ(status, ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE);
    CHECK_EQ(aclrtSynchronizeStream(other), ACL_ERROR_RT_STREAM_MODEL);
    aclmdlRI model = nullptr;
    CHECK_EQ(aclmdlRICaptureEnd(other, &model), ACL_ERROR_RT_STREAM_MODEL);
    CHECK_EQ(aclmdlRICaptureEnd(session.stream, &model), ACL_SUCCESS);
    CHECK_EQ(aclmdlRICaptureEnd(session.stream, &model), ACL_ERROR_RT_STREAM_MODEL);
    CHECK_EQ(order.size(), size_t{0});
    for (int8_t round = 1; round < 4; ++round) {
        source = round;
        order.clear();
        CHECK_EQ(aclmdlRIExecuteAsync(model, other), ACL_SUCCESS);
        CHECK_EQ(aclrtSynchronizeStream(other), ACL_SUCCESS);
        CHECK_EQ(target, round);
        CHECK_EQ(order == (std::vector<int>{1, 2, 3}), true);
    }
    CHECK_EQ(aclmdlRIDestroy(model), ACL_SUCCESS);
    CHECK_EQ(aclmdlRIExecuteAsync(model, other), ACL_ERROR_RT_INVALID_HANDLE);
    note(other, 4);
    CHECK_EQ(aclrtSynchronizeStream(other), ACL_SUCCESS);
    CHECK_EQ(order.back(), 4);
    CHECK_EQ(aclrtDestroyStream(other), ACL_SUCCESS);
}

TEST(AFailureEndsACapturedModel) {
    AclSession session;
    int ran = 0;
    aclmdlRI model = nullptr;
    CHECK_EQ(aclmdlRICaptureBegin(session.stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED), ACL_SUCCESS);
    EnqueueFailure(session.stream);
    EnqueueOnStream("test", session.stream, [&ran](const CancelFlag&) {
        ++ran;
        return LaunchResult();
    });
    CHECK_EQ(aclmdlRICaptureEnd(session.stream, &model), ACL_SUCCESS);
    CHECK_EQ(aclmdlRIExecuteAsync(model, session.stream), ACL_SUCCESS);
    CHECK_EQ(aclrtSynchronizeStream(session.stream), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
    CHECK_EQ(MessageHas("T101"), true);
    CHECK_EQ(ran, 0);
    CHECK_EQ(aclmdlRIDestroy(model), ACL_SUCCESS);
}

int main(int argc, char** argv) { return check::RunTests(argc, argv); }
