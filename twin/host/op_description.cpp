// SPDX-License-Identifier: Apache-2.0
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
            return "NCHW";
        case ge::FORMAT_NHWC:
            return "NHWC";
        case ge::FORMAT_ND:
            return "ND";
        case ge::FORMAT_HWCN:
            return "HWCN";
        case ge::FORMAT_NDHWC:
            return "NDHWC";
        case ge::FORMAT_FRACTAL_NZ:
            return "FRACTAL_NZ";
        case ge::FORMAT_NCDHW:
            return "NCDHW";
        case ge::FORMAT_NC:
            return "NC";
        case ge::FORMAT_NCL:
            return "NCL";
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

/// The kernel's file and function for one SoC, in the order of `socs`; empty if the definition does
/// not give them.
std::string KernelText(const std::map<std::string, std::string>& extended) {
    const auto value = [&extended](const char* key) {
        const auto found = extended.find(key);
        return Quoted(found == extended.end() ? "" : found->second);
    };
    return "[" + value("opFile.value") + ", " + value("opInterface.value") + "]";
}

}  // namespace

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

namespace {

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
}  // namespace twin::host

const char* twinDescribeOperators(const char* library) {
    static thread_local std::string text;
    const int status =
        twin::host::Guard("twinDescribeOperators", [&] { text = twin::host::Describe(library); });
    return status == 0 ? text.c_str() : nullptr;
}
