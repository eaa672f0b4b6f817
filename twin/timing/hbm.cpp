// SPDX-License-Identifier: Apache-2.0
// Models HBM, L2 and bank conflicts of UB, and computes how long copies of a given shape take.
#include "timing/hbm.h"

#include <algorithm>
#include <memory>

#include "timing/costs.h"
#include "timing/replay.h"

namespace twin::timing {
namespace {

Instruction CopyOf(const TwinCopies& copies) {
    ByteRange local, gm;
    local.memory = copies.cube ? Memory::L1 : Memory::Ub;
    local.write = copies.load;
    local.runs = Runs(copies.runBytes * copies.runs);
    gm.memory = Memory::Gm;
    gm.write = !copies.load;
    gm.runs = Runs(copies.runBytes, {copies.runs, copies.pitch});
    Instruction copy;
    copy.core = copies.cube ? CoreKind::Aic : CoreKind::Aiv;
    copy.pipe = copies.load ? Pipe::Mte2 : Pipe::Mte3;
    copy.opcode = Opcode::DataCopy;
    copy.ranges = {local, gm};
    return copy;
}

double Micros(const SocInfo& soc, const TwinCopies& copies) {
    Instruction copy = CopyOf(copies);
    const uint64_t spacing =
        (copies.runs * copies.pitch + kLineBytes - 1) / kLineBytes * kLineBytes;
    OperationTable table;
    std::vector<std::unique_ptr<Program>> programs;
    std::vector<const Program*> all;
    for (uint32_t core = 0; core < copies.cores; ++core) {
        programs.push_back(std::make_unique<Program>(core, 0, copy.core, table));
        for (uint64_t i = 0; i < copies.copies; ++i) {
            copy.ranges.back().begin = (core * copies.copies + i) * spacing;
            programs.back()->OnInstruction(copy);
        }
        all.push_back(programs.back().get());
    }
    Operations operations(table);
    Replay replay(soc, all, operations, 0, UINT32_MAX, false);  // without a start
    replay.Run();
    Ticks sum = 0;
    for (const auto& core : replay.cores()) {
        sum += core->end() - core->start();
    }
    const double mean = static_cast<double>(sum) / static_cast<double>(replay.cores().size());
    return mean / kCycle / soc.cubeMHz;
}

constexpr uint32_t kGroups = 16;
constexpr uint64_t kSetBytes = 65536;  ///< size of 16 banks (of 4 KiB), one in each group
constexpr uint32_t kSets = 4;
constexpr uint64_t kMostBlocks = 8;  ///< largest number of blocks of an operand in one repeat
constexpr uint32_t kMostSources = 3;

uint32_t GroupOf(uint64_t address) {
    return static_cast<uint32_t>(address / kBlockBytes) % kGroups;
}
uint32_t BankOf(uint64_t address) {
    return GroupOf(address) + kGroups * (static_cast<uint32_t>(address / kSetBytes) % kSets);
}

/// The groups and banks of an operand's blocks in each repeat.
class Pattern {
public:
    Pattern() = default;
    /// `range` is the first range of the operand. If `range` does not describe repeats, the runs
    /// or bytes of `range` are divided evenly among the repeats.
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
            // The run is contiguous. If a repeat has fewer bytes than a block, the first repeat
            // reads all blocks.
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
    /// Returns the groups of banks that a repeat's blocks are in, one bit for each group.
    uint32_t Groups(uint64_t repeat) const {
        return once_ && repeat != 0 ? 0 : groups_[repeat % kGroups];
    }
    /// Returns the banks of a repeat's blocks, one bit each, if all blocks are in the same 64 KiB.
    uint64_t Banks(uint64_t repeat) const {
        const uint64_t set = (begin_ + repeat * repeatStep_) / kSetBytes % kSets;
        return uint64_t{Groups(repeat)} << kGroups * set;
    }
    /// Returns how many blocks of a repeat are in the group with the most blocks.
    uint32_t Deepest(uint64_t repeat) const { return deepest_[repeat % kGroups]; }

private:
    /// Computes the groups for repeats phase, phase + kGroups, ...: they all use the same groups.
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
        // An operand with holes has several ranges. Only its first range is used.
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

/// The banks that the vector unit writes in each cycle, in the order of cycles.
class Writes {
public:
    /// Returns the banks that are written in `cycle`, which must not decrease between calls.
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

double twinCopyMicros(const char* soc, const TwinCopies* copies) {
    const twin::SocInfo* const found = twin::FindSoc(soc);
    return found == nullptr || copies->cores == 0 ? -1.0 : twin::timing::Micros(*found, *copies);
}

namespace twin::timing {
namespace {

const uint64_t kPieceBytes = Whole(constant::kInterleave);
const uint64_t kChannelBytes = Whole(constant::kChannel);
const uint64_t kWriteBufferBytes = Whole(constant::kWriteBuffer);
const auto kWriteBackPercent = static_cast<uint64_t>(constant::kWriteBack.value * 100);
/// Evicted lines have addresses below this: L2 does not store the high bits.
constexpr uint64_t kAddresses = 1ULL << 40;

constexpr uint32_t kAll = (1U << (kLineBytes / kGranuleBytes)) - 1;

}  // namespace

Hbm::Hbm(uint64_t bytes, double bytesPerCycle)
    : channels_(bytes / kChannelBytes),
      rate_(bytesPerCycle / static_cast<double>(channels_.size())),
      limit_(rate_.Of(kWriteBufferBytes / channels_.size())) {}

Hbm::Channel& Hbm::At(uint64_t address) {
    const auto piece = static_cast<uint32_t>(address % kAddresses / kPieceBytes);
    const auto count = static_cast<uint32_t>(channels_.size());
    uint32_t turn = piece / count * 0x9E3779B1U;
    turn = (turn ^ turn >> 15) * 0x85EBCA77U >> 16;
    return channels_[(piece + turn) % count];
}

void Hbm::WriteBack(Channel& channel, Ticks now) {
    const Ticks idle = std::min(channel.owed, now - std::min(now, channel.free));
    channel.owed -= idle;
    const Ticks forced = channel.owed - std::min(channel.owed, limit_);
    channel.owed -= forced;
    const Ticks took = idle + forced * kWriteBackPercent / 100;
    channel.free += took;
    busy_ += took;
}

Ticks Hbm::Take(uint64_t address, uint64_t bytes, Ticks when) {
    Channel& channel = At(address);
    if (channel.owed != 0) {
        WriteBack(channel, when);
    }
    const Ticks took = rate_.Of(bytes);
    channel.free = std::max(channel.free, when) + took;
    channel.read = std::max(channel.read, when) + took;
    busy_ += took;
    return channel.free;
}

L2Cache::L2Cache(uint64_t bytes) : sets_(bytes / kLineBytes / kWays) {}

uint32_t L2Cache::Find(const Set& set, uint32_t line) {
    const uint32_t latest = set.order & 0xF;
    if (set.line[latest] == line) {
        return latest;
    }
    uint32_t found = kNone;
    for (uint32_t way = 0; way < kWays; ++way) {
        found = set.line[way] == line ? way : found;
    }
    return found;
}

void L2Cache::Use(Set& set, uint32_t way) {
    constexpr uint32_t kOnes = 0x11111111, kTops = 0x88888888;
    const uint32_t other = set.order ^ way * kOnes;  // 0 in the four bits of `way`
    const uint32_t bit = (other - kOnes) & ~other & kTops;
    const uint32_t later = ((bit & (~bit + 1)) >> 3) - 1;  // bits of the ways used after `way`
    set.order = (set.order & ~(later << 4 | 0xF)) | (set.order & later) << 4 | way;
}

uint32_t L2Cache::Replace(Set& set, uint32_t line, Found* found) {
    const uint32_t way = set.order >> 28;
    found->evicted = set.held[way].dirty;
    found->evictedFrom = AddressOf(set.line[way]);
    set.line[way] = line;
    set.held[way] = {};
    return way;
}

L2Cache::Found L2Cache::Read(uint64_t address, uint32_t granules, bool allocate) {
    Found found;
    const uint32_t line = Line(address);
    Set& set = sets_[PlaceOf(line)];
    uint32_t way = Find(set, line);
    if (way == kNone) {
        if (!allocate) {
            return found;
        }
        way = Replace(set, line, &found);
    }
    Use(set, way);
    Granules& held = set.held[way];
    found.hits = held.valid & granules;
    held.valid = static_cast<uint8_t>((held.valid | granules) & kAll);
    return found;
}

L2Cache::Found L2Cache::Write(uint64_t address, uint32_t granules) {
    Found found;
    const uint32_t line = Line(address);
    Set& set = sets_[PlaceOf(line)];
    uint32_t way = Find(set, line);
    way = way == kNone ? Replace(set, line, &found) : way;
    Use(set, way);
    Granules& held = set.held[way];
    held.valid = static_cast<uint8_t>((held.valid | granules) & kAll);
    held.dirty = static_cast<uint8_t>((held.dirty | granules) & kAll);
    return found;
}

}  // namespace twin::timing
