// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_TIMING_EVENT_QUEUE_H
#define TWIN_TIMING_EVENT_QUEUE_H

#include <cstddef>
#include <cstdint>
#include <vector>

#include "timing/ticks.h"

namespace twin::timing {

/// Requests of cores to GM in the order of their time; at the same time, that of the lower core and
/// pipe comes first. A core that was served usually asks again at once: its new request takes the
/// place of the old one.
class EventQueue {
public:
    struct Event {
        Ticks when;
        uint32_t core;
        uint32_t pipe;
        bool Before(const Event& other) const {
            return when != other.when
                       ? when < other.when
                       : (core != other.core ? core < other.core : pipe < other.pipe);
        }
    };

    void Push(const Event& event) {
        if (taken_) {
            taken_ = false;
            Sink(event);
            return;
        }
        size_t at = heap_.size();
        heap_.push_back(event);
        while (at != 0 && event.Before(heap_[(at - 1) / 2])) {
            heap_[at] = heap_[(at - 1) / 2];
            at = (at - 1) / 2;
        }
        heap_[at] = event;
    }
    /// Returns the next request, which is valid until the next call; false if there is none.
    bool Take(Event* event) {
        if (taken_) {
            const Event last = heap_.back();
            heap_.pop_back();
            if (!heap_.empty()) {
                Sink(last);
            }
        }
        taken_ = !heap_.empty();
        if (taken_) {
            *event = heap_.front();
        }
        return taken_;
    }

private:
    /// Puts `event` in the place of the first request.
    void Sink(const Event& event) {
        size_t at = 0;
        for (size_t child = 1; child < heap_.size(); child = 2 * at + 1) {
            child += child + 1 < heap_.size() && heap_[child + 1].Before(heap_[child]) ? 1 : 0;
            if (!heap_[child].Before(event)) {
                break;
            }
            heap_[at] = heap_[child];
            at = child;
        }
        heap_[at] = event;
    }

    std::vector<Event> heap_;
    bool taken_ = false;  ///< the first entry is only a free place
};

}  // namespace twin::timing

#endif  // TWIN_TIMING_EVENT_QUEUE_H
