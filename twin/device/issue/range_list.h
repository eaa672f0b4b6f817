// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/core_state.h"

namespace twin {

/// Builds the byte ranges of an instruction's record. Adjacent pieces become one run. Equal runs at
/// equal distances become one range.
class RangeList {
public:
    RangeList(const Core& core, std::vector<ByteRange>* ranges) : core_(core), ranges_(*ranges) {
        ranges_.clear();
    }

    /// Starts an operand; the following calls of Add belong to this operand.
    void Start(Arg operand, Memory memory, bool write, bool filler, ElementType type);
    void Add(uint64_t begin, const Runs& runs);
    void Add(uint64_t begin, uint64_t bytes);
    /// Completes the ranges of the operand. Must be called after the last Add.
    void Finish();

private:
    /// Runs of equal size at equal distances.
    struct Group {
        uint64_t begin = 0;
        Runs runs;
    };

    bool Extend(ByteRange& range) const;
    void Append(uint64_t begin, const Runs& runs);
    void Close();

    const Core& core_;
    std::vector<ByteRange>& ranges_;
    size_t first_ = 0;  ///< index of the current operand's first range
    Arg operand_ = Arg::None;
    Memory memory_ = Memory::Ub;
    bool write_ = false, filler_ = false;
    ElementType type_;
    Group open_;  ///< group that is not yet in the list; empty if it has no bytes
};

}  // namespace twin
