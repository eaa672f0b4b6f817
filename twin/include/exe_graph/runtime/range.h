// SPDX-License-Identifier: Apache-2.0
#ifndef EXE_GRAPH_RUNTIME_RANGE_H
#define EXE_GRAPH_RUNTIME_RANGE_H

namespace gert {

/// A smallest and a largest value; the range does not own them.
template <typename T>
class Range {
public:
    Range() = default;
    Range(T* least, T* greatest) : least_(least), greatest_(greatest) {}
    explicit Range(T* both) : least_(both), greatest_(both) {}

    bool operator==(const Range& other) const {
        return least_ == other.least_ && greatest_ == other.greatest_;
    }
    bool operator!=(const Range& other) const { return !(*this == other); }

    const T* GetMin() const { return least_; }
    const T* GetMax() const { return greatest_; }
    T* GetMin() { return least_; }
    T* GetMax() { return greatest_; }
    void SetMin(T* least) { least_ = least; }
    void SetMax(T* greatest) { greatest_ = greatest; }

private:
    T* least_ = nullptr;
    T* greatest_ = nullptr;
};

}  // namespace gert

#endif  // EXE_GRAPH_RUNTIME_RANGE_H
