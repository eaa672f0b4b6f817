// SPDX-License-Identifier: Apache-2.0
#ifndef EXE_GRAPH_RUNTIME_TILING_PARSE_CONTEXT_H
#define EXE_GRAPH_RUNTIME_TILING_PARSE_CONTEXT_H

#include "exe_graph/runtime/extended_kernel_context.h"

namespace fe {
class PlatFormInfos;
}

namespace gert {

/// The argument of a TilingParse function, which fills the compile info once per operator and chip.
class TilingParseContext : public ExtendedKernelContext {
public:
    /// Returns nullptr if nobody set one: the twin's kernels have no json.
    const ge::char_t* GetCompiledJson() const;
    template <typename T>
    T* GetCompiledInfo() {
        return static_cast<T*>(CompiledInfo());
    }
    fe::PlatFormInfos* GetPlatformInfo() const;

private:
    void* CompiledInfo() const;
};

}  // namespace gert

#endif  // EXE_GRAPH_RUNTIME_TILING_PARSE_CONTEXT_H
