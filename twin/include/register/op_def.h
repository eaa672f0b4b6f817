// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "graph/operator.h"
#include "graph/types.h"
#include "register/op_impl_registry.h"

namespace twin {
namespace host {
class OpModel;
}
}  // namespace twin

namespace optiling {

using OP_CHECK_FUNC = ge::graphStatus (*)(const ge::Operator& op, ge::AscendString& result);
using PARAM_GENERALIZE_FUNC = ge::graphStatus (*)(const ge::Operator& op,
                                                  const ge::AscendString& config,
                                                  ge::AscendString& parameters);

#define FUNC_CHECK_SUPPORTED "check_supported"
#define FUNC_OP_SELECT_FORMAT "op_select_format"
#define FUNC_GET_OP_SUPPORT_INFO "get_op_support_info"
#define FUNC_GET_SPECIFIC_INFO "get_op_specific_info"
/// Registers a function for the graph engine; it has no effect on the twin.
class OpCheckFuncHelper {
public:
    OpCheckFuncHelper(const ge::AscendString&, const ge::AscendString&, OP_CHECK_FUNC) {}
    OpCheckFuncHelper(const ge::AscendString&, PARAM_GENERALIZE_FUNC) {}
};

}  // namespace optiling

namespace ops {

enum Option { IGNORE = 0, OPTIONAL = 1, REQUIRED = 2, DYNAMIC = 3, VIRTUAL = 4 };
enum class FormatCheckOption : uint32_t { DEFAULT = 0, STRICT = 1, MAX };
enum class DependScope : uint32_t { ALL = 0, TILING = 1, INVALID_SCOPE };
enum class FollowType : uint32_t { ALL = 0, DTYPE = 1, FORMAT = 2, SHAPE = 3, INVALID_TYPE };
enum class CommentSection : uint32_t {
    CATEGORY = 0,
    BRIEF = 1,
    CONSTRAINTS = 2,
    RESTRICTIONS = 3,
    SEE = 4,
    THIRDPARTYFWKCOMPAT = 5,
    SECTION_MAX
};

enum class InitValueType : uint32_t {
    INIT_VALUE_UINT64_T = 0,
    INIT_VALUE_DEFAULT = static_cast<uint32_t>(-1)
};
enum class ScalarType : uint32_t {
    UINT64 = 0,
    INT64 = 1,
    UINT32 = 2,
    INT32 = 3,
    UINT16 = 4,
    INT16 = 5,
    UINT8 = 6,
    INT8 = 7,
    FLOAT32 = 8,
    FLOAT16 = 9,
    INVALID_DTYPE = static_cast<uint32_t>(-1)
};

union ScalarNum {
    uint64_t value_u64;
    int64_t value_i64;
    float value_f32;
    ScalarNum() : value_u64(0) {}
    explicit ScalarNum(uint64_t value) : value_u64(value) {}
    explicit ScalarNum(int64_t value) : value_i64(value) {}
    explicit ScalarNum(float value) : value_u64(0) { value_f32 = value; }
};
using InitValueNum = ScalarNum;

/// A number of a type, for InitValue: a float for FLOAT32 and FLOAT16, otherwise a whole number.
struct ScalarVar {
    ScalarType scalar_type;
    ScalarNum scalar_num;
    ScalarVar() : scalar_type(ScalarType::INVALID_DTYPE) {}
    ScalarVar(ScalarType type, uint64_t num) : scalar_type(type), scalar_num(Number(type, num)) {}
    ScalarVar(ScalarType type, int64_t num) : scalar_type(type), scalar_num(Number(type, num)) {}
    ScalarVar(ScalarType type, int num) : scalar_type(type), scalar_num(Number(type, num)) {}
    ScalarVar(ScalarType type, unsigned int num)
        : scalar_type(type), scalar_num(Number(type, num)) {}
    ScalarVar(ScalarType type, float num) : scalar_type(type), scalar_num(Number(type, num)) {}
    ScalarVar(ScalarType type, double num) : scalar_type(type), scalar_num(Number(type, num)) {}
    bool operator==(const ScalarVar& other) const {
        return scalar_type == other.scalar_type &&
               scalar_num.value_u64 == other.scalar_num.value_u64;
    }

private:
    template <typename T>
    static ScalarNum Number(ScalarType type, T num) {
        return type == ScalarType::FLOAT32 || type == ScalarType::FLOAT16
                   ? ScalarNum(static_cast<float>(num))
               : type == ScalarType::UINT64 ? ScalarNum(static_cast<uint64_t>(num))
                                            : ScalarNum(static_cast<int64_t>(num));
    }
};

struct OpParamDefImpl;
/// One input or output. Entry i of all DataType and Format lists of the operator is one supported
/// combination ("row").
class OpParamDef {
public:
    explicit OpParamDef(const char* name);
    OpParamDef(const OpParamDef& other);
    OpParamDef& operator=(const OpParamDef& other);
    ~OpParamDef();

    OpParamDef& ParamType(Option type);
    OpParamDef& DataType(std::vector<ge::DataType> types);
    OpParamDef& DataTypeList(std::vector<ge::DataType> types);
    OpParamDef& Format(std::vector<ge::Format> formats);
    OpParamDef& FormatList(std::vector<ge::Format> formats);
    OpParamDef& DataTypeForBinQuery(std::vector<ge::DataType> types);
    OpParamDef& FormatForBinQuery(std::vector<ge::Format> formats);
    OpParamDef& UnknownShapeFormat(std::vector<ge::Format> formats);
    OpParamDef& ValueDepend(Option valueDepend);
    OpParamDef& ValueDepend(Option valueDepend, DependScope scope);
    /// Passes strided tensors to the kernel as they are.
    OpParamDef& IgnoreContiguous();
    /// Copies strided tensors to contiguous memory before the kernel runs.
    OpParamDef& AutoContiguous();
    OpParamDef& Scalar();
    OpParamDef& ScalarList();
    OpParamDef& To(const ge::DataType type);
    OpParamDef& To(const char* name);
    OpParamDef& Version(uint32_t version);
    /// Fills an output before the kernel runs, if tiling calls SetNeedAtomic(true).
    OpParamDef& InitValue(uint64_t value);
    OpParamDef& InitValue(const ScalarVar& value);
    OpParamDef& InitValue(const std::vector<ScalarVar>& value);
    OpParamDef& OutputShapeDependOnCompute();
    OpParamDef& Follow(const char* paramName);
    OpParamDef& Follow(const char* paramName, FollowType type);
    OpParamDef& Comment(const char* comment);

private:
    friend class twin::host::OpModel;
    std::unique_ptr<OpParamDefImpl> impl_;
};

struct OpAttrDefImpl;
/// One attribute. If it has a value, it is optional and the value is its default.
class OpAttrDef {
public:
    explicit OpAttrDef(const char* name);
    OpAttrDef(const OpAttrDef& other);
    OpAttrDef& operator=(const OpAttrDef& other);
    ~OpAttrDef();

    OpAttrDef& AttrType(Option type);
    OpAttrDef& Bool();
    OpAttrDef& Bool(bool value);
    OpAttrDef& Float();
    OpAttrDef& Float(float value);
    OpAttrDef& Int();
    OpAttrDef& Int(int64_t value);
    OpAttrDef& String();
    OpAttrDef& String(const char* value);
    OpAttrDef& ListBool();
    OpAttrDef& ListBool(std::vector<bool> value);
    OpAttrDef& ListFloat();
    OpAttrDef& ListFloat(std::vector<float> value);
    OpAttrDef& ListInt();
    OpAttrDef& ListInt(std::vector<int64_t> value);
    OpAttrDef& ListListInt();
    OpAttrDef& ListListInt(std::vector<std::vector<int64_t>> value);
    OpAttrDef& Version(uint32_t version);
    OpAttrDef& Comment(const char* comment);

private:
    friend class twin::host::OpModel;
    std::unique_ptr<OpAttrDefImpl> impl_;
};

struct OpAICoreConfigImpl;
/// Settings that differ for one SoC.
class OpAICoreConfig {
public:
    OpAICoreConfig();
    OpAICoreConfig(const OpAICoreConfig& other);
    OpAICoreConfig& operator=(const OpAICoreConfig& other);
    ~OpAICoreConfig();

    OpParamDef& Input(const char* name);
    OpParamDef& Output(const char* name);
    OpAICoreConfig& DynamicCompileStaticFlag(bool flag);
    OpAICoreConfig& DynamicFormatFlag(bool flag);
    OpAICoreConfig& DynamicRankSupportFlag(bool flag);
    OpAICoreConfig& DynamicShapeSupportFlag(bool flag);
    OpAICoreConfig& NeedCheckSupportFlag(bool flag);
    OpAICoreConfig& PrecisionReduceFlag(bool flag);
    OpAICoreConfig& ExtendCfgInfo(const char* key, const char* value);

private:
    friend class twin::host::OpModel;
    std::unique_ptr<OpAICoreConfigImpl> impl_;
};

struct OpAICoreDefImpl;
class OpAICoreDef {
public:
    OpAICoreDef();
    OpAICoreDef(const OpAICoreDef& other);
    OpAICoreDef& operator=(const OpAICoreDef& other);
    ~OpAICoreDef();

    OpAICoreDef& SetTiling(gert::OpImplRegisterV2::TilingKernelFunc function);
    gert::OpImplRegisterV2::TilingKernelFunc& GetTiling();
    // Only the graph engine calls these functions.
    OpAICoreDef& SetCheckSupport(optiling::OP_CHECK_FUNC function);
    OpAICoreDef& SetOpSelectFormat(optiling::OP_CHECK_FUNC function);
    OpAICoreDef& SetOpSupportInfo(optiling::OP_CHECK_FUNC function);
    OpAICoreDef& SetOpSpecInfo(optiling::OP_CHECK_FUNC function);
    OpAICoreDef& SetParamGeneralize(optiling::PARAM_GENERALIZE_FUNC function);
    /// Sets whether calls whose outputs are all empty still launch the kernel. Newer than CANN 8.1.
    OpAICoreDef& LaunchWithZeroEleOutputTensors(bool launchFlag);
    OpAICoreDef& AddConfig(const char* soc);
    OpAICoreDef& AddConfig(const char* soc, OpAICoreConfig& config);

private:
    friend class twin::host::OpModel;
    std::unique_ptr<OpAICoreDefImpl> impl_;
};

/// The groups of devices with which the operator communicates. The twin refuses such operators.
class OpMC2Def {
public:
    OpMC2Def& HcclGroup(const char* value);
    OpMC2Def& HcclGroup(std::vector<const char*> values);
};

struct OpDefImpl;
/// Definition of an operator: derive a class, describe the operator in the constructor, use OP_ADD.
class OpDef {
public:
    explicit OpDef(const char* type);
    OpDef(const OpDef& other);
    OpDef& operator=(const OpDef& other);
    ~OpDef();

    OpParamDef& Input(const char* name);
    OpParamDef& Output(const char* name);
    OpAttrDef& Attr(const char* name);
    OpDef& Comment(CommentSection section, const char* comment);
    OpDef& SetInferShape(gert::OpImplRegisterV2::InferShapeKernelFunc function);
    OpDef& SetInferDataType(gert::OpImplRegisterV2::InferDataTypeKernelFunc function);
    gert::OpImplRegisterV2::InferShapeKernelFunc& GetInferShape();
    gert::OpImplRegisterV2::InferDataTypeKernelFunc& GetInferDataType();
    OpAICoreDef& AICore();
    OpMC2Def& MC2();
    OpDef& FormatMatchMode(FormatCheckOption option);
    OpDef& EnableFallBack();

private:
    friend class twin::host::OpModel;
    std::unique_ptr<OpDefImpl> impl_;
};

/// Function that creates a definition. It is called when the definition is first needed, not when
/// its library is loaded.
using OpDefCreator = OpDef (*)(const char* name);

class OpDefFactory {
public:
    static int OpDefRegister(const char* name, OpDefCreator creator);
};

}  // namespace ops

// The toolkit compiles a definition three times: with OP_PROTO_LIB, with OP_TILING_LIB and for the
// tool that reads definitions. On the twin, OP_ADD does the same in all three.
#define OP_ADD(opType, ...)                                           \
    static int g_##opType##_added = ops::OpDefFactory::OpDefRegister( \
        #opType, [](const char* name) -> ops::OpDef { return opType(name); })
