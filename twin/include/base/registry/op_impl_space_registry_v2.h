// SPDX-License-Identifier: Apache-2.0
#ifndef BASE_REGISTRY_OP_IMPL_SPACE_REGISTRY_V2_H
#define BASE_REGISTRY_OP_IMPL_SPACE_REGISTRY_V2_H

#include <memory>

#include "base/registry/opp_package_utils.h"
#include "graph/ge_error_codes.h"
#include "register/op_impl_kernel_registry.h"

namespace gert {

/// The operators that the program has registered, in its own code or in libraries that it loaded.
/// All registries of a process have the same contents.
class OpImplSpaceRegistryV2 {
public:
    /// Loads the libraries for the rest of the process. Returns GRAPH_FAILED with a sentence if one
    /// cannot be loaded.
    ge::graphStatus AddSoToRegistry(const OppSoDesc& libraries);
    /// Returns nullptr for an operator that nobody registered. The result exists as long as the
    /// process.
    const OpImplKernelRegistry::OpImplFunctionsV2* GetOpImpl(const char* opType) const;
};

class DefaultOpImplSpaceRegistryV2 {
public:
    DefaultOpImplSpaceRegistryV2(const DefaultOpImplSpaceRegistryV2&) = delete;
    DefaultOpImplSpaceRegistryV2& operator=(const DefaultOpImplSpaceRegistryV2&) = delete;
    static DefaultOpImplSpaceRegistryV2& GetInstance();

    /// Returns the registry that was set, or else the default one.
    std::shared_ptr<OpImplSpaceRegistryV2> GetSpaceRegistry(
        OppImplVersionTag version = OppImplVersionTag::kOpp) const;
    ge::graphStatus SetSpaceRegistry(const std::shared_ptr<OpImplSpaceRegistryV2>& registry,
                                     OppImplVersionTag version = OppImplVersionTag::kOpp);

private:
    DefaultOpImplSpaceRegistryV2() = default;

    std::shared_ptr<OpImplSpaceRegistryV2> registry_;
};

}  // namespace gert

#endif  // BASE_REGISTRY_OP_IMPL_SPACE_REGISTRY_V2_H
