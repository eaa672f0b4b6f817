// SPDX-License-Identifier: Apache-2.0
#ifndef CANNERY_OPERATOR_H
#define CANNERY_OPERATOR_H

#include <pybind11/pybind11.h>

#include <string>
#include <vector>

#include "op_run.h"
#include "operator_library.h"

namespace cannery {

/// What a parameter of an operator's C function is.
enum class ValueKind { kInput, kOutput, kIntArray, kInt, kBool, kDouble, kFloat, kString };

/// `kind` as prototypes spell it: input, output, int_array, int, bool, double, float, string.
/// std::invalid_argument for another word.
ValueKind ValueKindOf(const std::string& kind);

struct Parameter {
    std::string name;
    ValueKind kind;
};

/// One operator of a library, called with Python values. Its C signature is known to the function
/// `<name>_call` of the calls library, which the generator writes (call.cpp.jinja).
class Operator {
public:
    /// `api`: name of its second phase. Throws BackendFailure when the library lacks a function.
    Operator(const OperatorLibrary& library, const std::string& name, const std::string& api,
             std::vector<Parameter> parameters);

    /// One value per parameter: an array or None, a sequence of integers or None, a number, a bool,
    /// a string. TypeError for other values, AclFailure when the operator refuses or fails.
    void Call(const pybind11::args& values) const;

private:
    /// Calls `phase1` with `values`: a pointer stands for itself, of anything else there is the
    /// address.
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
