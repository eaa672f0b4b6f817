// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "aclnn/acl_meta.h"
#include "core/core_output.h"
#include "core/gm.h"
#include "core/launch.h"
#include "graph/types.h"
#include "host/stream.h"

namespace twin::host {

constexpr int64_t kBitsPerByte = 8;

/// Data of an aclTensor handle. Strides and offset count elements.
struct MetaTensor {
    std::vector<int64_t> viewDims;
    std::vector<int64_t> strides;
    std::vector<int64_t> storageDims;
    int64_t offset = 0;
    aclDataType dataType = ACL_DT_UNDEFINED;
    aclFormat format = ACL_FORMAT_UNDEFINED;
    void* data = nullptr;
};

struct MetaScalar {
    std::vector<uint8_t> value;
    aclDataType dataType = ACL_DT_UNDEFINED;
};

template <typename T>
struct MetaArray {
    std::vector<T> values;
};

/// List of tensors or scalars; it stores their handles.
using MetaList = MetaArray<void*>;

/// All aclnn objects of the process. Never destroyed.
struct MetaTables {
    static MetaTables& Instance();

    HandleTable<MetaTensor> tensors{16};
    HandleTable<MetaScalar> scalars{17};
    HandleTable<MetaArray<int64_t>> intArrays{18};
    HandleTable<MetaArray<float>> floatArrays{19};
    HandleTable<MetaArray<uint8_t>> boolArrays{20};
    HandleTable<MetaList> tensorLists{21};
    HandleTable<MetaList> scalarLists{22};
};

/// Returns a handle's data; returns nullptr for a null, foreign or destroyed tensor.
std::shared_ptr<MetaTensor> FindTensor(const aclTensor* tensor);
std::shared_ptr<MetaArray<int64_t>> FindIntArray(const aclIntArray* array);

/// A view of memory. Strides count elements and may be 0 or negative.
struct StridedView {
    std::vector<int64_t> dims;
    std::vector<int64_t> strides;
};

/// Smallest and largest element offset in a view, relative to its element [0, ..., 0], and the
/// number of elements (0 for an empty view).
struct ViewExtent {
    int64_t first = 0;
    int64_t last = 0;
    int64_t elements = 0;
};

/// Computes a view's extent; returns false for a negative dimension or an overflow of int64.
bool ExtentOf(const StridedView& view, ViewExtent* extent);

/// Returns true if the view is contiguous. As in the toolkit, dimensions of length 1 do not matter,
/// and views with at most one element are contiguous.
bool IsContiguous(const StridedView& view);

/// Returns a view of the same elements in the same order, with as few dimensions as possible.
StridedView Simplify(const StridedView& view);

/// Copies a view to row-major memory with up to `threads` threads. `source` is element [0, ..., 0];
/// `elementBytes` is 1, 2, 4, 8 or 16. Returns false if some of the memory does not exist.
bool CopyStrided(const void* source, const StridedView& view, uint32_t elementBytes, void* target,
                 uint32_t threads, MemoryFault* fault);

/// Data of an input that the call passes by value: an array, a scalar, or a list of scalars.
struct HostValues {
    ge::DataType dataType = ge::DT_UNDEFINED;
    std::vector<int64_t> dims;    ///< empty for a scalar
    std::vector<uint64_t> words;  ///< the data, and at least one word
};

/// A tensor argument of an aclnn call, as it was in phase 1.
struct ExecutorTensor {
    std::string label;  ///< name in errors: "input x", "output x_grad"
    bool output = false;
    bool written = false;                ///< true: the kernel may write to it
    std::shared_ptr<MetaTensor> tensor;  ///< nullptr: no argument, or one that is passed by value
    std::shared_ptr<HostValues> values;
    StridedView view;
    ViewExtent extent;
    int64_t offset = 0;
    uint32_t elementBits = 0;
    bool copied = false;  ///< true: phase 2 copies the tensor to the workspace, at `copyOffset`
    uint64_t copyOffset = 0;
    void* address = nullptr;  ///< address that aclSet*TensorAddr has set
    bool addressSet = false;

    bool Present() const { return tensor != nullptr || values != nullptr; }
    uint64_t Bytes() const {
        return (static_cast<uint64_t>(extent.elements) * elementBits + 7) / 8;
    }
    /// Returns the storage address that the next launch uses.
    void* Base() const { return addressSet ? address : tensor->data; }
};

/// Returns the values as a text like "(2, 3)".
std::string ListText(const std::vector<int64_t>& values);

/// Sets a tensor's view, extent, offset and element size; refuses sizes that overflow (161002).
void DescribeTensor(const std::string& opType, ExecutorTensor* tensor);

uintptr_t ElementAddress(const ExecutorTensor& tensor, int64_t element);

/// Returns the error of a host copy that accesses memory which does not exist.
LaunchResult DeviceFault(std::string message);

/// Checks, when the launch runs, that `need` lies in one device allocation. Returns kLaunchOk or an
/// error: out of bounds (T101), unknown address (T102), read-only (T105).
LaunchResult CheckAllocated(const GmRange& need, bool written, const char* advice);

/// Copies the tensor's view, whose element [0, ..., 0] is at `base`, to row-major memory. The copy
/// runs on the host, so the whole source is checked before it is read.
LaunchResult Gather(const ExecutorTensor& tensor, uintptr_t base, uint8_t* target,
                    uint32_t threads);

/// Function that a built-in operator runs instead of a kernel. Phase 2 copies the executor's list
/// of tensors. Later, the stream's thread calls the function with the copied list.
using HostWork =
    std::function<LaunchResult(const std::vector<ExecutorTensor>& tensors, uint32_t threads)>;

/// One input or output of an aclnn call: a range of the executor's tensors. The kernel gets the
/// address of its tensor, or, for a list, the address of a description (WordsOfList).
struct ExecutorParam {
    std::string label;
    bool output = false;
    bool list = false;
    size_t first = 0;
    size_t count = 1;
    std::vector<uint8_t> fill;  ///< bytes that fill the tensor before the kernel runs (InitValue)
};

/// Result of phase 1. `tensors` are the inputs, then the outputs, in definition order.
struct Executor {
    std::mutex mutex;  ///< guards the addresses and `repeatable`
    std::string opType;
    std::vector<ExecutorTensor> tensors;
    std::vector<ExecutorParam> params;
    size_t inputCount = 0;  ///< how many of the tensors belong to inputs
    bool skip = false;      ///< every output is empty, so there is nothing to launch
    bool repeatable = false;
    HostWork hostWork;            ///< runs instead of a kernel; empty if there is a kernel
    uint64_t workspaceBytes = 0;  ///< workspace size that phase 1 returned
    uint64_t userOffset = 0;      ///< start of the kernel's workspace, after the system's part
    uint64_t userBytes = 0;
    std::shared_ptr<const KernelImage> image;
    std::shared_ptr<std::vector<uint64_t>> tilingData;
    uint64_t tilingBytes = 0;
    uint64_t tilingKey = 0;
    uint32_t blockDim = 0;
    std::string soc;
};

/// Returns the process's table of executors. Never destroyed.
HandleTable<Executor>& Executors();

/// The copies and the kernel launch of one phase-2 call, which a stream runs as one task.
struct LaunchPlan {
    struct Copy {
        uintptr_t base;  ///< address of element [0, ..., 0]
        const ExecutorTensor* tensor;
        uint8_t* target;
    };

    std::vector<ExecutorTensor> tensors;  ///< copied list: the executor may change or be destroyed
    std::vector<Copy> copies;
    std::vector<std::pair<GmRange, std::vector<uint8_t>>> fills;  ///< outputs with InitValue
    std::vector<std::vector<uint64_t>> lists;  ///< descriptions of lists, which the kernel reads
    GmRange workspace;  ///< the workspace, with the size that phase 1 returned
    std::shared_ptr<std::vector<uint64_t>> tilingData;
    uint8_t* userWorkspace = nullptr;
    uint64_t userBytes = 0;
    LaunchSpec spec;
};

/// Plans phase 2 of a call. The caller must hold the executor's mutex.
std::shared_ptr<LaunchPlan> PlanLaunch(const Executor& executor, void* workspace);
/// Returns the number of threads for copies on the host.
uint32_t HostThreads(const Settings& settings);
LaunchResult RunPlan(LaunchPlan* plan, const std::shared_ptr<std::atomic<bool>>& cancel);

}  // namespace twin::host
