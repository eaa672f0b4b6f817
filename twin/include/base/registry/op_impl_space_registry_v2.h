// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "graph/ascend_string.h"
#include "graph/types.h"
#include "register/op_impl_registry.h"

namespace gert {

enum class OppImplVersionTag { kOpp, kOppKernel, kVersionEnd = 20 };

/// Paths of libraries whose initialisers register operators.
class OppSoDesc {
public:
    OppSoDesc(std::vector<ge::AscendString> paths, ge::AscendString package)
        : paths_(std::move(paths)), package_(std::move(package)) {}

    std::vector<ge::AscendString> GetSoPaths() const { return paths_; }
    ge::AscendString GetPackageName() const { return package_; }

private:
    std::vector<ge::AscendString> paths_;
    ge::AscendString package_;
};

/// Operators that the program has registered, in its own code or in libraries that it loaded. All
/// registries of a process have the same contents.
class OpImplSpaceRegistryV2 {
public:
    /// Loads libraries, which are never unloaded. If this fails, returns GRAPH_FAILED, and
    /// aclGetRecentErrMsg returns the reason.
    ge::graphStatus AddSoToRegistry(const OppSoDesc& libraries);
    /// Returns an operator's functions, valid until the process ends; nullptr if it is not
    /// registered.
    const OpImplKernelRegistry::OpImplFunctionsV2* GetOpImpl(const char* opType) const;
};

class DefaultOpImplSpaceRegistryV2 {
public:
    DefaultOpImplSpaceRegistryV2(const DefaultOpImplSpaceRegistryV2&) = delete;
    DefaultOpImplSpaceRegistryV2& operator=(const DefaultOpImplSpaceRegistryV2&) = delete;
    static DefaultOpImplSpaceRegistryV2& GetInstance();

    /// Returns the registry that was set, else the default registry.
    std::shared_ptr<OpImplSpaceRegistryV2> GetSpaceRegistry(
        OppImplVersionTag version = OppImplVersionTag::kOpp) const;
    ge::graphStatus SetSpaceRegistry(const std::shared_ptr<OpImplSpaceRegistryV2>& registry,
                                     OppImplVersionTag version = OppImplVersionTag::kOpp);

private:
    DefaultOpImplSpaceRegistryV2() = default;

    std::shared_ptr<OpImplSpaceRegistryV2> registry_;
};

}  // namespace gert
