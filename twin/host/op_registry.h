// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_HOST_OP_REGISTRY_H
#define TWIN_HOST_OP_REGISTRY_H

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "host/op_model.h"
#include "register/op_def_factory.h"
#include "register/op_impl_registry.h"

namespace twin::host {

/// The functions of an operator, from OP_ADD and IMPL_OP_*; a null one is not there.
struct OpFunctions {
    gert::OpImplRegisterV2::InferShapeKernelFunc inferShape = nullptr;
    gert::OpImplRegisterV2::InferDataTypeKernelFunc inferDataType = nullptr;
    gert::OpImplRegisterV2::TilingKernelFunc tiling = nullptr;
    gert::OpImplRegisterV2::TilingParseFunc tilingParse = nullptr;
    gert::OpImplRegisterV2::CompileInfoCreatorFunc createCompileInfo = nullptr;
    gert::OpImplRegisterV2::CompileInfoDeleterFunc deleteCompileInfo = nullptr;
    size_t maxTilingBytes = 0;  ///< 0: the default of the aclnn path
    bool outputTypesLikeFirstInput = false;
};

/// Operators of all loaded libraries, by type. Never destroyed; thread safe.
class OpRegistry {
public:
    static OpRegistry& Instance();

    void AddDefinition(const char* opType, ops::OpDefCreator creator);
    /// Merges into what is known: null functions change nothing.
    void AddFunctions(const std::string& opType, const OpFunctions& functions);

    /// nullptr, when no library defined the operator.
    std::shared_ptr<const OpModel> Model(const std::string& opType);
    /// The definition's functions where there are some, else the separately registered ones.
    OpFunctions Functions(const std::string& opType);

private:
    struct Entry {
        ops::OpDefCreator creator = nullptr;
        std::shared_ptr<const OpModel> model;
        OpFunctions functions;
    };

    std::mutex mutex_;
    std::map<std::string, Entry> entries_;
};

}  // namespace twin::host

#endif  // TWIN_HOST_OP_REGISTRY_H
