// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_CORE_LAUNCH_H
#define TWIN_CORE_LAUNCH_H

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/export.h"
#include "core/gm.h"
#include "core/kernel_binary.h"
#include "core/kernel_code.h"
#include "core/settings.h"

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

/// A kernel shared object, kept loaded as long as somebody holds it.
class TWIN_API KernelImage {
public:
    /// nullptr and a sentence in `error` when the file is missing or cut short, is no kernel
    /// binary, speaks another version, or has initialisers that do not come to their end.
    static std::shared_ptr<const KernelImage> Load(const std::string& path, std::string* error);
    ~KernelImage();

    const KernelBinary& Binary() const { return *binary_; }
    const std::string& Path() const { return path_; }
    const KernelCode& Code() const { return code_; }

    KernelImage(const KernelImage&) = delete;
    KernelImage& operator=(const KernelImage&) = delete;

private:
    KernelImage(void* handle, const KernelBinary* binary, std::string path)
        : handle_(handle), binary_(binary), path_(std::move(path)), code_(binary) {}

    void* handle_;
    const KernelBinary* binary_;
    std::string path_;
    KernelCode code_;
};

/// One kernel launch. `args` are the kernel's pointer parameters in order.
struct LaunchSpec {
    std::shared_ptr<const KernelImage> image;
    uint32_t blockDim = 0;
    uint64_t tilingKey = 0;
    std::vector<void*> args;
    /// Exact extents of tensors, workspace and tiling data where they are known. A pointer into a
    /// window is checked against the window, any other against the GM registry.
    std::vector<GmRange> windows;
    Settings settings;
    /// Set by another thread to end the launch early (stream abort, Ctrl-C).
    std::shared_ptr<std::atomic<bool>> cancel;
};

struct LaunchResult {
    int32_t status = kLaunchOk;
    std::string message;  ///< starts with the stable code: "T103 UB out of bounds: ..."
};

/// Runs the kernel to its end on the twin's worker threads. Blocks; one launch at a time per
/// process. Never throws.
TWIN_API LaunchResult Launch(const LaunchSpec& spec);

}  // namespace twin

#endif  // TWIN_CORE_LAUNCH_H
