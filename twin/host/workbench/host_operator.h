// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_HOST_WORKBENCH_HOST_OPERATOR_H
#define TWIN_HOST_WORKBENCH_HOST_OPERATOR_H

#include <memory>
#include <string>

#include "host/op_registrations.h"

namespace twin::host {

/// The host side of one operator, from a package or a library.
struct HostOperator {
    std::shared_ptr<const OpModel> model;  ///< nullptr without a definition
    OpFunctions tiling;
    OpFunctions inference;
};

/// Finds an operator, once per process. `place` is the folder of an operator package, or a library
/// of op_host (a name that ends in .so). Returns a status and a sentence. Thread safe.
int FindHostOperator(const std::string& place, const std::string& opType,
                     std::shared_ptr<const HostOperator>* found);

/// Everything that a library registers, as JSON: a list of {"type", "repeated": "OP_ADD" or
/// "Tiling" if the last of several counts, "tiling": whether there is one, "definition"}. The
/// definition has the form of twinDescribeOperators, or is null.
int DescribeHostLibrary(const std::string& library, std::string* text);

/// The same for one operator, from a package or a library.
int DescribeHostOperator(const std::string& place, const std::string& opType, std::string* text);

}  // namespace twin::host

#endif  // TWIN_HOST_WORKBENCH_HOST_OPERATOR_H
