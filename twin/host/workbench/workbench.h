// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/types.h"
#include "graph/types.h"
#include "host/attr_values.h"
#include "host/op_model.h"
#include "host/op_node.h"
#include "host/op_registrations.h"
#include "soc/soc.h"

// Host tiling without a call, for cannery.tiling and related functions. Texts are JSON; a returned
// text exists until the thread calls again; null means a failure, whose sentence is in
// aclGetRecentErrMsg. Only the twin has these functions; no toolkit does.
extern "C" {

/// What a library of op_host registers (op null), or one operator of a library or a package folder:
/// see host/workbench/request.h.
TWIN_API const char* twinDescribeHost(const char* place, const char* op);

/// The tiling of an operator. Request: {"place", "op", "soc", "inputs" and "outputs": [{"shape",
/// "dtype", "format", "values": address or 0} or null], "attrs": [[type, value] or null],
/// "deterministic"}; outputs null: inferred. Answer: {"status", "message", "outputs": [[shape,
/// dtype] or null]} and after success {"row", "key", "block_dim", "schedule_mode", "workspaces",
/// "forms": [[offset, bytes, number of a class or signature with a struct]], "data": hexadecimal}.
TWIN_API const char* twinTiling(const char* request);

/// The fields of a tiling class by its number in an answer (host/workbench/library_tiling.h).
TWIN_API const char* twinTilingForm(int form);

/// A tiling of Matmul, and of the advanced API (host/workbench/library_tiling.h has request and
/// answer).
TWIN_API const char* twinMatmulTiling(const char* request);
TWIN_API const char* twinLibraryTiling(const char* request);

/// A chip: {"name", "vector_cores", "cube_cores", "ub_bytes", ...}, with the sizes that tiling
/// sees.
TWIN_API const char* twinChip(const char* soc);
}

namespace twin::host {

// Reads the requests of the Python package. If something is missing or has another type, that is a
// fault of the package: std::invalid_argument.

const Json& Member(const Json& object, const char* name);
std::string TextOf(const Json& value);
int64_t IntegerOf(const Json& value);
bool TruthOf(const Json& value);
std::vector<int64_t> IntegersOf(const Json& value);
/// Returns the type with this name: DT_FLOAT16 for "float16".
ge::DataType DataTypeOf(const Json& value);
const SocInfo& SocOf(const Json& value);
/// Returns the attribute of null or [AttrTypeName, value]. Floats are strings, because JSON cannot
/// express NaN.
AttrValue AttrOf(const Json& value);

/// The host side of one operator, from a package or a library.
struct HostOperator {
    std::shared_ptr<const OpModel> model;  ///< model of the operator; nullptr without a definition
    OpFunctions tiling;
    OpFunctions inference;
};

/// Finds an operator, once per process. `place` is the folder of an operator package, or a library
/// of op_host (a name that ends in .so). Refuses what it does not find. Thread safe.
std::shared_ptr<const HostOperator> FindHostOperator(const std::string& place,
                                                     const std::string& opType);

/// Everything that a library registers, as JSON: a list of {"type", "repeated": "OP_ADD" or
/// "Tiling" if the last of several counts, "tiling": whether there is one, "definition"}. The
/// definition has the form of twinDescribeOperators, or is null.
std::string DescribeHostLibrary(const std::string& library);

/// Describes one operator, from a package or a library, in the same form.
std::string DescribeHostOperator(const std::string& place, const std::string& opType);

/// A tensor of a call without memory: the part that tiling sees.
struct PlannedTensor {
    bool present = false;
    std::vector<int64_t> shape;
    ge::DataType dataType = ge::DT_UNDEFINED;
    ge::Format format = ge::FORMAT_ND;
    void* values = nullptr;  ///< host memory of a value-depend input
};

/// Computes the tiling of a call without making the call: the first phase of aclnn, as far as it
/// needs only shapes and attributes. A step refuses a call that it cannot accept, with the codes of
/// that phase.
class TilingCall {
public:
    /// Throws std::invalid_argument if it is no request (workbench.h describes the contents).
    explicit TilingCall(const Json& request);

    void Plan();
    /// Returns key, blocks, workspaces and data as JSON members; empty before a successful Plan.
    std::string Result() const { return result_; }
    /// Returns the outputs as JSON: a list of [shape, dtype], with null for absent outputs.
    std::string Outputs() const;

private:
    void CheckTensors();
    void InferOutputs();
    void TakeInferred(OpNode* node);
    void FindRow();
    void RunTilingFunction();
    void AddAttrs(OpNode* node) const;
    void AddInputs(OpNode* node) const;
    std::vector<bool> FittingRows(bool withOutputs) const;
    std::string DescribeTensors() const;
    const char* Type() const { return opType_.c_str(); }

    std::string place_;
    std::string opType_;
    const SocInfo* soc_ = nullptr;
    std::shared_ptr<const HostOperator> op_;
    std::vector<PlannedTensor> inputs_;
    std::vector<PlannedTensor> outputs_;
    std::vector<AttrValue> attrs_;
    bool outputsGiven_ = false;
    int32_t deterministic_ = 0;
    size_t row_ = 0;  ///< number of the definition's row that fits the dtypes
    std::string result_;
};

}  // namespace twin::host
