// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_TIMING_FIFO_H
#define TWIN_TIMING_FIFO_H

#include <cstddef>
#include <vector>

namespace twin::timing {

/// A queue that takes no memory while it is empty, because a core has hundreds of them.
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

}  // namespace twin::timing

#endif  // TWIN_TIMING_FIFO_H
