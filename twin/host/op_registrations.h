// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "host/op_model.h"
#include "register/op_def.h"

namespace twin::host {

/// The definition and the separate registrations of one operator.
struct OpRegistration {
    std::shared_ptr<const OpModel> model;  ///< model of the operator; nullptr without a definition
    OpFunctions functions;  ///< the definition's functions replace the separately registered ones
};

/// Operators that the initialisers of one library, or of the program, register. Not thread safe.
class OpRegistrations {
public:
    void AddDefinition(const std::string& opType, ops::OpDefCreator creator);
    void AddFunctions(const std::string& opType, const OpFunctions& functions);

    /// Returns the types of all registered operators in alphabetical order.
    std::vector<std::string> Types() const;
    /// If the operator has several OP_ADD or several Tiling registrations, returns "OP_ADD" or
    /// "Tiling"; the last registration is used. Otherwise returns "".
    std::string Repeated(const std::string& opType) const;
    bool Knows(const std::string& opType) const { return entries_.count(opType) != 0; }
    /// Returns the registration. This runs the operator's own definition code, which may throw.
    OpRegistration Get(const std::string& opType) const;

private:
    struct Entry {
        ops::OpDefCreator creator = nullptr;
        OpFunctions functions;
        std::string repeated;
    };
    std::map<std::string, Entry> entries_;
};

/// Directs this thread's registrations to `target`, not to the program, while the object exists.
class RegistrationScope {
public:
    explicit RegistrationScope(OpRegistrations* target);
    ~RegistrationScope();
    RegistrationScope(const RegistrationScope&) = delete;
    RegistrationScope& operator=(const RegistrationScope&) = delete;

private:
    OpRegistrations* const before_;
};

/// Finds an operator that was registered by the program or by a library that the program loaded (as
/// in unit tests of op_host). Returns false if there is no such operator. Thread safe.
bool FindInProgram(const std::string& opType, OpRegistration* found);

}  // namespace twin::host

/// The data that the OpDef classes collect.
namespace ops {

struct OpParamDefImpl {
    std::string name;
    Option type = REQUIRED;
    std::vector<ge::DataType> dataTypes;
    std::vector<ge::Format> formats;
    bool everyDataType = false;  ///< DataTypeList: each type goes with all others of the definition
    bool everyFormat = false;    ///< FormatList
    std::string follows;
    bool valueDepend = false;
    ScalarForm scalar = ScalarForm::kNone;
    ge::DataType scalarType = ge::DT_UNDEFINED;  ///< To: the type to which scalars are converted
    std::string scalarLike;                      ///< To: the input that has this type
    std::vector<ScalarVar> initValues;           ///< InitValue: one, or one for each of the dtypes
    bool autoContiguous = false;
    bool ignoreContiguous = false;
    std::string unmodelled;  ///< first call that the twin does not support: "Version"
};

struct OpAttrDefImpl {
    std::string name;
    bool required = true;
    twin::host::AttrValue value;  ///< default; for a required attribute, an empty value of the type
};

struct OpAICoreConfigImpl {
    std::deque<OpParamDef> inputs;
    std::deque<OpParamDef> outputs;
    std::map<std::string, std::string> extended;
};

struct OpAICoreDefImpl {
    gert::OpImplRegisterV2::TilingKernelFunc tiling = nullptr;
    std::map<std::string, OpAICoreConfig> configs;
    bool launchEmpty = false;
};

struct OpDefImpl {
    std::string type;
    std::deque<OpParamDef> inputs;  ///< deques, because callers keep references to elements
    std::deque<OpParamDef> outputs;
    std::deque<OpAttrDef> attrs;
    gert::OpImplRegisterV2::InferShapeKernelFunc inferShape = nullptr;
    gert::OpImplRegisterV2::InferDataTypeKernelFunc inferDataType = nullptr;
    OpAICoreDef aiCore;
    OpMC2Def mc2;
    bool communicates = false;  ///< true: MC2() was called
};

}  // namespace ops
