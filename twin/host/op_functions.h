// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_HOST_OP_FUNCTIONS_H
#define TWIN_HOST_OP_FUNCTIONS_H

#include <cstddef>
#include <cstdint>

#include "register/op_impl_registry.h"

namespace twin::host {

/// Largest number of bytes of tiling data if a registration gives none.
constexpr size_t kDefaultTilingBytes = 8192;

/// The functions of an operator, from OP_ADD and IMPL_OP_*; a missing function is null.
struct OpFunctions {
    gert::OpImplRegisterV2::InferShapeKernelFunc inferShape = nullptr;
    gert::OpImplRegisterV2::InferShapeRangeKernelFunc inferShapeRange = nullptr;
    gert::OpImplRegisterV2::InferDataTypeKernelFunc inferDataType = nullptr;
    gert::OpImplRegisterV2::TilingKernelFunc tiling = nullptr;
    gert::OpImplRegisterV2::TilingParseFunc tilingParse = nullptr;
    gert::OpImplRegisterV2::CompileInfoCreatorFunc createCompileInfo = nullptr;
    gert::OpImplRegisterV2::CompileInfoDeleterFunc deleteCompileInfo = nullptr;
    size_t maxTilingBytes = 0;  ///< 0: the default of the aclnn path
    bool outputTypesLikeFirstInput = false;
    uint64_t inputsRead = 0;  ///< inputs whose values shape inference reads: bit i for input i
    uint64_t tilingInputsRead = 0;  ///< inputs whose values tiling reads

    /// Copies the functions of `other`; its null functions change nothing.
    void Add(const OpFunctions& other);
};

}  // namespace twin::host

#endif  // TWIN_HOST_OP_FUNCTIONS_H
