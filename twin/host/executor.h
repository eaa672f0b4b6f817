// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_HOST_EXECUTOR_H
#define TWIN_HOST_EXECUTOR_H

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/launch.h"
#include "host/executor_tensor.h"
#include "host/handles.h"

namespace twin::host {

/// Work of a built-in operator that needs no kernel; it runs on the stream's thread. `tensors` are
/// those at the call of phase 2.
using HostWork =
    std::function<LaunchResult(const std::vector<ExecutorTensor>& tensors, uint32_t threads)>;

/// The result of phase 1. Tensors: inputs, then outputs, in definition order.
struct Executor {
    std::mutex mutex;  ///< guards the addresses and `repeatable`
    std::string opType;
    std::vector<ExecutorTensor> tensors;
    size_t inputCount = 0;
    bool skip = false;  ///< every output is empty, so there is nothing to launch
    bool repeatable = false;
    HostWork hostWork;            ///< replaces a kernel
    uint64_t workspaceBytes = 0;  ///< what phase 1 asked for
    uint64_t userOffset = 0;      ///< start of the kernel's part, after the system's
    uint64_t userBytes = 0;
    std::shared_ptr<const KernelImage> image;
    std::shared_ptr<std::vector<uint64_t>> tilingData;
    uint64_t tilingBytes = 0;
    uint64_t tilingKey = 0;
    uint32_t blockDim = 0;
    std::string soc;
};

/// The executors of the process. Never destroyed.
HandleTable<Executor>& Executors();

/// The kernel and the copies of one phase 2 as one task for a stream.
struct LaunchPlan {
    struct Copy {
        uintptr_t base;  ///< address of element [0, ..., 0]
        const ExecutorTensor* tensor;
        uint8_t* target;
    };

    std::vector<ExecutorTensor>
        tensors;  ///< a copy, because the executor may change or be destroyed
    std::vector<Copy> copies;
    GmRange workspace;  ///< as phase 1 asked for it
    std::shared_ptr<std::vector<uint64_t>> tilingData;
    uint8_t* userWorkspace = nullptr;
    uint64_t userBytes = 0;
    LaunchSpec spec;
};

/// The caller must hold the executor's mutex.
std::shared_ptr<LaunchPlan> PlanLaunch(const Executor& executor, void* workspace);
/// Number of threads that a copy of the host may use.
uint32_t HostThreads(const Settings& settings);
LaunchResult RunPlan(LaunchPlan* plan, const std::shared_ptr<std::atomic<bool>>& cancel);

}  // namespace twin::host

#endif  // TWIN_HOST_EXECUTOR_H
