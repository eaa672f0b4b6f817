// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_HOST_EXECUTOR_TENSOR_H
#define TWIN_HOST_EXECUTOR_TENSOR_H

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/gm.h"
#include "core/launch.h"
#include "host/contiguous.h"
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

/// "(2, 3)"
std::string ListText(const std::vector<int64_t>& values);

/// Fills in view, extent, offset and bits from the tensor or the values; 161002 and a sentence for
/// numbers that cannot be computed with.
int DescribeTensor(const std::string& opType, ExecutorTensor* tensor);

uintptr_t ElementAddress(const ExecutorTensor& tensor, int64_t element);

/// What the stream reports when a copy of the host's meets memory that is not there.
LaunchResult DeviceFault(std::string message);

/// `need` must lie in one allocation of the device, now that the stream comes to it: kLaunchOk, or
/// T101, T102 or T105.
LaunchResult CheckAllocated(const GmRange& need, bool written, const char* advice);

/// Copies the tensor's view, whose element [0, ..., 0] is at `base`, into row-major memory. The
/// copy runs on the host, so the source is checked as a whole before it is read.
LaunchResult Gather(const ExecutorTensor& tensor, uintptr_t base, uint8_t* target,
                    uint32_t threads);

}  // namespace twin::host

#endif  // TWIN_HOST_EXECUTOR_TENSOR_H
