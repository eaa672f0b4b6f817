// SPDX-License-Identifier: Apache-2.0
#include "host/op_call.h"

#include <cinttypes>
#include <string>
#include <vector>

#include "host/call_planner.h"
#include "host/error.h"
#include "host/runtime.h"

namespace twin::host {

struct OpCall::State {
    std::string opType;
    std::vector<CallArgument> inputs;
    std::vector<CallArgument> outputs;
    std::vector<AttrValue> attrs;
    bool badAttr = false;  ///< true: an attribute's array is unknown or destroyed

    template <typename T>
    void AddArray(const std::shared_ptr<MetaArray<T>>& array, const void* given) {
        if (array != nullptr) {
            attrs.emplace_back(array->values);
        } else {
            attrs.emplace_back();
            badAttr = badAttr || given != nullptr;
        }
    }
};

namespace {

/// Returns the task with which a stream runs phase 2. The caller must hold the executor's mutex.
StreamTask TaskOf(const Executor& executor, void* workspace) {
    const Settings settings = Settings::FromEnvironment();
    if (executor.hostWork) {
        return
            [work = executor.hostWork, tensors = executor.tensors,
             threads = HostThreads(settings)](const CancelFlag&) { return work(tensors, threads); };
    }
    const std::shared_ptr<LaunchPlan> plan = PlanLaunch(executor, workspace);
    plan->spec.settings = settings;
    plan->spec.settings.soc = executor.soc;
    return [plan](const CancelFlag& cancel) { return RunPlan(plan.get(), cancel); };
}

}  // namespace

OpCall::OpCall(const char* opType) : state_(new State) { state_->opType = opType; }

OpCall::~OpCall() = default;

#define TWIN_ARGUMENT(KIND, LIST, TYPE)                          \
    void OpCall::KIND(const acl##TYPE* object) {                 \
        state_->LIST.push_back({ArgumentKind::k##TYPE, object}); \
    }
TWIN_ARGUMENT(Input, inputs, Tensor)
TWIN_ARGUMENT(Input, inputs, TensorList)
TWIN_ARGUMENT(Input, inputs, IntArray)
TWIN_ARGUMENT(Input, inputs, FloatArray)
TWIN_ARGUMENT(Input, inputs, BoolArray)
TWIN_ARGUMENT(Input, inputs, Scalar)
TWIN_ARGUMENT(Input, inputs, ScalarList)
TWIN_ARGUMENT(Output, outputs, Tensor)
TWIN_ARGUMENT(Output, outputs, TensorList)

void OpCall::Attr(int64_t value) { state_->attrs.emplace_back(value); }

void OpCall::Attr(bool value) { state_->attrs.emplace_back(value); }

void OpCall::Attr(float value) { state_->attrs.emplace_back(value); }

void OpCall::Attr(const char* value) {
    state_->attrs.push_back(value == nullptr ? AttrValue() : AttrValue(std::string(value)));
}

void OpCall::Attr(const aclIntArray* values) { state_->AddArray(FindIntArray(values), values); }

void OpCall::Attr(const aclFloatArray* values) {
    state_->AddArray(MetaTables::Instance().floatArrays.Find(values), values);
}

void OpCall::Attr(const aclBoolArray* values) {
    state_->AddArray(MetaTables::Instance().boolArrays.Find(values), values);
}

aclnnStatus OpCall::GetWorkspaceSize(uint64_t* workspaceSize, aclOpExecutor** executor) {
    return Guard(state_->opType.c_str(), [&] {
        const char* const name = state_->opType.c_str();
        if (workspaceSize == nullptr || executor == nullptr) {
            Refuse(kAclnnNullptr, "%s: %s is null", name,
                   workspaceSize == nullptr ? "workspaceSize" : "executor");
        }
        if (state_->badAttr) {
            Refuse(kAclnnInvalid,
                   "%s: an attribute's array is no array of this process, or destroyed", name);
        }
        const std::shared_ptr<Executor> planned =
            CallPlanner(state_->opType, state_->inputs, state_->outputs, state_->attrs).Plan();
        *workspaceSize = planned->workspaceBytes;
        *executor = static_cast<aclOpExecutor*>(Executors().Add(planned));
    });
}

aclnnStatus RunExecutor(const char* opType, void* workspace, uint64_t workspaceSize,
                        aclOpExecutor* handle, aclrtStream stream) {
    return Guard("phase 2", [&] {
        if (handle == nullptr) {
            Refuse(kAclnnNullptr,
                   "phase 2: executor is null; call the GetWorkspaceSize function first");
        }
        const std::shared_ptr<Executor> executor = Executors().Find(handle);
        if (executor == nullptr) {
            Refuse(kAclnnInvalid,
                   "phase 2: executor was used or destroyed already; call the "
                   "GetWorkspaceSize function again, or "
                   "aclSetAclOpExecutorRepeatable between the phases");
        }
        const char* const name = executor->opType.c_str();
        if (executor->opType != opType) {
            Refuse(kAclnnInvalid,
                   "%s: executor belongs to a call of %s; pass it to the second phase of that "
                   "operator",
                   opType, name);
        }
        if (workspaceSize > 0 && workspace == nullptr) {
            Refuse(kAclnnNullptr, "%s: workspace is null, but workspaceSize is %" PRIu64, name,
                   workspaceSize);
        }
        if (workspaceSize < executor->workspaceBytes) {
            Refuse(kAclnnInvalid,
                   "%s: workspaceSize is %" PRIu64 " bytes; phase 1 asked for %" PRIu64, name,
                   workspaceSize, executor->workspaceBytes);
        }
        std::lock_guard<std::mutex> lock(executor->mutex);
        if (!executor->skip) {
            EnqueueOnStream(name, stream, TaskOf(*executor, workspace));
        }
        if (!executor->repeatable) {
            Executors().Take(handle);
        }
    });
}

}  // namespace twin::host
