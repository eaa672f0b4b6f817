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

int NotFound(const std::string& opType, const std::vector<PackagePlace>& places) {
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
    return Fail(any ? kAclnnNoKernel : kAclnnNoPackage,
                "%s: no operator package has this operator; install one that does, or name its "
                "folder vendors/<vendor> in ASCEND_CUSTOM_OPP_PATH. Looked at:%s",
                opType.c_str(), looked.empty() ? " nothing" : looked.c_str());
}

/// The first package of the search that has the operator; a status if there is none.
int FindPackage(const std::string& opType, OpPackage** package) {
    std::vector<PackagePlace> places;
    TWIN_RETURN_IF_ERROR(FindPackagePlaces(&places));
    for (const PackagePlace& place : places) {
        bool defines = false;
        OpPackage& candidate = OpPackage::At(place.path);
        // A damaged package may be the intended one, so no later package replaces it.
        TWIN_RETURN_IF_ERROR(candidate.Defines(opType, &defines));
        if (defines) {
            *package = &candidate;
            return 0;
        }
    }
    return NotFound(opType, places);
}

/// Makes the sentence for callers that ask for functions from the result of a search.
bool Sentence(int status, std::string* error) {
    if (status != 0) {
        const char* const sentence = TakeRecentError();
        *error = sentence == nullptr ? "" : sentence;
    }
    return status == 0;
}

}  // namespace

int FindOperator(const std::string& opType, std::shared_ptr<const Operator>* found) {
    // One search runs at a time, so that the libraries of a package are loaded once.
    std::lock_guard<std::mutex> lock(Found().mutex);
    std::shared_ptr<const Operator>& known = Found().byType[opType];
    if (known == nullptr) {
        Operator op{{}, nullptr};
        const int problem = FindPackage(opType, &op.package);
        if (op.package == nullptr) {
            return problem;
        }
        TWIN_RETURN_IF_ERROR(op.package->FindTiling(opType, &op.registration));
        known = std::make_shared<const Operator>(op);
    }
    *found = known;
    return 0;
}

bool FindTiling(const std::string& opType, OpFunctions* functions, std::string* error) {
    OpRegistration registration;
    std::shared_ptr<const Operator> found;
    if (FindInProgram(opType, &registration)) {
        *functions = registration.functions;
    } else if (Sentence(FindOperator(opType, &found), error)) {
        *functions = found->registration.functions;
    } else {
        return false;
    }
    return true;
}

bool FindInference(const std::string& opType, OpFunctions* functions, std::string* error) {
    OpRegistration registration;
    std::shared_ptr<const Operator> found;
    const bool known = FindInProgram(opType, &registration) ||
                       (Sentence(FindOperator(opType, &found), error) &&
                        Sentence(found->package->FindInference(opType, &registration), error));
    *functions = registration.functions;
    return known;
}

}  // namespace twin::host
