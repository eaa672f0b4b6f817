// SPDX-License-Identifier: Apache-2.0
#include "hazard/inbox.h"

#include <utility>

namespace twin::hazard {
namespace {

template <typename Item>
void Append(std::vector<Item>* from, std::vector<Item>* to) {
    if (to->empty()) {
        std::swap(*from, *to);
    } else {
        to->insert(to->end(), from->begin(), from->end());
    }
    from->clear();
}

}  // namespace

void Inbox::Put(uint32_t part, Stretch* settled) {
    const std::lock_guard<std::mutex> lock(mutex_);
    Place& place = parts_[part];
    for (const Published& what : settled->published) {
        announced_.push_back({part, place.published++, what});
    }
    Stretch& stretch = place.stretch;
    Append(&settled->accesses, &stretch.accesses);
    Append(&settled->runs, &stretch.runs);
    Append(&settled->meetings, &stretch.meetings);
    Append(&settled->published, &stretch.published);
    Append(&settled->polls, &stretch.polls);
    Append(&settled->doubts, &stretch.doubts);
}

size_t Inbox::Behind(uint32_t part) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    const Stretch& stretch = parts_[part].stretch;
    return stretch.accesses.size() + stretch.meetings.size();
}

void Inbox::End(uint32_t part) {
    const std::lock_guard<std::mutex> lock(mutex_);
    open_ -= parts_[part].ended ? 0 : 1;
    parts_[part].ended = true;
}

Inbox::Got Inbox::Take(uint32_t part, Stretch* stretch) {
    const std::lock_guard<std::mutex> lock(mutex_);
    Place& place = parts_[part];
    const bool empty = place.stretch.accesses.empty() && place.stretch.meetings.empty() &&
                       place.stretch.doubts.empty();
    if (empty) {
        return place.ended ? Got::Ended : Got::NotYet;
    }
    *stretch = std::exchange(place.stretch, {});
    return Got::More;
}

std::vector<Announced> Inbox::TakeAnnounced() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return std::exchange(announced_, {});
}

bool Inbox::OthersEnded(uint32_t part) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return open_ == 0 || (open_ == 1 && !parts_[part].ended);
}

}  // namespace twin::hazard
