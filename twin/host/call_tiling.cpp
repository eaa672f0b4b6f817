// SPDX-License-Identifier: Apache-2.0
// The second half of CallPlanner: when the row of dtypes is known, it loads the kernel and calls
// the operator's tiling function.
#include <algorithm>
#include <cinttypes>
#include <map>
#include <mutex>
#include <variant>

#include "host/call_planner.h"
#include "host/error.h"
#include "host/op_call.h"
#include "host/runtime.h"

namespace twin::host {
namespace {

constexpr uint64_t kCopyAlignment = 512;

uint64_t AlignUp(uint64_t bytes) {
    return (bytes + kCopyAlignment - 1) / kCopyAlignment * kCopyAlignment;
}

/// A kernel is loaded once and kept, as the toolkit keeps its kernel binaries.
std::shared_ptr<const KernelImage> LoadOnce(const std::string& path, std::string* error) {
    static std::mutex* const mutex = new std::mutex;
    static auto* const images = new std::map<std::string, std::shared_ptr<const KernelImage>>;
    std::lock_guard<std::mutex> lock(*mutex);
    std::shared_ptr<const KernelImage>& image = (*images)[path];
    if (image == nullptr) {
        image = KernelImage::Load(path, error);
    }
    return image;
}

}  // namespace

void CallPlanner::LoadKernel() {
    const std::string path = operator_->package->FindKernel(*model_, row_, soc_);
    std::string error;
    executor_->image = LoadOnce(path, &error);
    if (executor_->image == nullptr) {
        Refuse(kAclnnNoKernel, "%s: no kernel for %s: %s", opType_.c_str(),
               DescribeDataTypes().c_str(), error.c_str());
    }
    const size_t expected = executor_->tensors.size() + 2;
    const KernelBinary& binary = executor_->image->Binary();
    if (!binary.TakesPointers(expected)) {
        Refuse(kAclnnNoKernel,
               "%s: the kernel in %s has %" PRIu32 " parameters, %" PRIu32
               " of them pointers; an operator's kernel takes pointers alone, here %zu (inputs, "
               "outputs, workspace, tiling). Change its parameters, or build it again where the "
               "definition is newer",
               opType_.c_str(), path.c_str(), binary.argCount, binary.CountPointers(), expected);
    }
}

void CallPlanner::AddAttrs(OpNode* node) {
    for (size_t i = 0; i < attrs_.size(); ++i) {
        const AttrModel& attr = model_->attrs[i];
        const bool given = !std::holds_alternative<std::monostate>(attrs_[i]);
        if (!given && attr.required) {
            Refuse(kAclnnNullptr, "%s: attribute %s is null; it is required", opType_.c_str(),
                   attr.name.c_str());
        }
        if (given && attrs_[i].index() != attr.value.index()) {
            Refuse(kAclnnInner, "%s: attribute %s is given as %s; its definition says %s",
                   opType_.c_str(), attr.name.c_str(), AttrTypeName(attrs_[i]),
                   AttrTypeName(attr.value));
        }
        node->Attrs().Add(given ? attrs_[i] : attr.value);
    }
}

void CallPlanner::RunTilingFunction() {
    const OpFunctions& functions = operator_->registration.functions;
    OpNode node(opType_, soc_, std::max(functions.maxTilingBytes, kDefaultTilingBytes));
    for (const ExecutorTensor& tensor : executor_->tensors) {
        if (!tensor.Present()) {
            tensor.output ? node.AddAbsentOutput() : node.AddAbsentInput();
        } else if (tensor.output) {
            node.AddOutput(tensor.view.dims, DataTypeOf(tensor), FormatOf(tensor));
        } else {
            void* const values = tensor.values == nullptr ? nullptr : tensor.values->data();
            node.AddInput(tensor.view.dims, DataTypeOf(tensor), FormatOf(tensor), values);
        }
    }
    AddAttrs(&node);
    node.deterministic = DeterministicWanted() ? 1 : 0;
    RunTilingOfCall(functions, &node);
    AdoptTiling(node);
}

void CallPlanner::AdoptTiling(const OpNode& node) {
    const TilingResult& result = node.result;
    executor_->blockDim = result.blockDim;
    executor_->tilingKey = result.tilingKey;
    executor_->tilingBytes = node.tilingData.GetDataSize();
    const auto* const words = static_cast<const uint64_t*>(node.tilingData.GetData());
    // There is one word more than needed, so that there is an address even without data.
    const uint64_t count = executor_->tilingBytes / sizeof(uint64_t) + 1;
    executor_->tilingData = std::make_shared<std::vector<uint64_t>>(words, words + count);
    uint64_t tilingWorkspace = 0;
    result.WorkspaceBytes(&tilingWorkspace);
    LayOutWorkspace(tilingWorkspace);
}

void CallPlanner::LayOutWorkspace(uint64_t tilingBytes) {
    // The generated wrapper of a packaged kernel skips the system's part; the rest belongs to the
    // kernel.
    const uint64_t system = soc_.systemWorkspaceBytes;
    executor_->userOffset = system;
    executor_->userBytes = tilingBytes > system ? tilingBytes - system : 0;
    uint64_t total = tilingBytes;
    for (ExecutorTensor& tensor : executor_->tensors) {
        if (!tensor.copied) {
            continue;
        }
        tensor.copyOffset = AlignUp(total);
        if (tensor.copyOffset < tilingBytes ||
            __builtin_add_overflow(tensor.copyOffset, AlignUp(tensor.Bytes()), &total)) {
            Refuse(kAclnnInvalid,
                   "%s: the workspace of tiling and the copy of %s together exceed 64 bits",
                   opType_.c_str(), tensor.label.c_str());
        }
    }
    executor_->workspaceBytes = total;
}

}  // namespace twin::host
