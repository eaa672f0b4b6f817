// SPDX-License-Identifier: Apache-2.0
#include "register/op_def.h"

#include <string>
#include <utility>

#include "host/op_def_impl.h"

// clang-format off
#define TWIN_COPYABLE(Class)                                                   \
    Class::Class(const Class& other) : impl_(new Class##Impl(*other.impl_)) {} \
    Class& Class::operator=(const Class& other) {                              \
        if (this != &other) {                                                  \
            *impl_ = *other.impl_;                                             \
        }                                                                      \
        return *this;                                                          \
    }                                                                          \
    Class::~Class() = default;
// clang-format on

namespace ops {
namespace {

std::string Text(const char* text) { return text == nullptr ? std::string() : std::string(text); }

/// Stores the first setting that the twin does not support; the operator is then refused with its
/// name.
void Refuse(OpParamDefImpl* param, const char* call) {
    if (param->unmodelled.empty()) {
        param->unmodelled = call;
    }
}

}  // namespace

TWIN_COPYABLE(OpParamDef)
TWIN_COPYABLE(OpAttrDef)
TWIN_COPYABLE(OpAICoreConfig)
TWIN_COPYABLE(OpAICoreDef)
TWIN_COPYABLE(OpDef)

OpParamDef::OpParamDef(const char* name) : impl_(new OpParamDefImpl) { impl_->name = Text(name); }

OpParamDef& OpParamDef::ParamType(Option type) {
    impl_->type = type;
    return *this;
}

// The toolkit takes its lists by value.
// NOLINTBEGIN(performance-unnecessary-value-param)
OpParamDef& OpParamDef::DataType(std::vector<ge::DataType> types) {
    impl_->dataTypes = std::move(types);
    return *this;
}

OpParamDef& OpParamDef::DataTypeList(std::vector<ge::DataType>) {
    Refuse(impl_.get(), "DataTypeList");
    return *this;
}

OpParamDef& OpParamDef::Format(std::vector<ge::Format> formats) {
    impl_->formats = std::move(formats);
    return *this;
}

OpParamDef& OpParamDef::FormatList(std::vector<ge::Format>) {
    Refuse(impl_.get(), "FormatList");
    return *this;
}

OpParamDef& OpParamDef::DataTypeForBinQuery(std::vector<ge::DataType>) {
    Refuse(impl_.get(), "DataTypeForBinQuery");
    return *this;
}

OpParamDef& OpParamDef::FormatForBinQuery(std::vector<ge::Format>) {
    Refuse(impl_.get(), "FormatForBinQuery");
    return *this;
}

// The graph engine's formats for tensors without a known shape; an aclnn call always knows its
// shapes.
OpParamDef& OpParamDef::UnknownShapeFormat(std::vector<ge::Format>) { return *this; }
// NOLINTEND(performance-unnecessary-value-param)

OpParamDef& OpParamDef::ValueDepend(Option) {
    impl_->valueDepend = true;
    return *this;
}

OpParamDef& OpParamDef::ValueDepend(Option valueDepend, DependScope) {
    ValueDepend(valueDepend);
    return *this;
}

OpParamDef& OpParamDef::IgnoreContiguous() {
    impl_->ignoreContiguous = true;
    return *this;
}

OpParamDef& OpParamDef::AutoContiguous() {
    impl_->autoContiguous = true;
    return *this;
}

OpParamDef& OpParamDef::Scalar() {
    Refuse(impl_.get(), "Scalar");
    return *this;
}

OpParamDef& OpParamDef::ScalarList() {
    Refuse(impl_.get(), "ScalarList");
    return *this;
}

OpParamDef& OpParamDef::To(const ge::DataType) {
    Refuse(impl_.get(), "To");
    return *this;
}

OpParamDef& OpParamDef::To(const char*) {
    Refuse(impl_.get(), "To");
    return *this;
}

OpParamDef& OpParamDef::Version(uint32_t) {
    Refuse(impl_.get(), "Version");
    return *this;
}

OpParamDef& OpParamDef::InitValue(uint64_t) {
    Refuse(impl_.get(), "InitValue");
    return *this;
}

OpParamDef& OpParamDef::OutputShapeDependOnCompute() {
    Refuse(impl_.get(), "OutputShapeDependOnCompute");
    return *this;
}

OpParamDef& OpParamDef::Follow(const char* paramName) {
    impl_->follows = Text(paramName);
    return *this;
}

OpParamDef& OpParamDef::Follow(const char* paramName, FollowType) {
    Follow(paramName);
    return *this;
}

OpParamDef& OpParamDef::Comment(const char*) { return *this; }

OpAttrDef::OpAttrDef(const char* name) : impl_(new OpAttrDefImpl) { impl_->name = Text(name); }

OpAttrDef& OpAttrDef::AttrType(Option type) {
    impl_->required = type == REQUIRED;
    return *this;
}

OpAttrDef& OpAttrDef::Bool() {
    impl_->value = false;
    return *this;
}

OpAttrDef& OpAttrDef::Bool(bool value) {
    impl_->value = value;
    return *this;
}

OpAttrDef& OpAttrDef::Float() {
    impl_->value = 0.0f;
    return *this;
}

OpAttrDef& OpAttrDef::Float(float value) {
    impl_->value = value;
    return *this;
}

OpAttrDef& OpAttrDef::Int() {
    impl_->value = int64_t{0};
    return *this;
}

OpAttrDef& OpAttrDef::Int(int64_t value) {
    impl_->value = value;
    return *this;
}

OpAttrDef& OpAttrDef::String() {
    impl_->value = std::string();
    return *this;
}

OpAttrDef& OpAttrDef::String(const char* value) {
    impl_->value = Text(value);
    return *this;
}

OpAttrDef& OpAttrDef::ListBool() {
    impl_->value = std::vector<uint8_t>();
    return *this;
}

OpAttrDef& OpAttrDef::ListBool(std::vector<bool> value) {
    impl_->value = std::vector<uint8_t>(value.begin(), value.end());
    return *this;
}

OpAttrDef& OpAttrDef::ListFloat() {
    impl_->value = std::vector<float>();
    return *this;
}

OpAttrDef& OpAttrDef::ListFloat(std::vector<float> value) {
    impl_->value = std::move(value);
    return *this;
}

OpAttrDef& OpAttrDef::ListInt() {
    impl_->value = std::vector<int64_t>();
    return *this;
}

OpAttrDef& OpAttrDef::ListInt(std::vector<int64_t> value) {
    impl_->value = std::move(value);
    return *this;
}

OpAttrDef& OpAttrDef::ListListInt() {
    impl_->value = std::vector<std::vector<int64_t>>();
    return *this;
}

OpAttrDef& OpAttrDef::ListListInt(std::vector<std::vector<int64_t>> value) {
    impl_->value = std::move(value);
    return *this;
}

OpAttrDef& OpAttrDef::Version(uint32_t) { return *this; }

OpAttrDef& OpAttrDef::Comment(const char*) { return *this; }

OpAICoreConfig::OpAICoreConfig() : impl_(new OpAICoreConfigImpl) {}

OpParamDef& OpAICoreConfig::Input(const char* name) {
    impl_->inputs.emplace_back(name);
    return impl_->inputs.back();
}

OpParamDef& OpAICoreConfig::Output(const char* name) {
    impl_->outputs.emplace_back(name);
    return impl_->outputs.back();
}

// Flags for the graph engine and the kernel compiler; they do not change an aclnn call.
OpAICoreConfig& OpAICoreConfig::DynamicCompileStaticFlag(bool) { return *this; }

OpAICoreConfig& OpAICoreConfig::DynamicFormatFlag(bool) { return *this; }

OpAICoreConfig& OpAICoreConfig::DynamicRankSupportFlag(bool) { return *this; }

OpAICoreConfig& OpAICoreConfig::DynamicShapeSupportFlag(bool) { return *this; }

OpAICoreConfig& OpAICoreConfig::NeedCheckSupportFlag(bool) { return *this; }

OpAICoreConfig& OpAICoreConfig::PrecisionReduceFlag(bool) { return *this; }

OpAICoreConfig& OpAICoreConfig::ExtendCfgInfo(const char* key, const char* value) {
    impl_->extended[Text(key)] = Text(value);
    return *this;
}

OpAICoreDef::OpAICoreDef() : impl_(new OpAICoreDefImpl) {}

OpAICoreDef& OpAICoreDef::SetTiling(gert::OpImplRegisterV2::TilingKernelFunc function) {
    impl_->tiling = function;
    return *this;
}

gert::OpImplRegisterV2::TilingKernelFunc& OpAICoreDef::GetTiling() { return impl_->tiling; }

OpAICoreDef& OpAICoreDef::AddConfig(const char* soc) {
    impl_->configs[Text(soc)] = OpAICoreConfig();
    return *this;
}

OpAICoreDef& OpAICoreDef::AddConfig(const char* soc, OpAICoreConfig& config) {
    impl_->configs[Text(soc)] = config;
    return *this;
}

OpDef::OpDef(const char* type) : impl_(new OpDefImpl) { impl_->type = Text(type); }

OpParamDef& OpDef::Input(const char* name) {
    impl_->inputs.emplace_back(name);
    return impl_->inputs.back();
}

OpParamDef& OpDef::Output(const char* name) {
    impl_->outputs.emplace_back(name);
    return impl_->outputs.back();
}

OpAttrDef& OpDef::Attr(const char* name) {
    impl_->attrs.emplace_back(name);
    return impl_->attrs.back();
}

OpDef& OpDef::Comment(CommentSection, const char*) { return *this; }

OpDef& OpDef::SetInferShape(gert::OpImplRegisterV2::InferShapeKernelFunc function) {
    impl_->inferShape = function;
    return *this;
}

OpDef& OpDef::SetInferDataType(gert::OpImplRegisterV2::InferDataTypeKernelFunc function) {
    impl_->inferDataType = function;
    return *this;
}

gert::OpImplRegisterV2::InferShapeKernelFunc& OpDef::GetInferShape() { return impl_->inferShape; }

gert::OpImplRegisterV2::InferDataTypeKernelFunc& OpDef::GetInferDataType() {
    return impl_->inferDataType;
}

OpAICoreDef& OpDef::AICore() { return impl_->aiCore; }

OpDef& OpDef::FormatMatchMode(FormatCheckOption) { return *this; }

OpDef& OpDef::EnableFallBack() { return *this; }

}  // namespace ops
