// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_HOST_EXECUTOR_H
#define TWIN_HOST_EXECUTOR_H

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/launch.h"
#include "host/contiguous.h"
#include "host/handles.h"
#include "host/meta_objects.h"

namespace twin::host {

/// A tensor parameter of a planned call, as it was when phase 1 saw it.
struct ExecutorTensor {
    std::string label;  ///< "input x", "output x_grad"
    bool output = false;
    std::shared_ptr<MetaTensor> tensor;            ///< nullptr: absent, or values
    std::shared_ptr<std::vector<int64_t>> values;  ///< of an aclIntArray input
    StridedView view;
    ViewExtent extent;
    int64_t offset = 0;
    uint32_t elementBits = 0;
    bool copied = false;  ///< gathered into the workspace at `copyOffset` before the kernel runs
    uint64_t copyOffset = 0;
    void* address = nullptr;  ///< from aclSet*TensorAddr
    bool addressSet = false;

    bool Present() const { return tensor != nullptr || values != nullptr; }
    uint64_t Bytes() const {
        return (static_cast<uint64_t>(extent.elements) * elementBits + 7) / 8;
    }
    /// Storage base that the next launch uses.
    void* Base() const { return addressSet ? address : tensor->data; }
};

/// The result of phase 1. Tensors: inputs, then outputs, in definition order.
struct Executor {
    std::mutex mutex;  ///< guards the addresses and `repeatable`
    std::string opType;
    std::vector<ExecutorTensor> tensors;
    size_t inputCount = 0;
    bool skip = false;  ///< every output is empty: nothing to launch
    bool repeatable = false;
    uint64_t workspaceBytes = 0;  ///< what phase 1 asked for
    uint64_t userOffset = 0;      ///< of the part that the kernel may use, behind the system's
    uint64_t userBytes = 0;
    std::shared_ptr<const KernelImage> image;
    std::shared_ptr<std::vector<uint64_t>> tilingData;
    uint64_t tilingBytes = 0;
    uint64_t tilingKey = 0;
    uint32_t blockDim = 0;
    std::string soc;
};

/// Executors of the process. Never destroyed.
HandleTable<Executor>& Executors();

/// Kernel and copies of one phase 2 as one task for a stream.
struct LaunchPlan {
    struct Copy {
        uintptr_t base;  ///< address of element [0, ..., 0]
        const ExecutorTensor* tensor;
        uint8_t* target;
    };

    std::vector<ExecutorTensor> tensors;  ///< a copy: the executor may change or go
    std::vector<Copy> copies;
    GmRange workspace;  ///< as phase 1 asked for it
    std::shared_ptr<std::vector<uint64_t>> tilingData;
    uint8_t* userWorkspace = nullptr;
    uint64_t userBytes = 0;
    LaunchSpec spec;
};

/// The executor's mutex must be held.
std::shared_ptr<LaunchPlan> PlanLaunch(const Executor& executor, void* workspace);
LaunchResult RunPlan(LaunchPlan* plan, const std::shared_ptr<std::atomic<bool>>& cancel);

}  // namespace twin::host

#endif  // TWIN_HOST_EXECUTOR_H
