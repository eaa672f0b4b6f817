// SPDX-License-Identifier: Apache-2.0
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <thread>

#include "core/gm.h"
#include "host/executor.h"
#include "host/runtime.h"

namespace twin::host {
namespace {

/// Returns an address that no code may access. A kernel without workspace gets this address.
void* NoAccess() {
    static void* const page = mmap(nullptr, static_cast<size_t>(sysconf(_SC_PAGESIZE)), PROT_NONE,
                                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return page;
}

/// Returns the tensor's window, the memory range that its view covers. The window is cut at the end
/// of the allocation, so that a too large tensor gives no access to other memory. If the address is
/// in no allocation, the window is empty, and each access of the kernel is an error.
GmRange WindowOf(const ExecutorTensor& tensor) {
    const int64_t first = tensor.offset + tensor.extent.first;
    const int64_t elements = tensor.extent.last - tensor.extent.first + 1;
    GmRange window;
    window.begin = ElementAddress(tensor, first);
    window.bytes =
        (static_cast<uint64_t>(elements) * tensor.elementBits + kBitsPerByte - 1) / kBitsPerByte;
    window.label = tensor.label;
    window.readOnly = !tensor.written;
    GmRange allocation;
    if (tensor.extent.elements == 0 || !GmRegistry::Instance().Find(window.begin, &allocation)) {
        return GmRange();
    }
    window.bytes = std::min<uint64_t>(window.bytes, allocation.End() - window.begin);
    window.readOnly = window.readOnly || allocation.readOnly;
    return window;
}

/// Returns the kernel's pointer to a tensor. Adds to the plan the tensor's window (the range that
/// the kernel may access) and, if phase 2 must copy the tensor to the workspace, this copy.
void* PlanTensor(const ExecutorTensor& tensor, uint8_t* workspace, LaunchPlan* plan) {
    if (!tensor.Present()) {
        return nullptr;
    }
    if (tensor.values != nullptr) {
        void* const values = tensor.values->words.data();
        plan->spec.windows.push_back(
            {reinterpret_cast<uintptr_t>(values), tensor.Bytes(), true, tensor.label});
        return values;
    }
    const uintptr_t element = ElementAddress(tensor, tensor.offset);
    if (tensor.copied) {
        uint8_t* const target = workspace + tensor.copyOffset;
        plan->copies.push_back({element, &tensor, target});
        plan->spec.windows.push_back(
            {reinterpret_cast<uintptr_t>(target), tensor.Bytes(), true, tensor.label});
        return target;
    }
    // If windows overlap (in-place calls, one tensor given twice), the launch joins the windows.
    plan->spec.windows.push_back(WindowOf(tensor));
    return reinterpret_cast<void*>(element);
}

/// Returns the words that describe a list of tensors to a kernel: the byte offset of the addresses;
/// for each tensor 1 << 32 | rank, then its dimensions; the addresses.
std::vector<uint64_t> WordsOfList(const std::vector<const ExecutorTensor*>& tensors,
                                  const std::vector<void*>& addresses) {
    std::vector<uint64_t> words(1);
    for (const ExecutorTensor* const tensor : tensors) {
        words.push_back(uint64_t{1} << 32 | tensor->view.dims.size());
        words.insert(words.end(), tensor->view.dims.begin(), tensor->view.dims.end());
    }
    words[0] = words.size() * sizeof(uint64_t);
    for (void* const address : addresses) {
        words.push_back(reinterpret_cast<uintptr_t>(address));
    }
    return words;
}

/// Returns the kernel's pointer to an input or output.
void* PlanParam(const ExecutorParam& param, uint8_t* workspace, LaunchPlan* plan) {
    std::vector<const ExecutorTensor*> tensors;
    std::vector<void*> addresses;
    for (size_t i = param.first; i < param.first + param.count; ++i) {
        tensors.push_back(&plan->tensors[i]);
        addresses.push_back(PlanTensor(plan->tensors[i], workspace, plan));
    }
    if (!param.fill.empty() && tensors[0]->Present()) {
        plan->fills.emplace_back(WindowOf(*tensors[0]), param.fill);
    }
    if (!param.list) {
        return addresses[0];
    }
    if (tensors.empty()) {
        return nullptr;
    }
    const std::vector<uint64_t>& words = plan->lists.emplace_back(WordsOfList(tensors, addresses));
    plan->spec.windows.push_back({reinterpret_cast<uintptr_t>(words.data()),
                                  words.size() * sizeof(uint64_t), true, "list of " + param.label});
    return const_cast<uint64_t*>(words.data());
}

/// Returns true if the user workspace must be filled with kWorkspaceFill before the launch.
bool IsFilled(const LaunchPlan& plan) {
    return plan.userBytes > 0 && plan.userBytes <= kPoisonLimit;
}

void PlanWorkspace(const Executor& executor, uint8_t* workspace, LaunchPlan* plan) {
    plan->userBytes = executor.userBytes;
    if (executor.userBytes == 0) {
        plan->spec.args.push_back(NoAccess());
        plan->spec.windows.push_back(
            {reinterpret_cast<uintptr_t>(NoAccess()), 0, false, "workspace"});
        return;
    }
    plan->userWorkspace = workspace + executor.userOffset;
    plan->spec.args.push_back(plan->userWorkspace);
    plan->spec.windows.push_back(
        {reinterpret_cast<uintptr_t>(plan->userWorkspace), executor.userBytes, false, "workspace"});
    plan->spec.windows.back().undefined = IsFilled(*plan);
}

/// Fills the outputs that have an InitValue.
LaunchResult FillOutputs(const LaunchPlan& plan) {
    for (const auto& [range, bytes] : plan.fills) {
        if (range.bytes == 0) {
            continue;
        }
        LaunchResult result = CheckAllocated(range, true, "pass memory that the kernel may write");
        if (result.status != kLaunchOk) {
            return result;
        }
        // The bytes that are filled so far are copied behind themselves.
        auto* const begin = reinterpret_cast<uint8_t*>(range.begin);
        uint64_t filled = std::min<uint64_t>(bytes.size(), range.bytes);
        std::memcpy(begin, bytes.data(), filled);
        while (filled < range.bytes) {
            const uint64_t more = std::min(filled, range.bytes - filled);
            std::memcpy(begin + filled, begin, more);
            filled += more;
        }
    }
    return LaunchResult();
}

/// Copies tensors to the workspace. Fills the kernel's part of the workspace with kWorkspaceFill.
LaunchResult FillWorkspace(const LaunchPlan& plan, uint32_t threads) {
    if (plan.workspace.bytes != 0) {
        LaunchResult result = CheckAllocated(plan.workspace, true,
                                             "allocate as many bytes as the first phase asks for");
        if (result.status != kLaunchOk) {
            return result;
        }
    }
    for (const LaunchPlan::Copy& copy : plan.copies) {
        if (copy.tensor->extent.elements == 0) {
            continue;
        }
        LaunchResult result = Gather(*copy.tensor, copy.base, copy.target, threads);
        if (result.status != kLaunchOk) {
            return result;
        }
    }
    MemoryFault fault;
    const auto fill = [&plan] { twin::FillWorkspace(plan.userWorkspace, plan.userBytes); };
    if (IsFilled(plan) && !Contained(fill, &fault)) {
        return DeviceFault(Describe(fault, "the first fill of the workspace"));
    }
    return LaunchResult();
}

}  // namespace

std::shared_ptr<LaunchPlan> PlanLaunch(const Executor& executor, void* workspace) {
    auto plan = std::make_shared<LaunchPlan>();
    plan->tensors = executor.tensors;
    plan->tilingData = executor.tilingData;
    LaunchSpec& spec = plan->spec;
    spec.image = executor.image;
    spec.blockDim = executor.blockDim;
    spec.tilingKey = executor.tilingKey;
    spec.packaged = true;
    auto* const bytes = static_cast<uint8_t*>(workspace);
    plan->workspace = GmRange{reinterpret_cast<uintptr_t>(workspace), executor.workspaceBytes,
                              false, "the workspace"};
    for (const ExecutorParam& param : executor.params) {
        spec.args.push_back(PlanParam(param, bytes, plan.get()));
    }
    PlanWorkspace(executor, bytes, plan.get());
    void* const tiling = executor.tilingData->data();
    spec.args.push_back(tiling);
    if (executor.tilingBytes > 0) {
        spec.windows.push_back(
            {reinterpret_cast<uintptr_t>(tiling), executor.tilingBytes, true, "tiling data"});
    }
    return plan;
}

uint32_t HostThreads(const Settings& settings) {
    return settings.threads != 0 ? settings.threads
                                 : std::max(1u, std::thread::hardware_concurrency());
}

LaunchResult RunPlan(LaunchPlan* plan, const std::shared_ptr<std::atomic<bool>>& cancel) {
    LaunchResult result = FillWorkspace(*plan, HostThreads(plan->spec.settings));
    if (result.status == kLaunchOk) {
        result = FillOutputs(*plan);
    }
    if (result.status != kLaunchOk) {
        return result;
    }
    plan->spec.cancel = cancel;
    return Launch(plan->spec);
}

}  // namespace twin::host
