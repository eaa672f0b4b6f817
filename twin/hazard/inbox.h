// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "hazard/log.h"

namespace twin::hazard {

/// What a core has published, as soon as it is known: the replay comes to it later.
struct Announced {
    uint32_t part = 0;
    size_t number = 0;  ///< of what this part publishes
    Published what;
};

/// What lies between the cores, which record, and the replay of what they did, which may come to it
/// at any time. Of each part of the replay the stretches of its log in their order.
class Inbox {
public:
    enum class Got : uint8_t {
        More,
        NotYet,  ///< the part has not ended
        Ended,
    };

    explicit Inbox(size_t parts) : parts_(parts), open_(parts) {}

    /// Leaves `settled` empty.
    void Put(uint32_t part, Stretch* settled);
    /// Nothing of the part is to come.
    void End(uint32_t part);
    Got Take(uint32_t part, Stretch* stretch);
    /// Accesses and meetings that were not taken.
    size_t Behind(uint32_t part) const;
    /// What has been published since this was asked for before.
    std::vector<Announced> TakeAnnounced();
    /// Whether nothing is to come of parts other than this one.
    bool OthersEnded(uint32_t part) const;

private:
    struct Place {
        Stretch stretch;
        size_t published = 0;
        bool ended = false;
    };

    mutable std::mutex mutex_;
    std::vector<Place> parts_;
    std::vector<Announced> announced_;
    size_t open_;
};

}  // namespace twin::hazard
