// SPDX-License-Identifier: Apache-2.0
#ifndef CANNERY_OPERATOR_H
#define CANNERY_OPERATOR_H

#include <pybind11/pybind11.h>

#include <string>
#include <vector>

#include "op_run.h"
#include "operator_library.h"

namespace cannery {

/// The kind of a parameter of an operator's C function.
enum class ValueKind { kInput, kOutput, kIntArray, kInt, kBool, kDouble, kFloat, kString };

/// `kind` is a word of the prototypes: input, output, int_array, int, bool, double, float, string.
/// Throws std::invalid_argument for another word.
ValueKind ValueKindOf(const std::string& kind);

struct Parameter {
    std::string name;
    ValueKind kind;
};

/// One operator of a library, called with Python values. The function `<name>_call` of the calls
/// library knows its C signature; the generator writes it (call.cpp.jinja).
class Operator {
public:
    /// `api` is the name of its second phase. Throws BackendFailure if the library lacks a
    /// function.
    Operator(const OperatorLibrary& library, const std::string& name, const std::string& api,
             std::vector<Parameter> parameters);

    /// Takes one value per parameter: an array or None, a sequence of integers or None, a number, a
    /// bool, a string. Throws TypeError for other values, AclFailure if the operator refuses or
    /// fails.
    void Call(const pybind11::args& values) const;

private:
    /// Calls `phase1` with `values`: pointers are passed themselves, other values by their address.
    using CallPhase1 = int32_t (*)(void* phase1, const void* const* values, uint64_t* workspaceSize,
                                   aclOpExecutor** executor);

    std::string api_;
    std::vector<Parameter> parameters_;
    CallPhase1 call_;
    void* phase1_;
    Phase2 phase2_;
};

}  // namespace cannery

#endif  // CANNERY_OPERATOR_H
