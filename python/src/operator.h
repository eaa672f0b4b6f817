// SPDX-License-Identifier: Apache-2.0
#ifndef CANNERY_OPERATOR_H
#define CANNERY_OPERATOR_H

#include <pybind11/pybind11.h>

#include <string>
#include <vector>

#include "op_run.h"
#include "operator_library.h"
#include "scoped_variable.h"

namespace cannery {

/// The kind of a parameter of an operator's C function.
enum class ValueKind {
    kInput,
    kOutput,
    kInPlace,
    kInputList,
    kOutputList,
    kInPlaceList,
    kIntArray,
    kFloatArray,
    kBoolArray,
    kScalar,
    kScalarList,
    kInt,
    kBool,
    kDouble,
    kFloat,
    kString
};

/// Converts the name that a prototype has for a kind, such as "input_list". Throws
/// std::invalid_argument for another name.
ValueKind ValueKindOf(const std::string& kind);

struct Parameter {
    std::string name;
    ValueKind kind;
};

/// One operator of a library, called with Python values. The generator writes a function
/// `<name>_call`, which calls phase 1 with the right C signature (call.cpp.jinja).
class Operator {
public:
    /// `api` is the name of the operator's phase 2. Throws BackendFailure if the library lacks a
    /// function.
    Operator(const OperatorLibrary& library, const std::string& name, const std::string& api,
             std::vector<Parameter> parameters);

    /// Runs the operator with one value per parameter: an array or None, a list of arrays, a
    /// sequence of numbers or None, a number, a bool, a string. `settings` apply to this call only.
    /// Throws TypeError for other values, AclFailure if the operator refuses or fails.
    void Call(const pybind11::args& values, const LaunchSettings& settings) const;

private:
    /// Function that calls `phase1`. `values` has the pointer arguments themselves, and the
    /// addresses of all other arguments.
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
