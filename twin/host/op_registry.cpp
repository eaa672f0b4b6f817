// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <map>
#include <mutex>
#include <vector>

#include "host/error.h"
#include "host/op_package.h"

namespace twin::host {
namespace {

struct FoundOperators {
    std::mutex mutex;
    std::map<std::string, std::shared_ptr<const Operator>> byType;
};

FoundOperators& Found() {
    static FoundOperators* const found = new FoundOperators;
    return *found;
}

[[noreturn]] void NotFound(const std::string& opType, const std::vector<PackagePlace>& places) {
    std::string looked;
    bool any = false;
    for (const PackagePlace& place : places) {
        const bool there = access(place.path.c_str(), F_OK) == 0;
        const bool package = OpPackage::At(place.path).HasLists();
        any = any || package;
        looked += "\n  " + place.path + " (from " + place.origin + ")";
        looked += !there     ? ": is not there"
                  : !package ? ": is no package, it has no op_impl/ai_core/tbe/config/<soc>/"
                               "aic-<soc>-ops-info.json"
                             : "";
    }
    Refuse(any ? kAclnnNoKernel : kAclnnNoPackage,
           "%s: no operator package has this operator; install one that does, or name its "
           "folder vendors/<vendor> in ASCEND_CUSTOM_OPP_PATH. Looked at:%s",
           opType.c_str(), looked.empty() ? " nothing" : looked.c_str());
}

/// The first package of the search that has the operator.
OpPackage& FindPackage(const std::string& opType) {
    const std::vector<PackagePlace> places = FindPackagePlaces();
    for (const PackagePlace& place : places) {
        OpPackage& candidate = OpPackage::At(place.path);
        // A damaged package may be the intended one, so no later package replaces it.
        if (candidate.Defines(opType)) {
            return candidate;
        }
    }
    NotFound(opType, places);
}

/// Runs a search; returns false and its sentence, for callers that ask for functions, if it is
/// refused.
template <typename Search>
bool Finds(const Search& search, std::string* error) {
    try {
        search();
        return true;
    } catch (const Refused&) {
        *error = TakeSentence();
        return false;
    }
}

}  // namespace

std::shared_ptr<const Operator> FindOperator(const std::string& opType) {
    // One search runs at a time, so that the libraries of a package are loaded once.
    std::lock_guard<std::mutex> lock(Found().mutex);
    std::shared_ptr<const Operator>& known = Found().byType[opType];
    if (known == nullptr) {
        OpPackage& package = FindPackage(opType);
        known = std::make_shared<const Operator>(Operator{package.FindTiling(opType), &package});
    }
    return known;
}

bool FindTiling(const std::string& opType, OpFunctions* functions, std::string* error) {
    OpRegistration registration;
    const auto search = [&] { registration = FindOperator(opType)->registration; };
    const bool known = FindInProgram(opType, &registration) || Finds(search, error);
    *functions = registration.functions;
    return known;
}

bool FindInference(const std::string& opType, OpFunctions* functions, std::string* error) {
    OpRegistration registration;
    const auto search = [&] {
        registration = FindOperator(opType)->package->FindInference(opType);
    };
    const bool known = FindInProgram(opType, &registration) || Finds(search, error);
    *functions = registration.functions;
    return known;
}

}  // namespace twin::host
