// SPDX-License-Identifier: Apache-2.0
#ifndef BASE_CONTEXT_BUILDER_OP_TILING_PARSE_CONTEXT_BUILDER_H
#define BASE_CONTEXT_BUILDER_OP_TILING_PARSE_CONTEXT_BUILDER_H

#include <vector>

#include "base/context_builder/op_context_builder_base.h"
#include "exe_graph/runtime/tiling_parse_context.h"

namespace gert {

class OpTilingParseContextBuilder : public OpContextBuilderBase<OpTilingParseContextBuilder> {
public:
    OpTilingParseContextBuilder& InputTensorDesc(size_t index, ge::DataType dataType,
                                                 ge::Format origin, ge::Format storage,
                                                 const ExpandDimsType& = ExpandDimsType()) {
        DescribeInput(index, dataType, origin, storage);
        return *this;
    }
    OpTilingParseContextBuilder& OutputTensorDesc(size_t index, ge::DataType dataType,
                                                  ge::Format origin, ge::Format storage,
                                                  const ExpandDimsType& = ExpandDimsType()) {
        DescribeOutput(index, dataType, origin, storage);
        return *this;
    }
    OpTilingParseContextBuilder& CompiledJson(const ge::char_t* json);
    OpTilingParseContextBuilder& CompiledInfo(const void* compileInfo);
    OpTilingParseContextBuilder& PlatformInfo(const void* platform);
    ContextHolder<TilingParseContext> Build();
};

}  // namespace gert

#endif  // BASE_CONTEXT_BUILDER_OP_TILING_PARSE_CONTEXT_BUILDER_H
