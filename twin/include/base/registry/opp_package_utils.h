// SPDX-License-Identifier: Apache-2.0
#ifndef BASE_REGISTRY_OPP_PACKAGE_UTILS_H
#define BASE_REGISTRY_OPP_PACKAGE_UTILS_H

#include <utility>
#include <vector>

#include "graph/ascend_string.h"

namespace gert {

enum class OppImplVersionTag { kOpp, kOppKernel, kVersionEnd = 20 };

/// Libraries whose initialisers register operators.
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

}  // namespace gert

#endif  // BASE_REGISTRY_OPP_PACKAGE_UTILS_H
