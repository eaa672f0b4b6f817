// SPDX-License-Identifier: Apache-2.0
#ifndef BASE_CONTEXT_BUILDER_OP_TILING_CONTEXT_BUILDER_H
#define BASE_CONTEXT_BUILDER_OP_TILING_CONTEXT_BUILDER_H

#include <vector>

#include "base/context_builder/op_context_builder_base.h"
#include "exe_graph/runtime/tiling_context.h"

namespace gert {

class OpTilingContextBuilder : public OpContextBuilderBase<OpTilingContextBuilder> {
public:
    OpTilingContextBuilder& InputTensors(const std::vector<Tensor*>& tensors) {
        UseInputs(tensors);
        return *this;
    }
    OpTilingContextBuilder& OutputTensors(const std::vector<Tensor*>& tensors) {
        UseOutputs(tensors);
        return *this;
    }
    OpTilingContextBuilder& CompileInfo(const void* compileInfo);
    /// `platform` is a fe::PlatFormInfos; without one, the context has the chip of CANNERY_SOC.
    OpTilingContextBuilder& PlatformInfo(const void* platform);
    OpTilingContextBuilder& Deterministic(int32_t deterministic);
    OpTilingContextBuilder& DeterministicLevel(int32_t level);
    /// The memory that tiling writes; without it the builder allocates some.
    OpTilingContextBuilder& TilingData(const gert::TilingData* tilingData,
                                       Chain::Deleter = nullptr);
    OpTilingContextBuilder& TilingDataSize(size_t bytes);
    OpTilingContextBuilder& Workspace(const ContinuousVector* workspaces);
    ContextHolder<TilingContext> Build();
};

}  // namespace gert

#endif  // BASE_CONTEXT_BUILDER_OP_TILING_CONTEXT_BUILDER_H
