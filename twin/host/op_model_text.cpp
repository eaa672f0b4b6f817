// SPDX-License-Identifier: Apache-2.0
// Writes an operator's definition as text: as JSON, and as the rows that errors list.
#include <dlfcn.h>

#include <map>
#include <string>
#include <variant>

#include "host/error.h"
#include "host/op_model.h"
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
        case ge::FORMAT_NC1HWC0:
        case ge::FORMAT_FRACTAL_Z:
        case ge::FORMAT_NDC1HWC0:
        case ge::FORMAT_FRACTAL_Z_3D:
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

const char* TypeName(ops::Option type) {
    return type == ops::OPTIONAL ? "optional" : type == ops::DYNAMIC ? "dynamic" : "required";
}

const char* ScalarName(ops::ScalarForm form) {
    return form == ops::ScalarForm::kScalar       ? "scalar"
           : form == ops::ScalarForm::kScalarList ? "list"
                                                  : "";
}

std::string ParamText(const ParamModel& param) {
    return "{\"name\": " + Quoted(param.name) +
           ", \"param_type\": " + Quoted(TypeName(param.type)) +
           ", \"scalar\": " + Quoted(ScalarName(param.scalar)) + ", \"dtypes\": " +
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

std::string OpModel::RowsText(const SocInfo& soc) const {
    std::string text;
    for (size_t row = 0; row < rows; ++row) {
        std::string types;
        for (const auto* params : {&inputs, &outputs}) {
            for (const ParamModel& param : *params) {
                types += (types.empty() ? "" : ", ") + DataTypeName(param.dataTypes[row]);
            }
        }
        if (HasRow(row, soc)) {
            text += (text.empty() ? "(" : ", (") + types + ")";
        }
    }
    return text;
}

std::string OpModel::ParamsText() const {
    return "\"inputs\": " + ListOf(inputs, ParamText) +
           ", \"outputs\": " + ListOf(outputs, ParamText);
}

std::string OperatorText(const std::string& type, const OpModel* model) {
    if (model == nullptr) {
        return "";
    }
    return "{\"type\": " + Quoted(type) + ", \"defect\": " + Quoted(model->defect) +
           ", \"socs\": " + ListOf(model->socs, Quoted) + ", \"kernels\": " +
           ListOf(model->extended, [](const auto& config) { return KernelText(config.second); }) +
           ", \"row_socs\": " +
           ListOf(model->rowSocs, [](const auto& socs) { return ListOf(socs, Quoted); }) + ", " +
           model->ParamsText() + ", \"attrs\": " + ListOf(model->attrs, AttrText) + "}";
}

}  // namespace twin::host

const char* twinDescribeOperators(const char* library) {
    static thread_local std::string text;
    const int status =
        twin::host::Guard("twinDescribeOperators", [&] { text = twin::host::Describe(library); });
    return status == 0 ? text.c_str() : nullptr;
}
