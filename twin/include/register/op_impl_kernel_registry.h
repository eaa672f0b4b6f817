// SPDX-License-Identifier: Apache-2.0
#ifndef REGISTER_OP_IMPL_KERNEL_REGISTRY_H
#define REGISTER_OP_IMPL_KERNEL_REGISTRY_H

#include <cstddef>
#include <cstdint>

#include "register/op_impl_registry.h"

namespace gert {

struct OpImplKernelRegistry {
    /// The functions that an operator has registered; nullptr for those that it has not.
    struct OpImplFunctions {
        bool IsInputDataDependency(const size_t index) const {
            return index < 64 && (inputs_dependency >> index & 1) != 0;
        }
        bool IsTilingInputDataDependency(const size_t index) const {
            return index < 64 && (tiling_dependency >> index & 1) != 0;
        }
        bool HasDataDependency() const { return inputs_dependency != 0; }
        bool HasTilingInputDataDependency() const { return tiling_dependency != 0; }

        OpImplRegisterV2::InferShapeKernelFunc infer_shape = nullptr;
        OpImplRegisterV2::InferShapeRangeKernelFunc infer_shape_range = nullptr;
        OpImplRegisterV2::InferDataTypeKernelFunc infer_datatype = nullptr;
        OpImplRegisterV2::TilingKernelFunc tiling = nullptr;
        OpImplRegisterV2::KernelFunc tiling_parse = nullptr;
        OpImplRegisterV2::CompileInfoCreatorFunc compile_info_creator = nullptr;
        OpImplRegisterV2::CompileInfoDeleterFunc compile_info_deleter = nullptr;
        size_t max_tiling_data_size = 0;
        uint64_t inputs_dependency = 0;
        uint64_t tiling_dependency = 0;
    };
    struct OpImplFunctionsV2 : OpImplFunctions {};
};

}  // namespace gert

#endif  // REGISTER_OP_IMPL_KERNEL_REGISTRY_H
