// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/core.h"
#include "core/gm.h"
#include "core/kernel_image.h"
#include "core/observer.h"
#include "core/settings.h"
#include "core/types.h"

namespace twin {

/// Runtime statuses that a launch can end with: the acl codes of a cube core and of a vector core.
enum LaunchStatus : int32_t {
    kLaunchOk = 0,
    kLaunchInvalid = 107000,
    kLaunchAicTimeout = 507014,
    kLaunchAicException = 507015,
    kLaunchAivTimeout = 507034,
    kLaunchAivException = 507035,
};

/// One kernel launch. `args` are the words that contain the kernel's parameters (KernelParameter);
/// for most kernels, each word is one pointer.
struct LaunchSpec {
    std::shared_ptr<const KernelImage> image;
    uint32_t blockDim = 0;
    uint64_t tilingKey = 0;
    std::vector<void*> args;
    /// Exact ranges (windows) of tensors, workspace and tiling data, if they are known. An access
    /// by a pointer into a window must stay in it; other accesses must stay in an allocation.
    std::vector<GmRange> windows;
    /// Bit d becomes 1 if an instruction computes with elements of Dtype d. nullptr: the caller
    /// does not want this information.
    std::atomic<uint32_t>* computed = nullptr;
    /// Owner of the memory to which `windows` and `computed` point.
    std::shared_ptr<const void> windowsOwner;
    Settings settings;
    /// Lets cores synchronise even if the kernel's type does not support this. Used if the caller
    /// chooses the cores of a block, but not the type of the kernel.
    bool coresMayMeet = false;
    uint32_t localPoison = kPoison;  ///< pattern in the local memories of a core when it begins
    /// The kernel belongs to an operator package. A card then has code only for the tiling keys
    /// that the kernel names, or only for key 0 if the kernel names none.
    bool packaged = false;
    /// Creates an observer in addition to those that the settings ask for.
    std::function<std::unique_ptr<Observer>()> observer;
    /// Another thread sets this to end the launch early (stream abort, Ctrl-C).
    std::shared_ptr<std::atomic<bool>> cancel;
};

struct LaunchResult {
    int32_t status = kLaunchOk;
    std::string message;       ///< begins with a stable code: "T103 UB out of bounds: ..."
    std::string hazards = {};  ///< findings of the hazard checker as JSON; empty: none
};

/// Runs the kernel on the twin's worker threads and returns when it has ended. The process runs one
/// launch at a time; other calls wait. Never throws.
TWIN_API LaunchResult Launch(const LaunchSpec& spec);

}  // namespace twin
