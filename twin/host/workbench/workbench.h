// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/types.h"
#include "graph/tensor.h"
#include "graph/types.h"
#include "host/op_model.h"
#include "host/op_node.h"
#include "host/op_registrations.h"
#include "soc/soc.h"

// Functions that compute host tiling without an operator call, for cannery.tiling and related
// modules. Results are JSON texts, valid until the thread's next call. nullptr means a failure,
// which aclGetRecentErrMsg describes. The toolkit does not have these functions.
extern "C" {

/// Describes the operators of an op_host library (`op` is null), or one operator of a library or a
/// package folder. The function `Text` in workbench.cpp defines the JSON members.
TWIN_API const char* twinDescribeHost(const char* place, const char* op);

/// Computes the tiling of an operator. Request: {"place", "op", "soc", "inputs" and "outputs":
/// [{"shape", "dtype", "format", "values": address or 0} or null], "attrs": [[type, value] or
/// null], "deterministic"}. If "outputs" is null, they are inferred. Answer: {"status", "message",
/// "outputs": [[shape, dtype] or null]} and after success {"row", "key", "block_dim",
/// "schedule_mode", "workspaces", "forms": [[offset, bytes, number of a class or signature of a
/// struct]], "data": hexadecimal}.
TWIN_API const char* twinTiling(const char* request);

/// Returns the fields of a tiling class; `form` is the number that an answer gave to the class.
TWIN_API const char* twinTilingForm(int form);

/// Call RunMatmulTiling and RunLibraryTiling, whose comments describe request and answer.
TWIN_API const char* twinMatmulTiling(const char* request);
TWIN_API const char* twinLibraryTiling(const char* request);

/// Describes a chip: {"name", "vector_cores", "cube_cores", "ub_bytes", ...}. The memory sizes are
/// those that tiling functions get.
TWIN_API const char* twinChip(const char* soc);
}

namespace optiling {
class TilingDef;
}

namespace twin::host {

// Functions that read requests of the Python package. They throw std::invalid_argument if a member
// is missing or has a wrong type.

const Json& Member(const Json& object, const char* name);
std::string TextOf(const Json& value);
int64_t IntegerOf(const Json& value);
bool TruthOf(const Json& value);
std::vector<int64_t> IntegersOf(const Json& value);
/// Returns the dtype with this name, for example DT_FLOAT16 for "float16".
ge::DataType DataTypeOf(const Json& value);
const SocInfo& SocOf(const Json& value);
/// Converts null or [AttrTypeName, value] to an attribute. Floats are strings, because JSON cannot
/// express NaN.
AttrValue AttrOf(const Json& value);

/// Definition and host functions of one operator of a package or a library.
struct HostOperator {
    std::shared_ptr<const OpModel> model;  ///< model of the operator; nullptr without a definition
    OpFunctions tiling;
    OpFunctions inference;
};

/// Finds an operator and keeps it until the process ends. `place` is a package folder or an op_host
/// library (a name that ends in .so). Refuses an unknown operator. Thread safe.
std::shared_ptr<const HostOperator> FindHostOperator(const std::string& place,
                                                     const std::string& opType);

/// Describes a library's operators as a JSON list of {"type", "repeated", "tiling": true or false,
/// "definition"}. "repeated" is OpRegistrations::Repeated. "definition" is an item of
/// twinDescribeOperators, or null.
std::string DescribeHostLibrary(const std::string& library);

/// Describes one operator of a package or a library, in the form of DescribeHostLibrary's items.
std::string DescribeHostOperator(const std::string& place, const std::string& opType);

/// Properties of a tensor that a tiling function reads; the tensor itself has no memory.
/// One input or output of a planned call: one tensor, none if it is absent, or a list of tensors.
struct PlannedParam {
    bool list = false;
    std::vector<TensorForm> tensors;
};

/// Computes the tiling of an operator call without making the call: runs those parts of aclnn's
/// first phase that need only shapes and attributes. Invalid calls get the same error codes.
class TilingCall {
public:
    /// Throws std::invalid_argument if a member is missing or wrong (twinTiling lists the members).
    explicit TilingCall(const Json& request);

    void Plan();
    /// Returns the tiling result as JSON members; the text is empty until `Plan` has succeeded.
    std::string Result() const { return result_; }
    /// Returns the outputs as JSON: a list of [shape, dtype], with null for absent outputs.
    std::string Outputs() const;

private:
    void CheckTensors();
    void InferOutputs();
    void TakeInferred(OpNode* node, std::vector<PlannedParam> outputs);
    void RefuseUnknown(const std::string& output, const std::vector<int64_t>& shape) const;
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
    std::vector<PlannedParam> inputs_;
    std::vector<PlannedParam> outputs_;
    std::vector<AttrValue> attrs_;
    bool outputsGiven_ = false;
    int32_t deterministic_ = 0;
    size_t row_ = 0;  ///< index of the definition's row that has the tensors' dtypes
    std::string result_;
};

/// Collects which classes and structs a tiling function writes to tiling data, and where. The
/// object belongs to the thread that runs the function. Without such an object, Add does nothing.
class TilingNotes {
public:
    struct Note {
        const uint8_t* begin;
        size_t bytes;
        std::string form;  ///< a class's TilingForm number, or text that names a struct
        bool isClass;
    };

    TilingNotes();
    ~TilingNotes();
    TilingNotes(const TilingNotes&) = delete;
    TilingNotes& operator=(const TilingNotes&) = delete;

    static void Add(const void* data, const optiling::TilingDef& definition);
    static void Add(const void* data, size_t bytes, const char* signature);

    /// Returns the notes about these bytes as a JSON list of [offset, bytes, `form`]. A newer note
    /// has replaced older notes that it overlaps.
    std::string Text(const void* data, size_t bytes) const;

private:
    void Add(const Note& note);

    TilingNotes* const before_;
    std::vector<Note> notes_;
};

/// Returns a number for a tiling class. Classes with the same name and fields get the same number.
int TilingForm(const optiling::TilingDef& definition);

/// Returns the fields of tiling class `form` as JSON, or nullptr: {"name", "bytes", "fields":
/// [[name, C type, offset, bytes of an element, elements or 0, nested fields or null]]}.
const char* TilingFormText(int form);

/// The named arguments of one host function of the advanced API.
class LibraryArguments {
public:
    explicit LibraryArguments(const Json& json) : json_(json) {}
    ge::Shape Shape(const char* name = "shape") const;
    uint32_t Number(const char* name) const;
    bool Truth(const char* name) const;
    uint32_t Size() const { return Number("size"); }  ///< Returns the bytes of an element.
    bool Reuse() const { return Truth("reuse"); }
    /// Returns the scratch bytes for a tiling: the request's "buffer"; `most` if "buffer" is null.
    uint32_t Buffer(uint32_t most) const;

private:
    const Json& json_;
};

/// Result of a host function of the advanced API: scratch sizes, and the tiling if there is one.
struct LibraryTiling {
    uint32_t most = 0;
    uint32_t least = 0;
    bool refused = false;
    int form = -1;  ///< number of the tiling class; -1: no tiling
    std::vector<uint8_t> data;

    template <typename Tiling>
    void Keep(Tiling& tiling) {
        form = TilingForm(tiling);
        data.assign(tiling.GetDataSize(), 0);
        tiling.SaveToBuffer(data.data(), data.size());
    }
};

using LibraryFunction = void (*)(const LibraryArguments& arguments, LibraryTiling* answer);
using LibraryFunctions = std::map<std::string, LibraryFunction>;

/// LibraryTilings returns the host functions that compute a tiling. LibraryScratch returns the host
/// functions that compute only scratch sizes. The keys are device function names in snake case.
const LibraryFunctions& LibraryTilings();
const LibraryFunctions& LibraryScratch();

/// Runs a host function of the advanced API. Request: {"function", "soc", "arguments"}. Answer:
/// {"status", "message", "most", "least", "form", "data"}; without a tiling, the status is 161002.
std::string RunLibraryTiling(const Json& request);

/// Computes a tiling of Matmul. Request: {"soc", "cores", "shape": [m, n, k], "a", "b", "c",
/// "bias": {"position", "format", "dtype", "transposed"} or null, ...}; other members are setters
/// of MatmulApiTilingBase with their arguments. Answer: {"status", "message", "form", "data"}.
std::string RunMatmulTiling(const Json& request);

}  // namespace twin::host
