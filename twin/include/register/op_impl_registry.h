// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>

#include "exe_graph/runtime/extended_kernel_context.h"
#include "exe_graph/runtime/tiling_context.h"
#include "graph/ascend_string.h"
#include "graph/types.h"
#include "securec.h"  // op_host sources expect securec.h here

#define IMPL_OP_COUNTER(op_type, name, counter) \
    static gert::OpImplRegisterV2 VAR_UNUSED name##counter = gert::OpImplRegisterV2(#op_type)
#define IMPL_OP_COUNTER_NUMBER(op_type, name, counter) IMPL_OP_COUNTER(op_type, name, counter)
#define IMPL_OP(op_type) IMPL_OP_COUNTER_NUMBER(op_type, op_impl_register_##op_type, __COUNTER__)
#define IMPL_OP_INFERSHAPE(op_type)                                           \
    gert::OpImplRegisterV2 VAR_UNUSED op_impl_register_infershape_##op_type = \
        gert::OpImplRegisterV2(#op_type)
#define IMPL_OP_OPTILING(op_type)                                           \
    gert::OpImplRegisterV2 VAR_UNUSED op_impl_register_optiling_##op_type = \
        gert::OpImplRegisterV2(#op_type)

namespace gert {

class OpImplRegisterV2Impl;

enum TilingPlacement { TILING_ON_HOST = 0, TILING_ON_AICPU = 1 };

/// Registers an operator's functions. Each call takes effect at once. The settings of several
/// objects for one operator are combined.
class OpImplRegisterV2 {
public:
    using InferShapeKernelFunc = uint32_t (*)(InferShapeContext*);
    using TilingKernelFunc = uint32_t (*)(TilingContext*);
    using InferShapeRangeKernelFunc = uint32_t (*)(InferShapeRangeContext*);
    using KernelFunc = uint32_t (*)(KernelContext*);
    using InferDataTypeKernelFunc = uint32_t (*)(InferDataTypeContext*);
    using GenSimplifiedKeyKernelFunc = uint32_t (*)(TilingContext*, ge::char_t*);
    using TilingParseFunc = uint32_t (*)(TilingParseContext*);
    using CompileInfoCreatorFunc = void* (*)();
    using CompileInfoDeleterFunc = void (*)(void*);

    explicit OpImplRegisterV2(const ge::char_t* opType);
    OpImplRegisterV2(const OpImplRegisterV2& other);
    OpImplRegisterV2(OpImplRegisterV2&& other) noexcept;
    OpImplRegisterV2& operator=(const OpImplRegisterV2&) = delete;
    OpImplRegisterV2& operator=(OpImplRegisterV2&&) = delete;
    ~OpImplRegisterV2();

    OpImplRegisterV2& InferShape(InferShapeKernelFunc function);
    OpImplRegisterV2& InferShapeRange(InferShapeRangeKernelFunc function);
    OpImplRegisterV2& InferDataType(InferDataTypeKernelFunc function);
    OpImplRegisterV2& InferOutDataTypeSameWithFirstInput();
    /// Registers the function that chooses a kernel binary. Only unit tests call it, because the
    /// twin chooses kernels by the operator's definition.
    OpImplRegisterV2& GenSimplifiedKey(GenSimplifiedKeyKernelFunc function);
    /// Does nothing: private attributes are for graphs. In aclnn calls, an operator has only the
    /// attributes of its definition.
    template <typename T>
    OpImplRegisterV2& PrivateAttr(const ge::char_t*, const T&) {
        return *this;
    }
    OpImplRegisterV2& PrivateAttr(const ge::char_t*) { return *this; }
    /// Registers a tiling function, whose GetTilingData may ask for up to `maxTilingBytes` bytes.
    OpImplRegisterV2& Tiling(TilingKernelFunc function, size_t maxTilingBytes = 2048);
    template <typename T>
    OpImplRegisterV2& TilingParse(TilingParseFunc function) {
        return TilingParse(function, Create<T>, Delete<T>);
    }
    template <typename T>
    OpImplRegisterV2& TilingParse(KernelFunc function) {
        // This cast works because every context begins with a KernelContext.
        return TilingParse(reinterpret_cast<TilingParseFunc>(function), Create<T>, Delete<T>);
    }
    /// Sets the inputs whose values the functions read. On the twin, only aclIntArray inputs have
    /// values in aclnn calls.
    OpImplRegisterV2& InputsDataDependency(std::initializer_list<int32_t> inputs);
    OpImplRegisterV2& TilingInputsDataDependency(std::initializer_list<int32_t> inputs);
    OpImplRegisterV2& TilingInputsDataDependency(std::initializer_list<int32_t> inputs,
                                                 std::initializer_list<TilingPlacement> places);

private:
    OpImplRegisterV2& TilingParse(TilingParseFunc function, CompileInfoCreatorFunc creator,
                                  CompileInfoDeleterFunc deleter);
    template <typename T>
    static void* Create() {
        return new T();
    }
    template <typename T>
    static void Delete(void* info) {
        delete static_cast<T*>(info);
    }

    std::unique_ptr<OpImplRegisterV2Impl> impl_;
};

struct OpImplKernelRegistry {
    /// Functions that an operator has registered; nullptr for each missing function.
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
        OpImplRegisterV2::GenSimplifiedKeyKernelFunc gen_simplifiedkey = nullptr;
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
