// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_HOST_WORKBENCH_TILING_NOTES_H
#define TWIN_HOST_WORKBENCH_TILING_NOTES_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

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

/// The number of a tiling class, by its name and fields; it does not change during the process.
int TilingForm(const optiling::TilingDef& definition);

/// The fields of that number as JSON, or nullptr if there is none: {"name", "bytes", "fields":
/// [[name, C type, offset, bytes of an element, elements or 0, fields of a nested class or null]]}.
const char* TilingFormText(int form);

}  // namespace twin::host

#endif  // TWIN_HOST_WORKBENCH_TILING_NOTES_H
