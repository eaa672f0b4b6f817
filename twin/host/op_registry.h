// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_HOST_OP_REGISTRY_H
#define TWIN_HOST_OP_REGISTRY_H

#include <memory>
#include <string>

#include "host/op_package.h"
#include "host/op_registrations.h"

namespace twin::host {

/// An operator as the package that comes first in the search has it: definition, tiling and kernels
/// are all of that package, whatever later ones have.
struct Operator {
    OpRegistration registration;
    OpPackage* package;  ///< lives as long as the process
};

/// Searches the installed packages (host/package_places.h) when an operator is first needed; what
/// was found stays. A status and a sentence that names the places looked at. Thread safe.
int FindOperator(const std::string& opType, std::shared_ptr<const Operator>* found);

/// Tiling, and inference, of what the program itself registered (unit tests of op_host link it),
/// else of the package with the operator. A sentence in `error` when there is neither.
bool FindTiling(const std::string& opType, OpFunctions* functions, std::string* error);
bool FindInference(const std::string& opType, OpFunctions* functions, std::string* error);

}  // namespace twin::host

#endif  // TWIN_HOST_OP_REGISTRY_H
