// SPDX-License-Identifier: Apache-2.0
#include "host/op_model.h"

#include <dlfcn.h>

#include <map>
#include <string>
#include <variant>

#include "host/error.h"
#include "host/op_registrations.h"

namespace twin::host {
namespace {

struct ValueText {
    std::string operator()(std::monostate) const { return "null"; }
    std::string operator()(bool value) const { return value ? "true" : "false"; }
    std::string operator()(int64_t value) const { return std::to_string(value); }
    std::string operator()(float value) const { return Number(value); }
    std::string operator()(const std::string& value) const { return Quoted(value); }
    std::string operator()(const std::vector<uint8_t>& value) const {
        return ListOf(value, [](uint8_t item) { return ValueText{}(item != 0); });
    }
    std::string operator()(const std::vector<int64_t>& value) const {
        return ListOf(value, [](int64_t item) { return std::to_string(item); });
    }
    std::string operator()(const std::vector<float>& value) const { return ListOf(value, Number); }
    std::string operator()(const ListListInt& value) const {
        return ListOf(value, [](const std::vector<int64_t>& item) { return ValueText{}(item); });
    }
};

std::string FormatName(ge::Format format) {
    switch (format) {
        case ge::FORMAT_NCHW:
        case ge::FORMAT_NHWC:
        case ge::FORMAT_ND:
        case ge::FORMAT_HWCN:
        case ge::FORMAT_NDHWC:
        case ge::FORMAT_FRACTAL_NZ:
        case ge::FORMAT_NCDHW:
        case ge::FORMAT_NC:
        case ge::FORMAT_NCL:
            return ge::GetFormatName(format);
        default:
            return "format " + std::to_string(static_cast<int>(format));
    }
}

std::string Flag(const char* name, bool value) {
    return ", \"" + std::string(name) + "\": " + ValueText{}(value);
}

std::string ParamText(const ParamModel& param) {
    return "{\"name\": " + Quoted(param.name) + Flag("optional", param.Optional()) +
           ", \"dtypes\": " +
           ListOf(param.dataTypes, [](ge::DataType type) { return Quoted(DataTypeName(type)); }) +
           ", \"formats\": " +
           ListOf(param.formats, [](ge::Format format) { return Quoted(FormatName(format)); }) +
           Flag("value_depend", param.valueDepend) + Flag("auto_contiguous", param.autoContiguous) +
           Flag("ignore_contiguous", param.ignoreContiguous) + "}";
}

std::string AttrText(const AttrModel& attr) {
    return "{\"name\": " + Quoted(attr.name) + ", \"type\": " + Quoted(AttrTypeName(attr.value)) +
           Flag("required", attr.required) + ", \"value\": " + std::visit(ValueText{}, attr.value) +
           "}";
}

/// Returns the kernel's file and function for one SoC as JSON; each may be "".
std::string KernelText(const std::map<std::string, std::string>& extended) {
    const auto value = [&extended](const char* key) {
        const auto found = extended.find(key);
        return Quoted(found == extended.end() ? "" : found->second);
    };
    return "[" + value("opFile.value") + ", " + value("opInterface.value") + "]";
}

std::string Describe(const char* library) {
    TWIN_REFUSE_NULL(kAclnnNullptr, "twinDescribeOperators", library);
    OpRegistrations registrations;
    const RegistrationScope scope(&registrations);
    if (dlopen(library, RTLD_NOW | RTLD_LOCAL) == nullptr) {
        Refuse(kAclnnInvalid, "twinDescribeOperators: %s", dlerror());
    }
    std::string operators;
    for (const std::string& type : registrations.Types()) {
        const std::string one = OperatorText(type, registrations.Get(type).model.get());
        operators += (operators.empty() || one.empty() ? "" : ",\n") + one;
    }
    return "[" + operators + "]";
}

}  // namespace

std::string DataTypeName(ge::DataType type) {
    static const auto* const names =
        new std::map<ge::DataType, const char*>{{ge::DT_FLOAT, "float32"},
                                                {ge::DT_FLOAT16, "float16"},
                                                {ge::DT_BF16, "bfloat16"},
                                                {ge::DT_DOUBLE, "float64"},
                                                {ge::DT_INT4, "int4"},
                                                {ge::DT_INT8, "int8"},
                                                {ge::DT_INT16, "int16"},
                                                {ge::DT_INT32, "int32"},
                                                {ge::DT_INT64, "int64"},
                                                {ge::DT_UINT1, "uint1"},
                                                {ge::DT_UINT8, "uint8"},
                                                {ge::DT_UINT16, "uint16"},
                                                {ge::DT_UINT32, "uint32"},
                                                {ge::DT_UINT64, "uint64"},
                                                {ge::DT_BOOL, "bool"},
                                                {ge::DT_STRING, "string"},
                                                {ge::DT_COMPLEX32, "complex32"},
                                                {ge::DT_COMPLEX64, "complex64"},
                                                {ge::DT_COMPLEX128, "complex128"}};
    const auto found = names->find(type);
    return found != names->end() ? found->second
                                 : "dtype " + std::to_string(static_cast<int>(type));
}

std::string OpModel::RowsText() const {
    std::string text;
    for (size_t row = 0; row < rows; ++row) {
        std::string types;
        for (const auto* params : {&inputs, &outputs}) {
            for (const ParamModel& param : *params) {
                types += (types.empty() ? "" : ", ") + DataTypeName(param.dataTypes[row]);
            }
        }
        text += (row == 0 ? "(" : ", (") + types + ")";
    }
    return text;
}

void OpModel::RequireSoc(const SocInfo& soc) const {
    if (socs.count(soc.shortName) == 0) {
        const std::string known = Joined(socs);
        Refuse(kAclnnInvalid, "%s: the chip is %s (%s); the operator's definition has %s",
               type.c_str(), soc.name, soc.shortName,
               known.empty() ? "no AddConfig at all" : known.c_str());
    }
}

ParamModel OpModel::FromParam(const ops::OpParamDef& param) {
    const ops::OpParamDefImpl& from = *param.impl_;
    ParamModel model;
    model.name = from.name;
    model.type = from.type;
    model.dataTypes = from.dataTypes;
    model.formats = from.formats;
    model.valueDepend = from.valueDepend;
    model.autoContiguous = from.autoContiguous;
    model.ignoreContiguous = from.ignoreContiguous;
    return model;
}

void OpModel::CheckParam(const ops::OpParamDef& param) {
    const ops::OpParamDefImpl& from = *param.impl_;
    std::string call = from.unmodelled;
    if (call.empty() && (from.type == ops::DYNAMIC || from.type == ops::VIRTUAL)) {
        call = from.type == ops::DYNAMIC ? "ParamType(DYNAMIC)" : "ParamType(VIRTUAL)";
    }
    if (!call.empty() && defect.empty()) {
        defect = "parameter " + from.name + " of the definition uses " + call +
                 ", which the twin does not model";
    }
}

void OpModel::CollectParams(const ops::OpDef& definition) {
    for (const ops::OpParamDef& input : definition.impl_->inputs) {
        CheckParam(input);
        inputs.push_back(FromParam(input));
    }
    for (const ops::OpParamDef& output : definition.impl_->outputs) {
        CheckParam(output);
        outputs.push_back(FromParam(output));
    }
    const auto follow = [this](std::vector<ParamModel>* params,
                               const std::deque<ops::OpParamDef>& definitions) {
        for (size_t i = 0; i < params->size(); ++i) {
            for (const ParamModel& input : inputs) {
                if (input.name != definitions[i].impl_->follows) {
                    continue;
                }
                if ((*params)[i].dataTypes.empty()) {
                    (*params)[i].dataTypes = input.dataTypes;
                }
                if ((*params)[i].formats.empty()) {
                    (*params)[i].formats = input.formats;
                }
            }
        }
    };
    follow(&inputs, definition.impl_->inputs);
    follow(&outputs, definition.impl_->outputs);
}

void OpModel::CollectAttrs(const ops::OpDef& definition) {
    for (const ops::OpAttrDef& attr : definition.impl_->attrs) {
        attrs.push_back({attr.impl_->name, attr.impl_->required, attr.impl_->value});
    }
    for (const auto& config : definition.impl_->aiCore.impl_->configs) {
        socs.insert(config.first);
        extended[config.first] = config.second.impl_->extended;
        const ops::OpAICoreConfigImpl& special = *config.second.impl_;
        if ((!special.inputs.empty() || !special.outputs.empty()) && defect.empty()) {
            defect = "the definition has parameters for " + config.first +
                     " alone, which the twin does not model";
        }
    }
}

/// Sets `rows`, the length that all lists of dtypes and formats must have. Default format: ND.
void OpModel::ResolveRows() {
    for (std::vector<ParamModel>* params : {&inputs, &outputs}) {
        for (ParamModel& param : *params) {
            if (rows == 0) {
                rows = param.dataTypes.size();
            }
            if (param.formats.empty()) {
                param.formats.assign(param.dataTypes.size(), ge::FORMAT_ND);
            }
            const bool even = param.dataTypes.size() == rows && param.formats.size() == rows;
            if (even || !defect.empty()) {
                continue;
            }
            defect = "parameter " + param.name + " has " + std::to_string(param.dataTypes.size()) +
                     " dtypes and " + std::to_string(param.formats.size()) +
                     " formats, others have " + std::to_string(rows) +
                     "; give every list the same length";
        }
    }
}

OpModel OpModel::FromDefinition(const ops::OpDef& definition) {
    OpModel model;
    model.type = definition.impl_->type;
    model.functions.tiling = definition.impl_->aiCore.impl_->tiling;
    model.functions.inferShape = definition.impl_->inferShape;
    model.functions.inferDataType = definition.impl_->inferDataType;
    model.CollectParams(definition);
    model.CollectAttrs(definition);
    model.ResolveRows();
    return model;
}

std::string OperatorText(const std::string& type, const OpModel* model) {
    if (model == nullptr) {
        return "";
    }
    return "{\"type\": " + Quoted(type) + ", \"defect\": " + Quoted(model->defect) +
           ", \"socs\": " + ListOf(model->socs, Quoted) + ", \"kernels\": " +
           ListOf(model->extended, [](const auto& config) { return KernelText(config.second); }) +
           ", \"inputs\": " + ListOf(model->inputs, ParamText) +
           ", \"outputs\": " + ListOf(model->outputs, ParamText) +
           ", \"attrs\": " + ListOf(model->attrs, AttrText) + "}";
}

}  // namespace twin::host

const char* twinDescribeOperators(const char* library) {
    static thread_local std::string text;
    const int status =
        twin::host::Guard("twinDescribeOperators", [&] { text = twin::host::Describe(library); });
    return status == 0 ? text.c_str() : nullptr;
}
