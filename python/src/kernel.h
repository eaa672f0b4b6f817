// SPDX-License-Identifier: Apache-2.0
#ifndef CANNERY_KERNEL_H
#define CANNERY_KERNEL_H

#include <pybind11/pybind11.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "acl_api.h"

namespace cannery {

/// The arguments of one launch of a user's kernel besides its arrays.
struct KernelLaunch {
    uint32_t blockDim = 0;
    uint64_t workspaceBytes = 0;
    std::string tiling;
    uint64_t tilingKey = 0;
    std::map<std::string, std::string> settings;  ///< environment variables for this launch only
};

/// The arrays whose elements the kernel took for a smaller type, by position: "float" for doubles.
using Mistakes = std::vector<std::pair<size_t, std::string>>;

/// A kernel, loaded at its first launch: a binary that the runtime takes, or, in the launch form, a
/// library from bisheng with a function that starts the kernel. It stays loaded, because launches
/// of other threads may be using it.
class Kernel {
public:
    Kernel(std::string path, std::string name, bool launchForm)
        : path_(std::move(path)), name_(std::move(name)), launchForm_(launchForm) {}

    /// The kernel's parameters: C-contiguous NumPy arrays, mapped read-only if they are not
    /// writable, and values as bytes. Each has its offset in the data that the launch passes.
    Mistakes Launch(const std::vector<std::pair<pybind11::object, size_t>>& arguments,
                    const KernelLaunch& launch);

private:
    /// Loads a library in the launch form (cannery/compile/launch_form.py). `system` is the
    /// workspace of the device API, which comes before the kernel's own.
    using LaunchFunction = int32_t (*)(uint32_t blocks, aclrtStream stream, void* system,
                                       void* const* arguments);

    aclrtFuncHandle Function(uint64_t tilingKey);
    LaunchFunction Starter(size_t arguments);
    /// `arguments` is the data that the launch passes, in whole words.
    aclError Start(const KernelLaunch& launch, void* system, const void* arguments, size_t bytes);

    std::string path_;
    std::string name_;
    bool launchForm_;
    LaunchFunction starter_ = nullptr;
    uint32_t parameters_ = 0;  ///< parameters of `starter_`
    std::string names_;        ///< names of the parameters
    aclrtBinHandle binary_ = nullptr;
    std::map<uint64_t, aclrtFuncHandle> functions_;
};

}  // namespace cannery

#endif  // CANNERY_KERNEL_H
