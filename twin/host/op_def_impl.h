// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_HOST_OP_DEF_IMPL_H
#define TWIN_HOST_OP_DEF_IMPL_H

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "host/attr_values.h"
#include "register/op_def.h"

/// The data that the OpDef classes collect.
namespace ops {

struct OpParamDefImpl {
    std::string name;
    Option type = REQUIRED;
    std::vector<ge::DataType> dataTypes;
    std::vector<ge::Format> formats;
    std::string follows;
    bool valueDepend = false;
    bool autoContiguous = false;
    bool ignoreContiguous = false;
    std::string
        unmodelled;  ///< the first call that the twin does not support, for example "DataTypeList"
};

struct OpAttrDefImpl {
    std::string name;
    bool required = true;
    twin::host::AttrValue
        value;  ///< the default; for a required attribute an empty value of its type
};

struct OpAICoreConfigImpl {
    std::deque<OpParamDef> inputs;
    std::deque<OpParamDef> outputs;
    std::map<std::string, std::string> extended;
};

struct OpAICoreDefImpl {
    gert::OpImplRegisterV2::TilingKernelFunc tiling = nullptr;
    std::map<std::string, OpAICoreConfig> configs;
};

struct OpDefImpl {
    std::string type;
    std::deque<OpParamDef> inputs;  ///< deques, because callers hold references to elements while
                                    ///< they add other elements
    std::deque<OpParamDef> outputs;
    std::deque<OpAttrDef> attrs;
    gert::OpImplRegisterV2::InferShapeKernelFunc inferShape = nullptr;
    gert::OpImplRegisterV2::InferDataTypeKernelFunc inferDataType = nullptr;
    OpAICoreDef aiCore;
};

}  // namespace ops

#endif  // TWIN_HOST_OP_DEF_IMPL_H
