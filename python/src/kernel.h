// SPDX-License-Identifier: Apache-2.0
#ifndef CANNERY_KERNEL_H
#define CANNERY_KERNEL_H

#include <pybind11/pybind11.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "acl_api.h"
#include "scoped_variable.h"

namespace cannery {

/// What one launch of a user's kernel needs besides the arguments that the user passes.
struct KernelLaunch {
    uint32_t blockDim = 0;
    uint64_t workspaceBytes = 0;
    std::string tiling;
    uint64_t tilingKey = 0;
    LaunchSettings settings;  ///< environment variables for this launch only
};

/// Arrays that the kernel used as another type than their dtype: array index, name of the type.
using Mistakes = std::vector<std::pair<size_t, std::string>>;

/// A kernel that is loaded at its first launch. It is a binary for the runtime or, if `launchForm`
/// is set, a library from bisheng with a function that starts the kernel. The kernel stays loaded,
/// because launches of other threads may be using it.
class Kernel {
public:
    Kernel(std::string path, std::string name, bool launchForm)
        : path_(std::move(path)), name_(std::move(name)), launchForm_(launchForm) {}

    /// Launches the kernel and waits. An argument is an object and its offset in the launch's data.
    /// The object is a C-contiguous NumPy array (mapped read-only if not writable) or bytes.
    Mistakes Launch(const std::vector<std::pair<pybind11::object, size_t>>& arguments,
                    const KernelLaunch& launch);

private:
    /// Function that starts the kernel, in a library that cannery/compile/launch_form.py makes.
    /// `system` is the part of the workspace that the Ascend C library uses.
    using LaunchFunction = int32_t (*)(uint32_t blocks, aclrtStream stream, void* system,
                                       void* const* arguments);

    aclrtFuncHandle Function(uint64_t tilingKey);
    LaunchFunction Starter(size_t arguments);
    /// Starts the kernel. `arguments` is the data of the launch, `bytes` a multiple of 8.
    aclError Start(const KernelLaunch& launch, void* system, const void* arguments, size_t bytes);

    std::string path_;
    std::string name_;
    bool launchForm_;
    LaunchFunction starter_ = nullptr;
    uint32_t parameters_ = 0;  ///< number of parameters of `starter_`
    std::string names_;        ///< names of the parameters
    aclrtBinHandle binary_ = nullptr;
    std::map<uint64_t, aclrtFuncHandle> functions_;
};

}  // namespace cannery

#endif  // CANNERY_KERNEL_H
