// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace twin::timing {

/// Modelled time in 1/1024 of a core's cycle; an integer, so that every host computes the same.
using Ticks = uint64_t;
constexpr Ticks kCycle = 1024;

/// Returns the integer nearest to `value`, which is positive; llround is not constexpr.
constexpr uint64_t Nearest(double value) { return (static_cast<uint64_t>(2 * value) + 1) / 2; }

constexpr Ticks Cycles(double cycles) { return Nearest(cycles * kCycle); }

/// A data rate. To keep precision, it is stored as the time per byte in 1/65536 of a tick.
class Rate {
public:
    constexpr Rate() = default;
    constexpr explicit Rate(double bytesPerCycle)
        : perByte_(Nearest(65536.0 * kCycle / bytesPerCycle)) {}
    constexpr Ticks Of(uint64_t bytes) const { return bytes * perByte_ >> 16; }

private:
    uint64_t perByte_ = 0;
};

/// A queue that allocates no memory before its first item, because a core has hundreds of queues.
template <typename T>
class Fifo {
public:
    bool empty() const { return head_ == items_.size(); }
    size_t size() const { return items_.size() - head_; }
    const T& front() const { return items_[head_]; }
    void push_back(const T& item) { items_.push_back(item); }
    void pop_front() {
        if (++head_ == items_.size()) {
            items_.clear();
            head_ = 0;
        } else if (head_ == kKeep) {
            items_.erase(items_.begin(), items_.begin() + kKeep);
            head_ = 0;
        }
    }

private:
    static constexpr size_t kKeep = 64;
    std::vector<T> items_;
    size_t head_ = 0;
};

/// The cores' requests to GM, ordered by time, then by core and pipe. A core that was served
/// usually makes a new request at once, so Push() replaces the request that was taken last.
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
    /// Sets `event` to the earliest request; returns false if there is none.
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
    /// Replaces the first request by `event`, and restores the order of the heap.
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
    bool taken_ = false;  ///< heap_[0] was taken, and may be replaced
};

}  // namespace twin::timing
