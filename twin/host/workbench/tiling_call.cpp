// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <variant>

#include "host/error.h"
#include "host/op_model.h"
#include "host/runtime.h"
#include "host/workbench/workbench.h"

namespace twin::host {
namespace {

/// Returns true if `format` changes the order of elements in memory. Other formats only name the
/// axes and count as ND, as in an aclnn call.
bool OrdersMemory(ge::Format format) {
    switch (format) {
        case ge::FORMAT_NC1HWC0:
        case ge::FORMAT_FRACTAL_Z:
        case ge::FORMAT_FRACTAL_NZ:
        case ge::FORMAT_NDC1HWC0:
            return true;
        default:
            return false;
    }
}

PlannedTensor TensorOf(const Json& json) {
    PlannedTensor tensor;
    tensor.present = json.kind != Json::Kind::kNull;
    if (tensor.present) {
        tensor.shape = IntegersOf(Member(json, "shape"));
        tensor.dataType = DataTypeOf(Member(json, "dtype"));
        tensor.format = static_cast<ge::Format>(IntegerOf(Member(json, "format")));
        tensor.values =
            reinterpret_cast<void*>(static_cast<intptr_t>(IntegerOf(Member(json, "values"))));
    }
    return tensor;
}

std::vector<PlannedTensor> TensorsOf(const Json& json) {
    std::vector<PlannedTensor> tensors;
    tensors.reserve(json.items.size());
    for (const Json& item : json.items) {
        tensors.push_back(TensorOf(item));
    }
    return tensors;
}

std::string ShapeText(const std::vector<int64_t>& shape) {
    return ListOf(shape, [](int64_t size) { return std::to_string(size); });
}

std::vector<int64_t> Dims(const gert::Shape& shape) {
    std::vector<int64_t> dims;
    dims.reserve(shape.GetDimNum());
    for (size_t i = 0; i < shape.GetDimNum(); ++i) {
        dims.push_back(shape.GetDim(i));
    }
    return dims;
}

std::string HexOf(const void* data, size_t bytes) {
    static const char kDigits[] = "0123456789abcdef";
    const auto* const from = static_cast<const uint8_t*>(data);
    std::string text(2 * bytes, '0');
    for (size_t i = 0; i < bytes; ++i) {
        text[2 * i] = kDigits[from[i] >> 4];
        text[2 * i + 1] = kDigits[from[i] & 15];
    }
    return text;
}

std::string ResultText(const OpNode& node, const TilingNotes& notes) {
    const TilingResult& result = node.result;
    const gert::TilingData& data = node.tilingData;
    const std::vector<size_t> sizes(result.workspaces, result.workspaces + result.workspaceCount);
    return "\"key\": " + std::to_string(result.tilingKey) +
           ", \"block_dim\": " + std::to_string(result.blockDim) +
           ", \"schedule_mode\": " + std::to_string(result.scheduleMode) + ", \"workspaces\": " +
           ListOf(sizes, [](size_t bytes) { return std::to_string(bytes); }) +
           ", \"forms\": " + notes.Text(data.GetData(), data.GetDataSize()) + ", \"data\": \"" +
           HexOf(data.GetData(), data.GetDataSize()) + "\"";
}

}  // namespace

TilingCall::TilingCall(const Json& request)
    : place_(TextOf(Member(request, "place"))),
      opType_(TextOf(Member(request, "op"))),
      soc_(&SocOf(Member(request, "soc"))),
      inputs_(TensorsOf(Member(request, "inputs"))),
      outputs_(TensorsOf(Member(request, "outputs"))),
      outputsGiven_(Member(request, "outputs").kind == Json::Kind::kList),
      deterministic_(TruthOf(Member(request, "deterministic")) ? 1 : 0) {
    for (const Json& attr : Member(request, "attrs").items) {
        attrs_.push_back(AttrOf(attr));
    }
}

void TilingCall::Plan() {
    op_ = FindHostOperator(place_, opType_);
    const SocScope chip(soc_);
    if (const OpModel* const model = op_->model.get()) {
        if (!model->defect.empty()) {
            Refuse(kAclnnInner, "%s: %s", Type(), model->defect.c_str());
        }
        model->RequireSoc(*soc_);
    }
    CheckTensors();
    InferOutputs();
    FindRow();
    RunTilingFunction();
}

void TilingCall::CheckTensors() {
    const auto check = [this](const std::vector<PlannedTensor>& tensors,
                              const std::vector<ParamModel>* params) {
        for (size_t i = 0; i < tensors.size(); ++i) {
            const std::string name = params == nullptr ? std::to_string(i) : (*params)[i].name;
            if (!tensors[i].present && params != nullptr && !(*params)[i].Optional()) {
                Refuse(kAclnnNullptr, "%s: %s is null; it is required", Type(), name.c_str());
            }
            constexpr size_t kMostDims = 25;
            const auto& shape = tensors[i].shape;
            const bool negative =
                std::any_of(shape.begin(), shape.end(), [](int64_t size) { return size < 0; });
            if (negative || shape.size() > kMostDims) {
                Refuse(kAclnnInvalid,
                       "%s: %s has the shape %s; expected at most 25 sizes from 0 on", Type(),
                       name.c_str(), ShapeText(shape).c_str());
            }
        }
    };
    const OpModel* const model = op_->model.get();
    check(inputs_, model == nullptr ? nullptr : &model->inputs);
    check(outputs_, model == nullptr ? nullptr : &model->outputs);
}

void TilingCall::AddInputs(OpNode* node) const {
    for (const PlannedTensor& tensor : inputs_) {
        if (tensor.present) {
            node->AddInput(tensor.shape, tensor.dataType, tensor.format, tensor.values);
        } else {
            node->AddAbsentInput();
        }
    }
}

void TilingCall::AddAttrs(OpNode* node) const {
    for (size_t i = 0; i < attrs_.size(); ++i) {
        const bool given = !std::holds_alternative<std::monostate>(attrs_[i]);
        const AttrModel* const attr = op_->model == nullptr ? nullptr : &op_->model->attrs[i];
        if (!given && attr != nullptr && attr->required) {
            Refuse(kAclnnNullptr, "%s: attribute %s is null; it is required", Type(),
                   attr->name.c_str());
        }
        node->Attrs().Add(given || attr == nullptr ? attrs_[i] : attr->value);
    }
}

/// Infers the outputs if the caller gave no outputs. Without inference functions, an output gets
/// the shape of input 0 and the dtype from the definition (without a definition, from input 0).
void TilingCall::InferOutputs() {
    if (outputsGiven_) {
        return;
    }
    OpNode node(opType_, *soc_, 0);
    AddInputs(&node);
    AddAttrs(&node);
    const size_t count = op_->model == nullptr ? 1 : op_->model->outputs.size();
    for (size_t i = 0; i < count; ++i) {
        node.AddOutput({}, ge::DT_UNDEFINED, ge::FORMAT_ND);
    }
    std::string error;
    const bool infers = op_->inference.inferShape != nullptr;
    if (infers && RunInferShape(op_->inference, &node, &error) != ge::GRAPH_SUCCESS) {
        Refuse(kAclnnTiling, "%s", error.c_str());
    }
    const bool infersTypes =
        op_->inference.inferDataType != nullptr || op_->inference.outputTypesLikeFirstInput;
    if (infersTypes && RunInferDataType(op_->inference, &node, &error) != ge::GRAPH_SUCCESS) {
        Refuse(kAclnnTiling, "%s", error.c_str());
    }
    TakeInferred(&node);
}

void TilingCall::TakeInferred(OpNode* node) {
    const std::vector<bool> fitting = FittingRows(false);
    const auto first = std::find(fitting.begin(), fitting.end(), true);
    const auto row = static_cast<size_t>(first - fitting.begin());
    for (size_t i = 0; i < node->outputs.size(); ++i) {
        PlannedTensor output;
        output.present = true;
        const bool like = op_->inference.inferShape == nullptr && !inputs_.empty();
        output.shape = like ? inputs_[0].shape : Dims(node->outputs[i].tensor->GetOriginShape());
        output.dataType = node->InferDataType()->GetOutputDataType(i);
        if (output.dataType == ge::DT_UNDEFINED && first != fitting.end()) {
            output.dataType = op_->model->outputs[i].dataTypes[row];
        } else if (output.dataType == ge::DT_UNDEFINED && !inputs_.empty()) {
            output.dataType = inputs_[0].dataType;
        }
        if (first != fitting.end() && OrdersMemory(op_->model->outputs[i].formats[row])) {
            output.format = op_->model->outputs[i].formats[row];
        }
        const std::string name =
            op_->model == nullptr ? std::to_string(i) : op_->model->outputs[i].name;
        for (int64_t size : output.shape) {
            if (size < 0) {
                Refuse(kAclnnInvalid,
                       "%s: the shape of output %s depends on values, it is inferred as %s; "
                       "give the outputs' shapes too",
                       Type(), name.c_str(), ShapeText(output.shape).c_str());
            }
        }
        outputs_.push_back(output);
    }
}

std::vector<bool> TilingCall::FittingRows(bool withOutputs) const {
    if (op_->model == nullptr) {
        return {};
    }
    std::vector<bool> fitting(op_->model->rows, true);
    const auto check = [&fitting](const std::vector<PlannedTensor>& tensors,
                                  const std::vector<ParamModel>& params) {
        for (size_t i = 0; i < tensors.size(); ++i) {
            for (size_t row = 0; tensors[i].present && row < fitting.size(); ++row) {
                const ge::Format wanted = params[i].formats[row];
                const bool orders = OrdersMemory(wanted);
                const bool format =
                    orders ? tensors[i].format == wanted : !OrdersMemory(tensors[i].format);
                fitting[row] =
                    fitting[row] && format && tensors[i].dataType == params[i].dataTypes[row];
            }
        }
    };
    check(inputs_, op_->model->inputs);
    if (withOutputs) {
        check(outputs_, op_->model->outputs);
    }
    return fitting;
}

void TilingCall::FindRow() {
    const std::vector<bool> fitting = FittingRows(true);
    const auto first = std::find(fitting.begin(), fitting.end(), true);
    if (op_->model != nullptr && first == fitting.end()) {
        Refuse(kAclnnInvalid, "%s: dtypes are %s; the definition has the rows %s", Type(),
               DescribeTensors().c_str(), op_->model->RowsText().c_str());
    }
    row_ = static_cast<size_t>(first - fitting.begin());
}

std::string TilingCall::DescribeTensors() const {
    std::string text;
    const auto describe = [&text](const std::vector<PlannedTensor>& tensors,
                                  const std::vector<ParamModel>& params) {
        for (size_t i = 0; i < tensors.size(); ++i) {
            if (tensors[i].present) {
                text += (text.empty() ? "" : ", ") + params[i].name + " " +
                        DataTypeName(tensors[i].dataType);
                text += OrdersMemory(tensors[i].format)
                            ? " in format " + std::to_string(static_cast<int>(tensors[i].format))
                            : "";
            }
        }
    };
    describe(inputs_, op_->model->inputs);
    describe(outputs_, op_->model->outputs);
    return text;
}

void TilingCall::RunTilingFunction() {
    OpNode node(opType_, *soc_, std::max(op_->tiling.maxTilingBytes, kDefaultTilingBytes));
    AddInputs(&node);
    for (const PlannedTensor& tensor : outputs_) {
        if (tensor.present) {
            node.AddOutput(tensor.shape, tensor.dataType, tensor.format);
        } else {
            node.AddAbsentOutput();
        }
    }
    AddAttrs(&node);
    node.deterministic = deterministic_;
    const TilingNotes notes;
    RunTilingOfCall(op_->tiling, &node);
    result_ = "\"row\": " + std::to_string(row_) + ", " + ResultText(node, notes);
}

std::string TilingCall::Outputs() const {
    return ListOf(outputs_, [](const PlannedTensor& tensor) {
        return tensor.present ? "[" + ShapeText(tensor.shape) + ", " +
                                    Quoted(DataTypeName(tensor.dataType)) + "]"
                              : std::string("null");
    });
}

}  // namespace twin::host
