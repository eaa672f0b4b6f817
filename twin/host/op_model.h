// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "core/types.h"
#include "exe_graph/runtime/runtime_attrs.h"
#include "graph/types.h"
#include "register/op_def.h"
#include "register/op_impl_registry.h"
#include "soc/soc.h"

namespace ops {

/// Whether the C function takes a tensor, an aclScalar or an aclScalarList for an input.
enum class ScalarForm { kNone, kScalar, kScalarList };

}  // namespace ops

namespace twin::host {

using ListListInt = std::vector<std::vector<int64_t>>;
/// Value of one attribute. A list of bools is stored as bytes, because tiling reads it as an array.
using AttrValue =
    std::variant<std::monostate, bool, int64_t, float, std::string, std::vector<uint8_t>,
                 std::vector<int64_t>, std::vector<float>, ListListInt>;

/// Returns the name of the type of the value, such as "Int" or "ListFloat".
const char* AttrTypeName(const AttrValue& value);

/// The attributes of one call, in the form that gert::RuntimeAttrs returns.
class TWIN_API AttrValues {
public:
    AttrValues();
    AttrValues(const AttrValues&) = delete;
    AttrValues& operator=(const AttrValues&) = delete;

    void Add(AttrValue value);
    size_t Count() const { return slots_.size(); }
    const void* Pointer(size_t index) const {
        return index < slots_.size() ? slots_[index].pointer : nullptr;
    }
    const gert::RuntimeAttrs* Runtime() const { return &runtime_; }

private:
    struct Slot {
        AttrValue value;
        gert::ContinuousVector list;                ///< items of `value`, if this is a list
        std::vector<gert::ContinuousVector> inner;  ///< items of each list in a list of lists
        gert::ContinuousVectorVector listOfLists;
        const void* pointer = nullptr;
    };

    static const void* Publish(Slot* slot);

    std::deque<Slot> slots_;  ///< a deque, because callers keep pointers to its elements
    gert::RuntimeAttrs runtime_;
};

/// A JSON value, for the files of operator packages.
struct Json {
    enum class Kind { kNull, kBool, kNumber, kString, kList, kObject };

    Kind kind = Kind::kNull;
    std::string text;                ///< content of a string; text of a bool or number in the file
    std::vector<std::string> names;  ///< names of an object's members, in the order of the file
    std::vector<Json> items;         ///< items of a list, or the members' values

    /// Returns the member, or nullptr if this is no object or has no member of that name.
    const Json* Find(const std::string& name) const;
};

/// Parses a JSON text. Returns false and a sentence, "line 3: expected ...", if it is no JSON.
bool ParseJson(const std::string& text, Json* value, std::string* error);

/// Returns `text` as a JSON string, with quotation marks and escapes.
std::string Quoted(const std::string& text);

/// Returns a JSON number, or null for infinity and NaN, which JSON cannot express.
std::string Number(float value);

/// Calls `text` for each item and returns the results, separated by commas.
template <typename List, typename Text>
std::string Joined(const List& list, const Text& text) {
    std::string result;
    for (const auto& item : list) {
        result += (result.empty() ? "" : ", ") + text(item);
    }
    return result;
}
template <typename List>
std::string Joined(const List& list) {
    return Joined(list, [](const std::string& item) { return item; });
}

/// Calls `text` for each item and returns the results as a JSON list.
template <typename List, typename Text>
std::string ListOf(const List& list, const Text& text) {
    return "[" + Joined(list, text) + "]";
}

/// Maximum size of tiling data if an operator's registration gives none.
constexpr size_t kDefaultTilingBytes = 8192;

/// The functions of an operator, from OP_ADD and IMPL_OP_*; a missing function is null.
struct OpFunctions {
    gert::OpImplRegisterV2::InferShapeKernelFunc inferShape = nullptr;
    gert::OpImplRegisterV2::InferShapeRangeKernelFunc inferShapeRange = nullptr;
    gert::OpImplRegisterV2::GenSimplifiedKeyKernelFunc genSimplifiedKey = nullptr;
    gert::OpImplRegisterV2::InferDataTypeKernelFunc inferDataType = nullptr;
    gert::OpImplRegisterV2::TilingKernelFunc tiling = nullptr;
    gert::OpImplRegisterV2::TilingParseFunc tilingParse = nullptr;
    gert::OpImplRegisterV2::CompileInfoCreatorFunc createCompileInfo = nullptr;
    gert::OpImplRegisterV2::CompileInfoDeleterFunc deleteCompileInfo = nullptr;
    size_t maxTilingBytes = 0;  ///< largest size of tiling data; 0: the default
    bool outputTypesLikeFirstInput = false;
    uint64_t inputsRead = 0;        ///< bit i: shape inference reads the values of input i
    uint64_t tilingInputsRead = 0;  ///< bit i: tiling reads the values of input i

    /// Copies the members of `other`, except those that are null or 0.
    void Add(const OpFunctions& other);
};

struct ParamModel {
    std::string name;
    ops::Option type = ops::REQUIRED;
    std::vector<ge::DataType> dataTypes;  ///< dtype in each row of the definition
    std::vector<ge::Format> formats;      ///< format in each row of the definition
    bool valueDepend = false;
    bool autoContiguous = false;
    bool ignoreContiguous = false;
    bool everyDataType = false;  ///< DataTypeList: each type goes with all rows of the others
    bool everyFormat = false;    ///< FormatList
    std::string follows;         ///< the input whose types and formats this parameter has
    ops::ScalarForm scalar = ops::ScalarForm::kNone;
    ge::DataType scalarType = ge::DT_UNDEFINED;  ///< To: the type to which scalars are converted
    std::string scalarLike;                      ///< To: the input that has this type
    /// InitValue: what an output contains before the kernel runs; one number, or one per dtype.
    std::vector<ops::ScalarVar> initValues;
    std::vector<ge::DataType> initTypes;

    bool Optional() const { return type == ops::OPTIONAL; }
    bool Dynamic() const { return type == ops::DYNAMIC; }
    /// Returns the number that fills an output of this dtype, or nullptr.
    const ops::ScalarVar* InitValue(ge::DataType dataType) const;
};

struct AttrModel {
    std::string name;
    bool required = false;
    AttrValue value;  ///< default value, or an empty value of the type
};

/// An operator's definition, in the form that is used to check calls.
class OpModel {
public:
    static OpModel FromDefinition(const ops::OpDef& definition);

    std::string type;
    std::vector<ParamModel> inputs;
    std::vector<ParamModel> outputs;
    std::vector<AttrModel> attrs;
    std::set<std::string> socs;  ///< short names, such as "ascend910b"
    /// For each SoC, the entries of ExtendCfgInfo: "opFile.value" is the kernel's file, and so on.
    std::map<std::string, std::map<std::string, std::string>> extended;
    size_t rows = 0;
    std::vector<std::set<std::string>> rowSocs;  ///< for each row, the SoCs that have it
    bool HasRow(size_t row, const SocInfo& soc) const;
    /// Returns the dtypes of the rows as text, like "(float16, float16), (float32, float32)".
    std::string RowsText(const SocInfo& soc) const;
    /// Refuses a call on a chip that the definition does not have.
    void RequireSoc(const SocInfo& soc) const;
    /// Returns inputs and outputs as members of a JSON object.
    std::string ParamsText() const;
    std::string defect;  ///< why the twin cannot use the definition; empty if it can
    OpFunctions functions;
    bool launchEmpty = false;  ///< calls whose outputs are all empty launch the kernel, too

private:
    static ParamModel FromParam(const ops::OpParamDef& param);
    static OpModel WithParams(const ops::OpDef& definition, const ops::OpAICoreConfig* special);
    void CollectParams(const ops::OpDef& definition, const ops::OpAICoreConfig* special);
    void CollectAttrs(const ops::OpDef& definition);
    void CheckParam(const ops::OpParamDef& param);
    void ExpandLists();
    void FollowInputs();
    void ResolveRows();
    bool SameRow(size_t row, const OpModel& other, size_t otherRow) const;
    void AddRowsOf(const OpModel& other, const std::string& soc);
};

/// Returns the name of a dtype: "float16" for DT_FLOAT16, "dtype 77" for an unknown number.
std::string DataTypeName(ge::DataType type);

/// Returns one item of twinDescribeOperators' list; returns "" for an operator without a
/// definition.
std::string OperatorText(const std::string& type, const OpModel* model);

}  // namespace twin::host

/// Returns the operators that an op_host library registers with OP_ADD, as a JSON list of objects.
/// OperatorText in op_model.cpp defines the members; "defect" says why a definition is refused.
/// Returns null, with a sentence in aclGetRecentErrMsg, if the library cannot be loaded. The text
/// is valid until the thread's next call. The toolkit does not have this function; builds of
/// projects without prototype files call it.
extern "C" TWIN_API const char* twinDescribeOperators(const char* library);
