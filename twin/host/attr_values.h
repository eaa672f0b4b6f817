// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <variant>
#include <vector>

#include "core/types.h"
#include "exe_graph/runtime/runtime_attrs.h"

namespace twin::host {

using ListListInt = std::vector<std::vector<int64_t>>;
/// One attribute. A list of bools is kept as bytes, because tiling reads it as an array.
using AttrValue =
    std::variant<std::monostate, bool, int64_t, float, std::string, std::vector<uint8_t>,
                 std::vector<int64_t>, std::vector<float>, ListListInt>;

/// Returns the name of the type of the value, such as "Int" or "ListFloat".
const char* AttrTypeName(const AttrValue& value);

/// The attributes of one call, in the form that gert::RuntimeAttrs returns.
class TWIN_API AttrValues {
public:
    AttrValues();
    AttrValues(const AttrValues&) = delete;
    AttrValues& operator=(const AttrValues&) = delete;

    void Add(AttrValue value);
    size_t Count() const { return slots_.size(); }
    const void* Pointer(size_t index) const {
        return index < slots_.size() ? slots_[index].pointer : nullptr;
    }
    const gert::RuntimeAttrs* Runtime() const { return &runtime_; }

private:
    struct Slot {
        AttrValue value;
        gert::ContinuousVector list;  ///< view of the list, for a list
        std::vector<gert::ContinuousVector>
            inner;  ///< views of the inner lists, for a list of lists
        gert::ContinuousVectorVector listOfLists;
        const void* pointer = nullptr;
    };

    static const void* Publish(Slot* slot);

    std::deque<Slot> slots_;  ///< a deque, because addresses of its elements are handed out
    gert::RuntimeAttrs runtime_;
};

}  // namespace twin::host
