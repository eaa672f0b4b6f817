// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/executor.h"
#include "host/op_model.h"

namespace twin::host {

enum class ArgumentKind {
    kTensor,
    kTensorList,
    kIntArray,
    kFloatArray,
    kBoolArray,
    kScalar,
    kScalarList
};

/// The object that a call passes for one input or output; nullptr for an absent one.
struct CallArgument {
    ArgumentKind kind;
    const void* object;
};

/// Returns the tensors of one input or output. Absent: one tensor that is not present, or, for a
/// list, no tensor. Refuses a required argument that is null (161001), and an object that does not
/// exist (161002).
std::vector<ExecutorTensor> ResolveArgument(const std::string& opType, const ParamModel& param,
                                            const CallArgument& argument, bool output);

/// Returns the bytes of a number of InitValue.
std::vector<uint8_t> BytesOf(const ops::ScalarVar& number);

/// Converts the values of a scalar input (To) to `dataType`. Refuses types without numbers
/// (161002).
void ConvertValues(const std::string& opType, ge::DataType dataType, ExecutorTensor* tensor);

}  // namespace twin::host
