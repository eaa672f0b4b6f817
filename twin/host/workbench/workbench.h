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

// Host tiling without a call, for cannery.tiling and related functions. Texts are JSON; a returned
// text exists until the thread calls again; null means a failure, whose sentence is in
// aclGetRecentErrMsg. Only the twin has these functions; no toolkit does.
extern "C" {

/// What a library of op_host registers (op null), or one operator of a library or a package folder:
/// see Text in host/workbench/workbench.cpp.
TWIN_API const char* twinDescribeHost(const char* place, const char* op);

/// The tiling of an operator. Request: {"place", "op", "soc", "inputs" and "outputs": [{"shape",
/// "dtype", "format", "values": address or 0} or null], "attrs": [[type, value] or null],
/// "deterministic"}; outputs null: inferred. Answer: {"status", "message", "outputs": [[shape,
/// dtype] or null]} and after success {"row", "key", "block_dim", "schedule_mode", "workspaces",
/// "forms": [[offset, bytes, number of a class or signature with a struct]], "data": hexadecimal}.
TWIN_API const char* twinTiling(const char* request);

/// Returns the fields of a tiling class by its number in an answer.
TWIN_API const char* twinTilingForm(int form);

/// Compute a tiling of Matmul, or of the advanced API, as RunMatmulTiling and RunLibraryTiling.
TWIN_API const char* twinMatmulTiling(const char* request);
TWIN_API const char* twinLibraryTiling(const char* request);

/// A chip: {"name", "vector_cores", "cube_cores", "ub_bytes", ...}, with the sizes that tiling
/// sees.
TWIN_API const char* twinChip(const char* soc);
}

namespace optiling {
class TilingDef;
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

/// Collects, while a tiling function runs, what it reveals about the fields of its data. The object
/// belongs to the thread that runs the function; without one, the notes cost nothing.
class TilingNotes {
public:
    struct Note {
        const uint8_t* begin;
        size_t bytes;
        std::string form;  ///< number of a class's TilingForm, as "7"; a struct's signature
        bool isClass;
    };

    TilingNotes();
    ~TilingNotes();
    TilingNotes(const TilingNotes&) = delete;
    TilingNotes& operator=(const TilingNotes&) = delete;

    static void Add(const void* data, const optiling::TilingDef& definition);
    static void Add(const void* data, size_t bytes, const char* signature);

    /// Describes these bytes, as a JSON list of [offset, bytes, class number or signature]. The
    /// newest note about a place counts.
    std::string Text(const void* data, size_t bytes) const;

private:
    void Add(const Note& note);

    TilingNotes* const before_;
    std::vector<Note> notes_;
};

/// Returns the number of a tiling class, by its name and fields; it does not change during the
/// process.
int TilingForm(const optiling::TilingDef& definition);

/// The fields of that number as JSON, or nullptr if there is none: {"name", "bytes", "fields":
/// [[name, C type, offset, bytes of an element, elements or 0, fields of a nested class or null]]}.
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
    /// Returns the bytes that a tiling may use: the given buffer, or the largest useful size.
    uint32_t Buffer(uint32_t most) const;

private:
    const Json& json_;
};

/// The answer of such a function: bytes of scratch and, if it splits work, its tiling.
struct LibraryTiling {
    uint32_t most = 0;
    uint32_t least = 0;
    bool refused = false;
    int form = -1;  ///< number of the tiling's class; -1: only scratch
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

/// Functions by the name of the device API's function in snake case: those with a tiling, and those
/// with scratch only.
const LibraryFunctions& LibraryTilings();
const LibraryFunctions& LibraryScratch();

/// Request: {"function", "soc", "arguments"}. Answer: {"status", "message", "most", "least",
/// "form", "data"}; the status is 161002 if the function finds no tiling.
std::string RunLibraryTiling(const Json& request);

/// A tiling of Matmul. Request: {"soc", "cores", "shape": [m, n, k], "a", "b", "c", "bias":
/// {"position", "format", "dtype", "transposed"} or null, ...}, each setter of MatmulApiTilingBase
/// with the list of its arguments. Answer as above.
std::string RunMatmulTiling(const Json& request);

}  // namespace twin::host
