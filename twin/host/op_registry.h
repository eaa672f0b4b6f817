// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_HOST_OP_REGISTRY_H
#define TWIN_HOST_OP_REGISTRY_H

#include <memory>
#include <string>

#include "host/op_package.h"
#include "host/op_registrations.h"

namespace twin::host {

/// An operator of the first package that has it: definition, tiling and kernels are all from that
/// package, whatever later packages have.
struct Operator {
    OpRegistration registration;
    OpPackage* package;  ///< lives as long as the process
};

/// Searches the installed packages (host/package_places.h) when an operator is first needed; the
/// result stays. Returns a status and a sentence that names the places. Thread safe.
int FindOperator(const std::string& opType, std::shared_ptr<const Operator>* found);

/// Tiling, and inference, of the program's own registrations (unit tests of op_host link them), or
/// else of the package with the operator. `error` has a sentence if there is neither.
bool FindTiling(const std::string& opType, OpFunctions* functions, std::string* error);
bool FindInference(const std::string& opType, OpFunctions* functions, std::string* error);

}  // namespace twin::host

#endif  // TWIN_HOST_OP_REGISTRY_H
