// SPDX-License-Identifier: Apache-2.0
#include "host/call_planner.h"

#include <algorithm>
#include <cinttypes>
#include <map>
#include <mutex>
#include <utility>
#include <variant>

#include "host/error.h"
#include "host/op_call.h"
#include "host/runtime.h"

namespace twin::host {
namespace {

/// Returns true if a format changes the order of elements in memory. All other formats count as ND.
bool IsPrivate(aclFormat format) {
    switch (format) {
        case ACL_FORMAT_NC1HWC0:
        case ACL_FORMAT_FRACTAL_Z:
        case ACL_FORMAT_NC1HWC0_C04:
        case ACL_FORMAT_FRACTAL_NZ:
        case ACL_FORMAT_NDC1HWC0:
        case ACL_FRACTAL_Z_3D:
            return true;
        default:
            return false;
    }
}

constexpr uint64_t kCopyAlignment = 512;

uint64_t AlignUp(uint64_t bytes) {
    return (bytes + kCopyAlignment - 1) / kCopyAlignment * kCopyAlignment;
}

/// Returns a file's kernel. As in the toolkit, only the first call for the file loads the kernel.
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

CallPlanner::CallPlanner(const std::string& opType, std::vector<CallArgument> inputs,
                         std::vector<CallArgument> outputs, std::vector<AttrValue> attrs)
    : opType_(opType),
      inputs_(std::move(inputs)),
      outputs_(std::move(outputs)),
      attrs_(std::move(attrs)),
      soc_(CurrentSoc()),
      executor_(std::make_shared<Executor>()) {}

std::shared_ptr<Executor> CallPlanner::Plan() {
    FindModel();
    ResolveTensors();
    model_->RequireSoc(soc_);
    CheckContiguity();
    FindRow();
    executor_->opType = opType_;
    executor_->soc = soc_.name;
    executor_->skip = !model_->launchEmpty && AllOutputsEmpty();
    if (!executor_->skip) {
        LoadKernel();
        RunTilingFunction();
    }
    return executor_;
}

void CallPlanner::FindModel() {
    operator_ = FindOperator(opType_);
    model_ = operator_->registration.model.get();
    if (!model_->defect.empty()) {
        Refuse(kAclnnInner, "%s: %s", opType_.c_str(), model_->defect.c_str());
    }
    if (inputs_.size() != model_->inputs.size() || outputs_.size() != model_->outputs.size() ||
        attrs_.size() != model_->attrs.size()) {
        Refuse(kAclnnInner,
               "%s: called with %zu inputs, %zu outputs and %zu attributes; its definition in %s "
               "has %zu, %zu and %zu. The functions called belong to another package: build "
               "both again from one prototype",
               opType_.c_str(), inputs_.size(), outputs_.size(), attrs_.size(),
               operator_->package->Path().c_str(), model_->inputs.size(), model_->outputs.size(),
               model_->attrs.size());
    }
}

void CallPlanner::ResolveTensors() {
    for (size_t i = 0; i < inputs_.size(); ++i) {
        Resolve(model_->inputs[i], inputs_[i], false);
    }
    executor_->inputCount = executor_->tensors.size();
    ConvertScalars();
    for (size_t i = 0; i < outputs_.size(); ++i) {
        Resolve(model_->outputs[i], outputs_[i], true);
    }
}

void CallPlanner::Resolve(const ParamModel& param, const CallArgument& argument, bool output) {
    std::vector<ExecutorTensor> tensors = ResolveArgument(opType_, param, argument, output);
    const size_t first = executor_->tensors.size();
    executor_->params.push_back({std::string(output ? "output " : "input ") + param.name, output,
                                 argument.kind == ArgumentKind::kTensorList, first,
                                 tensors.size()});
    models_.resize(first + tensors.size(), &param);
    for (ExecutorTensor& tensor : tensors) {
        // Without an output, the operator can only change what its inputs point to.
        tensor.written = output || model_->outputs.empty();
        executor_->tensors.push_back(std::move(tensor));
    }
}

/// Converts the scalars whose definition names a type, or an input that has the type (To). Converts
/// the integers of an array to the first dtype, if the definition has rows without INT64 only.
void CallPlanner::ConvertScalars() {
    for (size_t i = 0; i < executor_->tensors.size(); ++i) {
        ExecutorTensor& tensor = executor_->tensors[i];
        const std::vector<ge::DataType>& types = models_[i]->dataTypes;
        ge::DataType wanted = models_[i]->scalarType;
        if (models_[i]->valueDepend &&
            std::find(types.begin(), types.end(), ge::DT_INT64) == types.end()) {
            wanted = types.empty() ? wanted : types[0];
        }
        for (size_t k = 0; k < executor_->tensors.size(); ++k) {
            if (models_[k]->name == models_[i]->scalarLike && executor_->tensors[k].Present()) {
                wanted = DataTypeOf(executor_->tensors[k]);
                break;
            }
        }
        if (tensor.values != nullptr && wanted != ge::DT_UNDEFINED) {
            ConvertValues(opType_, wanted, &tensor);
        }
    }
}

void CallPlanner::CheckContiguity() {
    for (size_t i = 0; i < executor_->tensors.size(); ++i) {
        ExecutorTensor& tensor = executor_->tensors[i];
        const ParamModel& param = *models_[i];
        if (tensor.tensor == nullptr || param.ignoreContiguous || IsContiguous(tensor.view)) {
            continue;
        }
        const bool wholeBytes = tensor.elementBits % 8 == 0 && tensor.elementBits > 0;
        if (param.autoContiguous && !tensor.output && wholeBytes) {
            tensor.copied = true;
            continue;
        }
        Refuse(kAclnnInner,
               "%s: %s has shape %s and strides %s, so it is not contiguous; its definition "
               "has neither AutoContiguous (inputs "
               "of whole bytes) nor IgnoreContiguous. Pass a contiguous tensor",
               opType_.c_str(), tensor.label.c_str(), ListText(tensor.view.dims).c_str(),
               ListText(tensor.view.strides).c_str());
    }
}

ge::Format CallPlanner::FormatOf(const ExecutorTensor& tensor) const {
    if (tensor.tensor == nullptr || !IsPrivate(tensor.tensor->format)) {
        return ge::FORMAT_ND;
    }
    return static_cast<ge::Format>(tensor.tensor->format);
}

ge::DataType CallPlanner::DataTypeOf(const ExecutorTensor& tensor) const {
    return tensor.values != nullptr ? tensor.values->dataType
                                    : static_cast<ge::DataType>(tensor.tensor->dataType);
}

std::string CallPlanner::DescribeDataTypes() const {
    std::string text;
    for (const ExecutorTensor& tensor : executor_->tensors) {
        if (!tensor.Present()) {
            continue;
        }
        const std::string name = tensor.label.substr(tensor.label.find(' ') + 1);
        text += (text.empty() ? "" : ", ") + name + " " + DataTypeName(DataTypeOf(tensor));
        if (FormatOf(tensor) != ge::FORMAT_ND) {
            text += " in format " + std::to_string(static_cast<int>(FormatOf(tensor)));
        }
    }
    return text;
}

void CallPlanner::FindRow() {
    for (row_ = 0; row_ < model_->rows; ++row_) {
        bool matches = model_->HasRow(row_, soc_);
        for (size_t i = 0; i < executor_->tensors.size() && matches; ++i) {
            const ExecutorTensor& tensor = executor_->tensors[i];
            if (!tensor.Present()) {
                continue;
            }
            const ge::Format wanted = models_[i]->formats[row_];
            const bool formatFits =
                FormatOf(tensor) ==
                (IsPrivate(static_cast<aclFormat>(wanted)) ? wanted : ge::FORMAT_ND);
            matches = DataTypeOf(tensor) == models_[i]->dataTypes[row_] && formatFits;
        }
        if (matches) {
            return;
        }
    }
    Refuse(kAclnnInvalid, "%s: dtypes are %s; the definition has the rows %s", opType_.c_str(),
           DescribeDataTypes().c_str(), model_->RowsText(soc_).c_str());
}

bool CallPlanner::AllOutputsEmpty() const {
    bool any = false;
    for (const ExecutorTensor& tensor : executor_->tensors) {
        if (!tensor.output || !tensor.Present()) {
            continue;
        }
        if (tensor.extent.elements > 0) {
            return false;
        }
        any = true;
    }
    return any;
}

void CallPlanner::LoadKernel() {
    const std::string path = operator_->package->FindKernel(*model_, row_, soc_);
    std::string error;
    executor_->image = LoadOnce(path, &error);
    if (executor_->image == nullptr) {
        Refuse(kAclnnNoKernel, "%s: no kernel for %s: %s", opType_.c_str(),
               DescribeDataTypes().c_str(), error.c_str());
    }
    const size_t expected = executor_->params.size() + 2;
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

std::vector<TensorForm> CallPlanner::FormsOf(const ExecutorParam& param) const {
    std::vector<TensorForm> forms;
    for (size_t i = param.first; i < param.first + param.count; ++i) {
        const ExecutorTensor& tensor = executor_->tensors[i];
        if (tensor.Present()) {
            void* const values = tensor.values == nullptr ? nullptr : tensor.values->words.data();
            forms.push_back({tensor.view.dims, DataTypeOf(tensor), FormatOf(tensor), values});
        }
    }
    return forms;
}

void CallPlanner::RunTilingFunction() {
    const OpFunctions& functions = operator_->registration.functions;
    OpNode node(opType_, soc_, std::max(functions.maxTilingBytes, kDefaultTilingBytes));
    for (const ExecutorParam& param : executor_->params) {
        const std::vector<TensorForm> forms = FormsOf(param);
        if (forms.empty() && !param.list) {
            param.output ? node.AddAbsentOutput() : node.AddAbsentInput();
        } else {
            param.output ? node.AddOutputList(forms) : node.AddInputList(forms);
        }
    }
    AddAttrs(&node);
    node.deterministic = DeterministicWanted() ? 1 : 0;
    RunTilingOfCall(functions, &node);
    AdoptTiling(node);
}

void CallPlanner::AdoptTiling(const OpNode& node) {
    const TilingResult& result = node.result;
    for (ExecutorParam& param : executor_->params) {
        // As in the toolkit, InitValue only has an effect together with SetNeedAtomic.
        if (result.needAtomic && param.count == 1 && param.output) {
            const ParamModel& model = *models_[param.first];
            const ops::ScalarVar* const number = model.InitValue(model.dataTypes[row_]);
            param.fill = number == nullptr ? std::vector<uint8_t>() : BytesOf(*number);
        }
    }
    executor_->blockDim = result.blockDim;
    executor_->tilingKey = result.tilingKey;
    executor_->tilingBytes = node.tilingData.GetDataSize();
    const auto* const words = static_cast<const uint64_t*>(node.tilingData.GetData());
    // Copies one more word, so that the kernel gets an address even if there is no tiling data.
    const uint64_t count = executor_->tilingBytes / sizeof(uint64_t) + 1;
    executor_->tilingData = std::make_shared<std::vector<uint64_t>>(words, words + count);
    uint64_t tilingWorkspace = 0;
    result.WorkspaceBytes(&tilingWorkspace);
    LayOutWorkspace(tilingWorkspace);
}

void CallPlanner::LayOutWorkspace(uint64_t tilingBytes) {
    // The workspace begins with the system's part; the kernel gets the address after this part.
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
