// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "timing/costs.h"
#include "timing/hbm.h"

namespace twin::timing {
namespace {

constexpr uint32_t kGroups = 16;
constexpr uint64_t kSetBytes = 65536;  ///< 16 groups of one bank of 4 KiB
constexpr uint32_t kSets = 4;
constexpr uint64_t kMostBlocks = 8;  ///< largest number of blocks of an operand in one repeat
constexpr uint32_t kMostSources = 3;

uint32_t GroupOf(uint64_t address) {
    return static_cast<uint32_t>(address / kBlockBytes) % kGroups;
}
uint32_t BankOf(uint64_t address) {
    return GroupOf(address) + kGroups * (static_cast<uint32_t>(address / kSetBytes) % kSets);
}

/// The places of an operand's blocks, repeat by repeat.
class Pattern {
public:
    Pattern() = default;
    /// `range` is the first range of the operand. The record has no repeats, so equal runs at equal
    /// distances are distributed evenly.
    Pattern(const ByteRange& range, uint32_t repeats) : begin_(range.begin) {
        const Runs& runs = range.runs;
        const uint64_t total = runs.TotalBytes();
        if (runs.repeat.count > 1) {
            blocks_ = runs.block.count;
            blockStep_ = runs.block.stride;
            repeatStep_ = runs.repeat.stride;
        } else if (runs.block.count > 1 && runs.block.count % repeats == 0) {
            const uint64_t share = runs.block.count / repeats;
            blocks_ = share == 1 ? BlocksIn(runs.bytes) : share;
            blockStep_ = share == 1 ? kBlockBytes : runs.block.stride;
            repeatStep_ = share * runs.block.stride;
        } else {
            // A contiguous run. If each part is smaller than a block, the block is read once for
            // all.
            const uint64_t share = (total + repeats - 1) / repeats;
            once_ = repeats > 1 && share < kBlockBytes;
            blocks_ = BlocksIn(once_ ? total : share);
            blockStep_ = kBlockBytes;
            repeatStep_ = once_ ? 0 : share;
        }
        blocks_ = std::min(std::max<uint64_t>(blocks_, 1), kMostBlocks);
        for (uint64_t phase = 0; phase < kGroups; ++phase) {
            Look(phase);
        }
    }

    uint64_t begin() const { return begin_; }
    /// One bit per group.
    uint32_t Groups(uint64_t repeat) const {
        return once_ && repeat != 0 ? 0 : groups_[repeat % kGroups];
    }
    /// One bit per bank; all but a few repeats lie in one set of banks.
    uint64_t Banks(uint64_t repeat) const {
        const uint64_t set = (begin_ + repeat * repeatStep_) / kSetBytes % kSets;
        return uint64_t{Groups(repeat)} << kGroups * set;
    }
    /// Returns the number of blocks in the group with the most of them.
    uint32_t Deepest(uint64_t repeat) const { return deepest_[repeat % kGroups]; }

private:
    /// The groups repeat after as many repeats as there are groups.
    void Look(uint64_t phase) {
        uint32_t count[kGroups] = {};
        deepest_[phase] = 1;
        for (uint64_t i = 0; i < blocks_; ++i) {
            const uint32_t group = GroupOf(begin_ + phase * repeatStep_ + i * blockStep_);
            groups_[phase] |= 1U << group;
            deepest_[phase] = std::max(deepest_[phase], ++count[group]);
        }
    }
    static uint64_t BlocksIn(uint64_t bytes) { return (bytes + kBlockBytes - 1) / kBlockBytes; }

    uint64_t begin_ = 0;
    uint64_t blocks_ = 0;
    uint64_t blockStep_ = 0;
    uint64_t repeatStep_ = 0;
    bool once_ = false;
    uint32_t groups_[kGroups] = {};
    uint32_t deepest_[kGroups] = {};
};

struct Operands {
    Pattern sources[kMostSources];
    uint32_t sourceCount = 0;
    Pattern destination;
    bool writes = false;
};

Operands Sort(const std::vector<ByteRange>& ranges, uint32_t repeats) {
    Operands found;
    Arg last = Arg::None;
    for (const ByteRange& range : ranges) {
        // Further ranges of an operand with holes follow the first; scratch belongs to the library.
        const bool next = range.operand != last;
        last = range.operand;
        if (range.memory != Memory::Ub || range.filler || !next) {
            continue;
        }
        if (range.write && !found.writes) {
            found.destination = Pattern(range, repeats);
            found.writes = true;
        } else if (!range.write && found.sourceCount < kMostSources) {
            found.sources[found.sourceCount++] = Pattern(range, repeats);
        }
    }
    return found;
}

/// The banks that the unit writes in each cycle; writes come in order.
class Writes {
public:
    /// The banks that are written in `cycle`; callers ask for cycles in order.
    uint64_t In(uint64_t cycle) {
        while (next_ < cycles_.size() && cycles_[next_] < cycle) {
            ++next_;
        }
        return next_ < cycles_.size() && cycles_[next_] == cycle ? banks_[next_] : 0;
    }
    void Put(uint64_t cycle, uint64_t banks) {
        cycles_.push_back(cycles_.empty() ? cycle : std::max(cycle, cycles_.back() + 1));
        banks_.push_back(banks);
    }

private:
    std::vector<uint64_t> cycles_;
    std::vector<uint64_t> banks_;
    size_t next_ = 0;
};

}  // namespace

BankConflicts FindConflicts(const std::vector<ByteRange>& ranges, uint32_t repeats) {
    BankConflicts found;
    const Operands operands = repeats == 0 ? Operands() : Sort(ranges, repeats);
    bool exempt[kMostSources] = {};
    for (uint32_t i = 0; i < operands.sourceCount; ++i) {
        exempt[i] = BankOf(operands.sources[i].begin()) == BankOf(operands.destination.begin());
    }
    const auto delay = static_cast<uint64_t>(constant::kVectorDelay.value);
    Writes writes;
    uint64_t cycle = 0;
    for (uint64_t repeat = 0; repeat < repeats; ++repeat) {
        uint32_t groups = 0;
        uint64_t guarded = 0;
        uint64_t extra = 0;
        for (uint32_t i = 0; i < operands.sourceCount; ++i) {
            const uint32_t mine = operands.sources[i].Groups(repeat);
            extra += (groups & mine) != 0 ? 1 : 0;
            groups |= mine;
            guarded |= exempt[i] ? 0 : operands.sources[i].Banks(repeat);
        }
        while (operands.writes && (writes.In(cycle) & guarded) != 0) {
            ++cycle;
            ++found.readWrite;
        }
        found.readRead += extra;
        const uint64_t deep = operands.writes ? operands.destination.Deepest(repeat) : 1;
        const uint64_t written = deep > 1 + extra ? deep - 1 - extra : 0;
        found.writeWrite += written;
        cycle += 1 + extra + written;
        if (operands.writes) {
            writes.Put(cycle - 1 + delay, operands.destination.Banks(repeat));
        }
    }
    return found;
}

}  // namespace twin::timing
