// SPDX-License-Identifier: Apache-2.0
#include "register/op_def.h"

#include <string>
#include <utility>

#include "host/op_registrations.h"

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

/// Stores the name of the first unsupported setter. Calls of the operator are then refused.
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

// Defines the setter CALL of CLASS; the last argument is the statement that the setter runs.
#define TWIN_SETTER(CLASS, CALL, ARGUMENT, ...) \
    CLASS& CLASS::CALL(ARGUMENT) {              \
        __VA_ARGS__;                            \
        return *this;                           \
    }
#define TWIN_REFUSED(CALL, ARGUMENT) \
    TWIN_SETTER(OpParamDef, CALL, ARGUMENT, Refuse(impl_.get(), #CALL))

// The toolkit's functions receive lists by value.
// NOLINTBEGIN(performance-unnecessary-value-param)
TWIN_SETTER(OpParamDef, ParamType, Option type, impl_->type = type)
TWIN_SETTER(OpParamDef, DataType, std::vector<ge::DataType> types,
            impl_->dataTypes = std::move(types), impl_->everyDataType = false)
TWIN_SETTER(OpParamDef, Format, std::vector<ge::Format> formats,
            impl_->formats = std::move(formats), impl_->everyFormat = false)
TWIN_SETTER(OpParamDef, DataTypeList, std::vector<ge::DataType> types,
            impl_->dataTypes = std::move(types), impl_->everyDataType = true)
TWIN_SETTER(OpParamDef, FormatList, std::vector<ge::Format> formats,
            impl_->formats = std::move(formats), impl_->everyFormat = true)
TWIN_SETTER(OpParamDef, ValueDepend, Option, impl_->valueDepend = true)
TWIN_SETTER(OpParamDef, IgnoreContiguous, , impl_->ignoreContiguous = true)
TWIN_SETTER(OpParamDef, AutoContiguous, , impl_->autoContiguous = true)
TWIN_SETTER(OpParamDef, Follow, const char* paramName, impl_->follows = Text(paramName))
TWIN_SETTER(OpParamDef, Scalar, , impl_->scalar = ScalarForm::kScalar)
TWIN_SETTER(OpParamDef, ScalarList, , impl_->scalar = ScalarForm::kScalarList)
TWIN_SETTER(OpParamDef, To, const ge::DataType type, impl_->scalarType = type)
TWIN_SETTER(OpParamDef, To, const char* name, impl_->scalarLike = Text(name))
TWIN_SETTER(OpParamDef, Comment, const char*)
// Only the graph engine needs formats for tensors without a known shape.
TWIN_SETTER(OpParamDef, UnknownShapeFormat, std::vector<ge::Format>)
TWIN_REFUSED(DataTypeForBinQuery, std::vector<ge::DataType>)
TWIN_REFUSED(FormatForBinQuery, std::vector<ge::Format>)
TWIN_REFUSED(Version, uint32_t)
TWIN_REFUSED(OutputShapeDependOnCompute, )

OpParamDef& OpParamDef::InitValue(uint64_t value) {
    if (value != 0) {
        Refuse(impl_.get(), "InitValue with a number without a type that is not 0");
    }
    return InitValue(ScalarVar(ScalarType::UINT8, 0));
}

OpParamDef& OpParamDef::InitValue(const ScalarVar& value) {
    return InitValue(std::vector<ScalarVar>{value});
}

OpParamDef& OpParamDef::InitValue(const std::vector<ScalarVar>& value) {
    impl_->initValues = value;
    return *this;
}

OpParamDef& OpParamDef::ValueDepend(Option valueDepend, DependScope) {
    return ValueDepend(valueDepend);
}
OpParamDef& OpParamDef::Follow(const char* paramName, FollowType) { return Follow(paramName); }

OpAttrDef::OpAttrDef(const char* name) : impl_(new OpAttrDefImpl) { impl_->name = Text(name); }

TWIN_SETTER(OpAttrDef, AttrType, Option type, impl_->required = type == REQUIRED)
TWIN_SETTER(OpAttrDef, Bool, , impl_->value = false)
TWIN_SETTER(OpAttrDef, Bool, bool value, impl_->value = value)
TWIN_SETTER(OpAttrDef, Float, , impl_->value = 0.0f)
TWIN_SETTER(OpAttrDef, Float, float value, impl_->value = value)
TWIN_SETTER(OpAttrDef, Int, , impl_->value = int64_t{0})
TWIN_SETTER(OpAttrDef, Int, int64_t value, impl_->value = value)
TWIN_SETTER(OpAttrDef, String, , impl_->value = std::string())
TWIN_SETTER(OpAttrDef, String, const char* value, impl_->value = Text(value))
TWIN_SETTER(OpAttrDef, ListBool, , impl_->value = std::vector<uint8_t>())
TWIN_SETTER(OpAttrDef, ListBool, std::vector<bool> value,
            impl_->value = std::vector<uint8_t>(value.begin(), value.end()))
TWIN_SETTER(OpAttrDef, ListFloat, , impl_->value = std::vector<float>())
TWIN_SETTER(OpAttrDef, ListFloat, std::vector<float> value, impl_->value = std::move(value))
TWIN_SETTER(OpAttrDef, ListInt, , impl_->value = std::vector<int64_t>())
TWIN_SETTER(OpAttrDef, ListInt, std::vector<int64_t> value, impl_->value = std::move(value))
TWIN_SETTER(OpAttrDef, ListListInt, , impl_->value = std::vector<std::vector<int64_t>>())
TWIN_SETTER(OpAttrDef, ListListInt, std::vector<std::vector<int64_t>> value,
            impl_->value = std::move(value))
TWIN_SETTER(OpAttrDef, Version, uint32_t)
TWIN_SETTER(OpAttrDef, Comment, const char*)
// NOLINTEND(performance-unnecessary-value-param)

OpAICoreConfig::OpAICoreConfig() : impl_(new OpAICoreConfigImpl) {}

OpParamDef& OpAICoreConfig::Input(const char* name) { return impl_->inputs.emplace_back(name); }

OpParamDef& OpAICoreConfig::Output(const char* name) { return impl_->outputs.emplace_back(name); }

// These flags are for the graph engine and the kernel compiler; they do not change an aclnn call.
TWIN_SETTER(OpAICoreConfig, DynamicCompileStaticFlag, bool)
TWIN_SETTER(OpAICoreConfig, DynamicFormatFlag, bool)
TWIN_SETTER(OpAICoreConfig, DynamicRankSupportFlag, bool)
TWIN_SETTER(OpAICoreConfig, DynamicShapeSupportFlag, bool)
TWIN_SETTER(OpAICoreConfig, NeedCheckSupportFlag, bool)
TWIN_SETTER(OpAICoreConfig, PrecisionReduceFlag, bool)

OpAICoreConfig& OpAICoreConfig::ExtendCfgInfo(const char* key, const char* value) {
    impl_->extended[Text(key)] = Text(value);
    return *this;
}

OpAICoreDef::OpAICoreDef() : impl_(new OpAICoreDefImpl) {}

TWIN_SETTER(OpAICoreDef, SetTiling, gert::OpImplRegisterV2::TilingKernelFunc function,
            impl_->tiling = function)

TWIN_SETTER(OpAICoreDef, LaunchWithZeroEleOutputTensors, bool launchFlag,
            impl_->launchEmpty = launchFlag)

gert::OpImplRegisterV2::TilingKernelFunc& OpAICoreDef::GetTiling() { return impl_->tiling; }

TWIN_SETTER(OpAICoreDef, SetCheckSupport, optiling::OP_CHECK_FUNC)
TWIN_SETTER(OpAICoreDef, SetOpSelectFormat, optiling::OP_CHECK_FUNC)
TWIN_SETTER(OpAICoreDef, SetOpSupportInfo, optiling::OP_CHECK_FUNC)
TWIN_SETTER(OpAICoreDef, SetOpSpecInfo, optiling::OP_CHECK_FUNC)
TWIN_SETTER(OpAICoreDef, SetParamGeneralize, optiling::PARAM_GENERALIZE_FUNC)
TWIN_SETTER(OpAICoreDef, AddConfig, const char* soc, impl_->configs[Text(soc)] = OpAICoreConfig())

OpAICoreDef& OpAICoreDef::AddConfig(const char* soc, OpAICoreConfig& config) {
    impl_->configs[Text(soc)] = config;
    return *this;
}

OpDef::OpDef(const char* type) : impl_(new OpDefImpl) { impl_->type = Text(type); }

OpParamDef& OpDef::Input(const char* name) { return impl_->inputs.emplace_back(name); }

OpParamDef& OpDef::Output(const char* name) { return impl_->outputs.emplace_back(name); }

OpAttrDef& OpDef::Attr(const char* name) { return impl_->attrs.emplace_back(name); }

OpDef& OpDef::Comment(CommentSection, const char*) { return *this; }

TWIN_SETTER(OpDef, SetInferShape, gert::OpImplRegisterV2::InferShapeKernelFunc function,
            impl_->inferShape = function)
TWIN_SETTER(OpDef, SetInferDataType, gert::OpImplRegisterV2::InferDataTypeKernelFunc function,
            impl_->inferDataType = function)

gert::OpImplRegisterV2::InferShapeKernelFunc& OpDef::GetInferShape() { return impl_->inferShape; }

gert::OpImplRegisterV2::InferDataTypeKernelFunc& OpDef::GetInferDataType() {
    return impl_->inferDataType;
}

OpAICoreDef& OpDef::AICore() { return impl_->aiCore; }

OpMC2Def& OpMC2Def::HcclGroup(const char*) { return *this; }

// NOLINTNEXTLINE(performance-unnecessary-value-param)
OpMC2Def& OpMC2Def::HcclGroup(std::vector<const char*>) { return *this; }

OpMC2Def& OpDef::MC2() {
    impl_->communicates = true;
    return impl_->mc2;
}

TWIN_SETTER(OpDef, FormatMatchMode, FormatCheckOption)
TWIN_SETTER(OpDef, EnableFallBack, )

}  // namespace ops
