// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_HOST_OP_MODEL_H
#define TWIN_HOST_OP_MODEL_H

#include <map>
#include <set>
#include <string>
#include <vector>

#include "graph/types.h"
#include "host/attr_values.h"
#include "host/op_functions.h"
#include "register/op_def.h"

namespace twin::host {

struct ParamModel {
    std::string name;
    ops::Option type = ops::REQUIRED;
    std::vector<ge::DataType> dataTypes;  ///< one per row
    std::vector<ge::Format> formats;      ///< one per row
    bool valueDepend = false;
    bool autoContiguous = false;
    bool ignoreContiguous = false;

    bool Optional() const { return type == ops::OPTIONAL; }
};

struct AttrModel {
    std::string name;
    bool required = false;
    AttrValue value;  ///< the default, or an empty value of the type
};

/// An operator's definition, in the form that is used to check calls.
class OpModel {
public:
    static OpModel FromDefinition(const ops::OpDef& definition);

    std::string type;
    std::vector<ParamModel> inputs;
    std::vector<ParamModel> outputs;
    std::vector<AttrModel> attrs;
    std::set<std::string> socs;  ///< short names, "ascend910b"
    /// For each SoC, the entries of ExtendCfgInfo: "opFile.value" is the kernel's file, and so on.
    std::map<std::string, std::map<std::string, std::string>> extended;
    size_t rows = 0;
    std::string defect;  ///< why the twin cannot use the definition; empty if it can
    OpFunctions functions;

private:
    static ParamModel FromParam(const ops::OpParamDef& param);
    void CollectParams(const ops::OpDef& definition);
    void CollectAttrs(const ops::OpDef& definition);
    void CheckParam(const ops::OpParamDef& param);
    void ResolveRows();
};

/// "float16" for DT_FLOAT16, "dtype 77" for unknown numbers.
std::string DataTypeName(ge::DataType type);

}  // namespace twin::host

#endif  // TWIN_HOST_OP_MODEL_H
