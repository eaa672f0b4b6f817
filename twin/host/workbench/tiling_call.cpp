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

TensorForm TensorOf(const Json& json) {
    TensorForm tensor;
    tensor.shape = IntegersOf(Member(json, "shape"));
    tensor.dataType = DataTypeOf(Member(json, "dtype"));
    tensor.format = static_cast<ge::Format>(IntegerOf(Member(json, "format")));
    tensor.values =
        reinterpret_cast<void*>(static_cast<intptr_t>(IntegerOf(Member(json, "values"))));
    return tensor;
}

PlannedParam ParamOf(const Json& json) {
    PlannedParam param;
    param.list = json.kind == Json::Kind::kList;
    if (json.kind == Json::Kind::kObject) {
        param.tensors.push_back(TensorOf(json));
    }
    for (size_t i = 0; param.list && i < json.items.size(); ++i) {
        param.tensors.push_back(TensorOf(json.items[i]));
    }
    return param;
}

std::vector<PlannedParam> ParamsOf(const Json& json) {
    std::vector<PlannedParam> params;
    params.reserve(json.items.size());
    for (const Json& item : json.items) {
        params.push_back(ParamOf(item));
    }
    return params;
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
      inputs_(ParamsOf(Member(request, "inputs"))),
      outputs_(ParamsOf(Member(request, "outputs"))),
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
    const auto check = [this](const std::vector<PlannedParam>& given,
                              const std::vector<ParamModel>* params) {
        for (size_t i = 0; i < given.size(); ++i) {
            const std::string name = params == nullptr ? std::to_string(i) : (*params)[i].name;
            const bool absent = given[i].tensors.empty() && !given[i].list;
            if (absent && params != nullptr && !(*params)[i].Optional()) {
                Refuse(kAclnnNullptr, "%s: %s is null; it is required", Type(), name.c_str());
            }
            for (const TensorForm& tensor : given[i].tensors) {
                constexpr size_t kMostDims = 25;
                const auto& shape = tensor.shape;
                const bool negative =
                    std::any_of(shape.begin(), shape.end(), [](int64_t size) { return size < 0; });
                if (negative || shape.size() > kMostDims) {
                    Refuse(kAclnnInvalid,
                           "%s: %s has the shape %s; expected at most 25 sizes from 0 on", Type(),
                           name.c_str(), ShapeText(shape).c_str());
                }
            }
        }
    };
    const OpModel* const model = op_->model.get();
    check(inputs_, model == nullptr ? nullptr : &model->inputs);
    check(outputs_, model == nullptr ? nullptr : &model->outputs);
}

void TilingCall::AddInputs(OpNode* node) const {
    for (const PlannedParam& param : inputs_) {
        if (param.tensors.empty() && !param.list) {
            node->AddAbsentInput();
        } else {
            node->AddInputList(param.tensors);
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
/// the shape of input 0 and the dtype from the definition (without a definition, from input 0). A
/// dynamic output has as many tensors as the first dynamic input.
void TilingCall::InferOutputs() {
    if (outputsGiven_) {
        return;
    }
    OpNode node(opType_, *soc_, 0);
    AddInputs(&node);
    AddAttrs(&node);
    const size_t count = op_->model == nullptr ? 1 : op_->model->outputs.size();
    const auto list = std::find_if(inputs_.begin(), inputs_.end(),
                                   [](const PlannedParam& param) { return param.list; });
    std::vector<PlannedParam> outputs;
    for (size_t i = 0; i < count; ++i) {
        const bool dynamic = op_->model != nullptr && op_->model->outputs[i].Dynamic();
        const size_t tensors = !dynamic ? 1 : list == inputs_.end() ? 0 : list->tensors.size();
        node.AddOutputList(std::vector<TensorForm>(tensors));
        outputs.push_back({dynamic, std::vector<TensorForm>(tensors)});
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
    TakeInferred(&node, std::move(outputs));
}

void TilingCall::TakeInferred(OpNode* node, std::vector<PlannedParam> outputs) {
    const std::vector<bool> fitting = FittingRows(false);
    const auto first = std::find(fitting.begin(), fitting.end(), true);
    const auto row = static_cast<size_t>(first - fitting.begin());
    const TensorForm* const like =
        inputs_.empty() || inputs_[0].tensors.empty() ? nullptr : inputs_[0].tensors.data();
    size_t number = 0;  // of the tensor among the tensors of all outputs
    for (size_t i = 0; i < outputs.size(); ++i) {
        const ParamModel* const model = op_->model == nullptr ? nullptr : &op_->model->outputs[i];
        for (size_t k = 0; k < outputs[i].tensors.size(); ++k, ++number) {
            TensorForm& output = outputs[i].tensors[k];
            const bool each = outputs[i].list && like != nullptr && inputs_[0].list;
            const TensorForm* const source = each ? &inputs_[0].tensors[k] : like;
            output.shape = op_->inference.inferShape == nullptr && source != nullptr
                               ? source->shape
                               : Dims(node->outputs[number].tensor->GetOriginShape());
            output.dataType = node->InferDataType()->GetOutputDataType(number);
            if (output.dataType == ge::DT_UNDEFINED && first != fitting.end()) {
                output.dataType = model->dataTypes[row];
            } else if (output.dataType == ge::DT_UNDEFINED && source != nullptr) {
                output.dataType = source->dataType;
            }
            if (first != fitting.end() && OrdersMemory(model->formats[row])) {
                output.format = model->formats[row];
            }
            RefuseUnknown(model == nullptr ? std::to_string(i) : model->name, output.shape);
        }
    }
    outputs_ = std::move(outputs);
}

void TilingCall::RefuseUnknown(const std::string& output, const std::vector<int64_t>& shape) const {
    if (std::any_of(shape.begin(), shape.end(), [](int64_t size) { return size < 0; })) {
        Refuse(kAclnnInvalid,
               "%s: the shape of output %s depends on values, it is inferred as %s; "
               "give the outputs' shapes too",
               Type(), output.c_str(), ShapeText(shape).c_str());
    }
}

std::vector<bool> TilingCall::FittingRows(bool withOutputs) const {
    if (op_->model == nullptr) {
        return {};
    }
    std::vector<bool> fitting(op_->model->rows);
    for (size_t row = 0; row < fitting.size(); ++row) {
        fitting[row] = op_->model->HasRow(row, *soc_);
    }
    const auto check = [&fitting](const TensorForm& tensor, const ParamModel& param) {
        for (size_t row = 0; row < fitting.size(); ++row) {
            const ge::Format wanted = param.formats[row];
            const bool orders = OrdersMemory(wanted);
            const bool format = orders ? tensor.format == wanted : !OrdersMemory(tensor.format);
            fitting[row] = fitting[row] && format && tensor.dataType == param.dataTypes[row];
        }
    };
    const auto checkAll = [&check](const std::vector<PlannedParam>& given,
                                   const std::vector<ParamModel>& params) {
        for (size_t i = 0; i < given.size(); ++i) {
            for (const TensorForm& tensor : given[i].tensors) {
                check(tensor, params[i]);
            }
        }
    };
    checkAll(inputs_, op_->model->inputs);
    if (withOutputs) {
        checkAll(outputs_, op_->model->outputs);
    }
    return fitting;
}

void TilingCall::FindRow() {
    const std::vector<bool> fitting = FittingRows(true);
    const auto first = std::find(fitting.begin(), fitting.end(), true);
    if (op_->model != nullptr && first == fitting.end()) {
        Refuse(kAclnnInvalid, "%s: dtypes are %s; the definition has the rows %s", Type(),
               DescribeTensors().c_str(), op_->model->RowsText(*soc_).c_str());
    }
    row_ = static_cast<size_t>(first - fitting.begin());
}

std::string TilingCall::DescribeTensors() const {
    std::string text;
    const auto describe = [&text](const std::vector<PlannedParam>& given,
                                  const std::vector<ParamModel>& params) {
        for (size_t i = 0; i < given.size(); ++i) {
            for (const TensorForm& tensor : given[i].tensors) {
                text += (text.empty() ? "" : ", ") + params[i].name + " " +
                        DataTypeName(tensor.dataType);
                text += OrdersMemory(tensor.format)
                            ? " in format " + std::to_string(static_cast<int>(tensor.format))
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
    for (const PlannedParam& param : outputs_) {
        if (param.tensors.empty() && !param.list) {
            node.AddAbsentOutput();
        } else {
            node.AddOutputList(param.tensors);
        }
    }
    AddAttrs(&node);
    node.deterministic = deterministic_;
    const TilingNotes notes;
    RunTilingOfCall(op_->tiling, &node);
    result_ = "\"row\": " + std::to_string(row_) + ", " + ResultText(node, notes);
}

std::string TilingCall::Outputs() const {
    const auto text = [](const TensorForm& tensor) {
        return "[" + ShapeText(tensor.shape) + ", " + Quoted(DataTypeName(tensor.dataType)) + "]";
    };
    return ListOf(outputs_, [&text](const PlannedParam& param) {
        return param.list              ? "{\"list\": " + ListOf(param.tensors, text) + "}"
               : param.tensors.empty() ? std::string("null")
                                       : text(param.tensors[0]);
    });
}

}  // namespace twin::host
