// SPDX-License-Identifier: Apache-2.0
#include "hazard/knowledge.h"

namespace twin::hazard {
namespace {

void Join(const Knowledge& from, Knowledge* into) {
    for (size_t i = 0; i < into->size(); ++i) {
        (*into)[i].Join(from[i]);
    }
}

}  // namespace

Known Joined(const std::vector<Told>& all) {
    const auto joined = std::make_shared<Knowledge>(*all.front().knew);
    // Those who have met before knew the same.
    const Knowledge* latest = all.front().knew.get();
    for (const Told& told : all) {
        if (told.knew.get() != latest) {
            latest = told.knew.get();
            Join(*latest, joined.get());
        }
        (*joined)[told.core].Join(told.ended);
    }
    return joined;
}

Known Joined(const Known& one, const Known& other) {
    if (one == other) {
        return one;
    }
    const auto joined = std::make_shared<Knowledge>(*one);
    Join(*other, joined.get());
    return *joined == *other ? other : (*joined == *one ? one : joined);
}

}  // namespace twin::hazard
