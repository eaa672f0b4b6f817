// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <deque>
#include <map>
#include <mutex>

#include "host/op_model.h"
#include "host/workbench/workbench.h"
#include "register/tilingdata_base.h"

namespace optiling {

class TilingDefText {
public:
    static std::string Of(const TilingDef& definition) {
        std::string fields;
        for (size_t i = 0; i < definition.fields_.size(); ++i) {
            if (!definition.places_[i].padding) {
                fields += (fields.empty() ? "" : ", ") +
                          Field(definition.fields_[i], definition.places_[i]);
            }
        }
        return "{\"name\": " + twin::host::Quoted(definition.className_) +
               ", \"bytes\": " + std::to_string(definition.bytes_) + ", \"fields\": [" + fields +
               "]}";
    }

private:
    static std::string Field(const FieldInfo& field, const TilingDef::Place& place) {
        return "[" + twin::host::Quoted(field.name_) + ", " + twin::host::Quoted(field.dtype_) +
               ", " + std::to_string(place.offset) + ", " + std::to_string(place.elementBytes) +
               ", " + std::to_string(field.arrSize_) + ", " +
               (place.nested == nullptr ? "null" : Of(*place.nested)) + "]";
    }
};

}  // namespace optiling

namespace twin::host {
namespace {

thread_local TilingNotes* tNotes = nullptr;

/// Descriptions of tiling classes, with their numbers. Never destroyed, because callers keep
/// pointers to the texts.
struct Forms {
    std::mutex mutex;
    std::map<std::string, int> numbers;
    std::deque<std::string> texts;
};

Forms& TheForms() {
    static Forms* const forms = new Forms;
    return *forms;
}

}  // namespace

int TilingForm(const optiling::TilingDef& definition) {
    const std::string text = optiling::TilingDefText::Of(definition);
    std::lock_guard<std::mutex> lock(TheForms().mutex);
    const auto number = static_cast<int>(TheForms().texts.size());
    const auto entry = TheForms().numbers.emplace(text, number);
    if (entry.second) {
        TheForms().texts.push_back(text);
    }
    return entry.first->second;
}

const char* TilingFormText(int form) {
    std::lock_guard<std::mutex> lock(TheForms().mutex);
    const auto& texts = TheForms().texts;
    return form >= 0 && static_cast<size_t>(form) < texts.size()
               ? texts[static_cast<size_t>(form)].c_str()
               : nullptr;
}

TilingNotes::TilingNotes() : before_(tNotes) { tNotes = this; }

TilingNotes::~TilingNotes() { tNotes = before_; }

void TilingNotes::Add(const void* data, const optiling::TilingDef& definition) {
    if (tNotes != nullptr) {
        tNotes->Add({static_cast<const uint8_t*>(data), definition.GetDataSize(),
                     std::to_string(TilingForm(definition)), true});
    }
}

void TilingNotes::Add(const void* data, size_t bytes, const char* signature) {
    if (tNotes != nullptr) {
        tNotes->Add({static_cast<const uint8_t*>(data), bytes, signature, false});
    }
}

void TilingNotes::Add(const Note& note) {
    const auto gone = [&note](const Note& other) {
        return other.begin < note.begin + note.bytes && note.begin < other.begin + other.bytes;
    };
    // Ignores the new note if the bytes of an older, larger note contain its bytes, for example
    // after SetDataPtr of a nested class.
    for (const Note& other : notes_) {
        if (other.bytes > note.bytes && other.begin <= note.begin &&
            note.begin + note.bytes <= other.begin + other.bytes) {
            return;
        }
    }
    notes_.erase(std::remove_if(notes_.begin(), notes_.end(), gone), notes_.end());
    notes_.push_back(note);
}

std::string TilingNotes::Text(const void* data, size_t bytes) const {
    const auto* const begin = static_cast<const uint8_t*>(data);
    std::vector<const Note*> inside;
    for (const Note& note : notes_) {
        if (note.begin >= begin && note.begin + note.bytes <= begin + bytes) {
            inside.push_back(&note);
        }
    }
    std::sort(inside.begin(), inside.end(),
              [](const Note* left, const Note* right) { return left->begin < right->begin; });
    return ListOf(inside, [begin](const Note* note) {
        return "[" + std::to_string(note->begin - begin) + ", " + std::to_string(note->bytes) +
               ", " + (note->isClass ? note->form : Quoted(note->form)) + "]";
    });
}

}  // namespace twin::host
