// SPDX-License-Identifier: Apache-2.0
#include "host/attr_values.h"

#include <type_traits>
#include <utility>

namespace twin::host {
namespace {

template <typename T>
constexpr bool kIsList =
    std::is_same_v<T, std::vector<uint8_t>> || std::is_same_v<T, std::vector<int64_t>> ||
    std::is_same_v<T, std::vector<float>>;

template <typename T>
gert::ContinuousVector ViewOf(std::vector<T>& values) {
    return gert::ContinuousVector(values.data(), values.size(), values.size());
}

}  // namespace

const char* AttrTypeName(const AttrValue& value) {
    static const char* const kNames[] = {"None",     "Bool",    "Int",       "Float",      "String",
                                         "ListBool", "ListInt", "ListFloat", "ListListInt"};
    return kNames[value.index()];
}

AttrValues::AttrValues() { runtime_.values_ = this; }

void AttrValues::Add(AttrValue value) {
    slots_.emplace_back();
    Slot& slot = slots_.back();
    slot.value = std::move(value);
    slot.pointer = Publish(&slot);
}

const void* AttrValues::Publish(Slot* slot) {
    return std::visit(
        [slot](auto& value) -> const void* {
            using T = std::decay_t<decltype(value)>;
            if constexpr (std::is_same_v<T, std::monostate>) {
                return nullptr;
            } else if constexpr (std::is_same_v<T, std::string>) {
                return value.c_str();
            } else if constexpr (kIsList<T>) {
                slot->list = ViewOf(value);
                return &slot->list;
            } else if constexpr (std::is_same_v<T, ListListInt>) {
                for (auto& inner : value) {
                    slot->inner.push_back(ViewOf(inner));
                }
                slot->listOfLists =
                    gert::ContinuousVectorVector(slot->inner.data(), slot->inner.size());
                return &slot->listOfLists;
            } else {
                return &value;
            }
        },
        slot->value);
}

}  // namespace twin::host

namespace gert {

// A typed vector adds functions to ContinuousVector, but no state, so the views above can be read
// as typed vectors.
static_assert(sizeof(TypedContinuousVector<int64_t>) == sizeof(ContinuousVector),
              "views share one layout");

size_t RuntimeAttrs::GetAttrNum() const { return values_->Count(); }

const void* RuntimeAttrs::Pointer(size_t index) const { return values_->Pointer(index); }

}  // namespace gert
