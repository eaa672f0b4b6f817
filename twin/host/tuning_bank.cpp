// SPDX-License-Identifier: Apache-2.0
// Registration of functions for the toolkit's tuning bank, which keeps the results of tuning runs.
// The twin has no bank, so the functions are never called. Operators bring the headers, because
// these include a library for JSON that the twin does not need.
#include <functional>
#include <memory>

#include "exe_graph/runtime/tiling_context.h"
#include "graph/ascend_string.h"

namespace tuningtiling {

using ConvertFunction =
    std::function<bool(const gert::TilingContext*, std::shared_ptr<void>&, size_t&)>;
using ParseFunction = std::function<bool(const std::shared_ptr<void>&, size_t, ge::AscendString&)>;
using LoadFunction = std::function<bool(std::shared_ptr<void>&, size_t&, const ge::AscendString&)>;

#define TWIN_BANK_REGISTRY(NAME)                                               \
    class NAME {                                                               \
    public:                                                                    \
        NAME(const ge::AscendString& optype, const ConvertFunction& function); \
        NAME(const ge::AscendString& optype, const ParseFunction& parse,       \
             const LoadFunction& load);                                        \
    };                                                                         \
    NAME::NAME(const ge::AscendString&, const ConvertFunction&) {}             \
    NAME::NAME(const ge::AscendString&, const ParseFunction&, const LoadFunction&) {}
TWIN_BANK_REGISTRY(OpBankKeyFuncRegistry)
TWIN_BANK_REGISTRY(OpBankKeyFuncRegistryV2)
#undef TWIN_BANK_REGISTRY

class TuningTilingDef;
class TuningTilingClassFactory {
public:
    using Constructor = std::shared_ptr<TuningTilingDef> (*)();
    static void RegisterTilingData(const ge::AscendString& optype, Constructor constructor);
};
void TuningTilingClassFactory::RegisterTilingData(const ge::AscendString&, Constructor) {}

}  // namespace tuningtiling
