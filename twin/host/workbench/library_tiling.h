// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "graph/tensor.h"
#include "host/op_model.h"

namespace optiling {
class TilingDef;
}

namespace twin::host {

/// Collects, while a tiling function runs, what it reveals about the fields of its data. The object
/// belongs to the thread that runs the function; without one, the notes cost nothing.
class TilingNotes {
public:
    struct Note {
        const uint8_t* begin;
        size_t bytes;
        std::string
            form;  ///< for a class: its number of TilingForm, "7"; for a struct: the signature
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
