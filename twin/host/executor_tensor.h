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

/// A tensor parameter of a planned call, in its state at phase 1.
struct ExecutorTensor {
    std::string label;  ///< "input x", "output x_grad"
    bool output = false;
    std::shared_ptr<MetaTensor> tensor;            ///< nullptr: absent, or values instead
    std::shared_ptr<std::vector<int64_t>> values;  ///< values of an aclIntArray input
    StridedView view;
    ViewExtent extent;
    int64_t offset = 0;
    uint32_t elementBits = 0;
    bool copied = false;  ///< copied into the workspace at `copyOffset` before the kernel runs
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

/// Fills in view, extent, offset and bits from the tensor or the values. Returns 161002 with a
/// sentence if the numbers overflow.
int DescribeTensor(const std::string& opType, ExecutorTensor* tensor);

uintptr_t ElementAddress(const ExecutorTensor& tensor, int64_t element);

/// The stream reports this error if a copy of the host reads memory that does not exist.
LaunchResult DeviceFault(std::string message);

/// Checks that `need` lies in one allocation of the device when the stream executes the launch:
/// kLaunchOk, or T101, T102 or T105.
LaunchResult CheckAllocated(const GmRange& need, bool written, const char* advice);

/// Copies the tensor's view, whose element [0, ..., 0] is at `base`, to row-major memory. The copy
/// runs on the host, so the whole source is checked before it is read.
LaunchResult Gather(const ExecutorTensor& tensor, uintptr_t base, uint8_t* target,
                    uint32_t threads);

}  // namespace twin::host

#endif  // TWIN_HOST_EXECUTOR_TENSOR_H
