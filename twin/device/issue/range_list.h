// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_ISSUE_RANGE_LIST_H
#define TWIN_DEVICE_ISSUE_RANGE_LIST_H

#include <vector>

#include "core/core.h"

namespace twin {

/// Builds the ranges of a record: pieces that touch become one run, pieces at equal distances one
/// range.
class RangeList {
public:
    RangeList(const Core& core, std::vector<ByteRange>* ranges) : core_(core), ranges_(*ranges) {
        ranges_.clear();
    }

    /// The operand that the next pieces belong to.
    void Start(const char* operand, Memory memory, bool write, bool filler);
    void Add(uint64_t begin, const Runs& runs);
    void Add(uint64_t begin, uint64_t bytes);
    /// The operand has no more pieces.
    void Finish();

private:
    bool Extend(ByteRange& range) const;
    void Close();

    const Core& core_;
    std::vector<ByteRange>& ranges_;
    size_t first_ = 0;  ///< of this operand
    ByteRange blank_;
    ByteRange open_;  ///< equal runs at equal distances, not yet in the list
};

}  // namespace twin

#endif  // TWIN_DEVICE_ISSUE_RANGE_LIST_H
