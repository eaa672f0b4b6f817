// SPDX-License-Identifier: Apache-2.0
// Models that a program captures: tasks of streams that it can run again and again.
#include <cinttypes>
#include <cstdio>
#include <memory>

#include "acl/acl.h"
#include "host/error.h"
#include "host/runtime.h"

namespace twin::host {

void JoinCapture(const char* function, const std::shared_ptr<Stream>& stream,
                 const std::shared_ptr<Capture>& capture) {
    if (stream->Captured() == capture) {
        return;
    }
    if (stream->Captured() != nullptr) {
        Refuse(ACL_ERROR_RT_STREAM_MODEL, "%s: the stream already captures another model",
               function);
    }
    std::lock_guard<std::mutex> lock(capture->mutex);
    capture->streams.push_back(stream);
    stream->SetCapture(capture);
}

namespace {

std::shared_ptr<Capture> FindModel(const char* function, aclmdlRI handle) {
    Runtime::Instance().RequireReady(function);
    std::shared_ptr<Capture> model = Runtime::Instance().models.Find(handle);
    if (model == nullptr) {
        Refuse(ACL_ERROR_RT_INVALID_HANDLE,
               "%s: modelRI is no model of this process, or destroyed already", function);
    }
    return model;
}

/// Runs all tasks of a model, one after the other, in the order in which they were captured.
LaunchResult RunModel(Capture& model, const CancelFlag& cancel) {
    std::lock_guard<std::mutex> lock(model.mutex);
    for (const Capture::Task& task : model.tasks) {
        LaunchResult result = task.run(cancel);
        if (result.status != kLaunchOk) {
            return result;
        }
    }
    return LaunchResult();
}

void Describe(Capture& model, FILE* file) {
    std::lock_guard<std::mutex> lock(model.mutex);
    std::fprintf(file, "{\"tasks\": [");
    for (size_t i = 0; i < model.tasks.size(); ++i) {
        size_t stream = 0;
        while (stream < model.streams.size() &&
               model.streams[stream].lock().get() != model.tasks[i].stream) {
            ++stream;
        }
        std::fprintf(file, "%s{\"id\": %zu, \"stream\": %zu}", i == 0 ? "" : ", ", i, stream);
    }
    std::fprintf(file, "]}\n");
}

}  // namespace
}  // namespace twin::host

using namespace twin::host;

extern "C" {

aclError aclmdlRICaptureBegin(aclrtStream handle, aclmdlRICaptureMode mode) {
    return Guard("aclmdlRICaptureBegin", [&] {
        const auto stream = Runtime::Instance().FindStream("aclmdlRICaptureBegin", handle);
        if (mode < ACL_MODEL_RI_CAPTURE_MODE_GLOBAL || mode > ACL_MODEL_RI_CAPTURE_MODE_RELAXED) {
            Refuse(ACL_ERROR_INVALID_PARAM, "aclmdlRICaptureBegin: mode is %d, expected 0, 1 or 2",
                   static_cast<int>(mode));
        }
        JoinCapture("aclmdlRICaptureBegin", stream, std::make_shared<Capture>());
    });
}

aclError aclmdlRICaptureGetInfo(aclrtStream handle, aclmdlRICaptureStatus* status,
                                aclmdlRI* modelRI) {
    return Guard("aclmdlRICaptureGetInfo", [&] {
        TWIN_REFUSE_NULL(ACL_ERROR_INVALID_PARAM, "aclmdlRICaptureGetInfo", status);
        const auto stream = Runtime::Instance().FindStream("aclmdlRICaptureGetInfo", handle);
        *status = stream->Captured() == nullptr ? ACL_MODEL_RI_CAPTURE_STATUS_NONE
                                                : ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE;
        if (modelRI != nullptr) {
            *modelRI = nullptr;  // a model has a handle when its capture has ended
        }
    });
}

aclError aclmdlRICaptureEnd(aclrtStream handle, aclmdlRI* modelRI) {
    return Guard("aclmdlRICaptureEnd", [&] {
        TWIN_REFUSE_NULL(ACL_ERROR_INVALID_PARAM, "aclmdlRICaptureEnd", modelRI);
        const auto stream = Runtime::Instance().FindStream("aclmdlRICaptureEnd", handle);
        const auto capture = stream->Captured();
        if (capture == nullptr) {
            Refuse(ACL_ERROR_RT_STREAM_MODEL, "aclmdlRICaptureEnd: the stream captures no model");
        }
        std::lock_guard<std::mutex> lock(capture->mutex);
        if (capture->streams.front().lock() != stream) {
            Refuse(ACL_ERROR_RT_STREAM_MODEL,
                   "aclmdlRICaptureEnd: another stream began this capture, and must end it");
        }
        for (const auto& part : capture->streams) {
            if (const auto one = part.lock()) {
                one->SetCapture(nullptr);
            }
        }
        capture->active = false;
        *modelRI = Runtime::Instance().models.Add(capture);
    });
}

aclError aclmdlRIExecuteAsync(aclmdlRI modelRI, aclrtStream handle) {
    return Guard("aclmdlRIExecuteAsync", [&] {
        const auto model = FindModel("aclmdlRIExecuteAsync", modelRI);
        EnqueueOnStream("aclmdlRIExecuteAsync", handle,
                        [model](const CancelFlag& cancel) { return RunModel(*model, cancel); });
    });
}

aclError aclmdlRIDestroy(aclmdlRI modelRI) {
    return Guard("aclmdlRIDestroy", [&] {
        FindModel("aclmdlRIDestroy", modelRI);
        // Removes only the handle. Queued executions still own the model.
        Runtime::Instance().models.Take(modelRI);
    });
}

aclError aclmdlRIDebugPrint(aclmdlRI modelRI) {
    return Guard("aclmdlRIDebugPrint",
                 [&] { Describe(*FindModel("aclmdlRIDebugPrint", modelRI), stdout); });
}

aclError aclmdlRIDebugJsonPrint(aclmdlRI modelRI, const char* path, uint32_t) {
    return Guard("aclmdlRIDebugJsonPrint", [&] {
        TWIN_REFUSE_NULL(ACL_ERROR_INVALID_PARAM, "aclmdlRIDebugJsonPrint", path);
        const auto model = FindModel("aclmdlRIDebugJsonPrint", modelRI);
        FILE* const file = std::fopen(path, "w");
        if (file == nullptr) {
            Refuse(ACL_ERROR_INVALID_PARAM, "aclmdlRIDebugJsonPrint: cannot write %s", path);
        }
        Describe(*model, file);
        std::fclose(file);
    });
}

}  // extern "C"
