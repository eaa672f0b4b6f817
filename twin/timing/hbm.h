// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/instruction.h"
#include "core/types.h"
#include "timing/event_queue.h"

extern "C" {
/// Copies of equal shape that each core makes one after another.
struct TwinCopies {
    bool load;
    bool cube;  ///< true: cube cores make the copies; false: vector cores
    uint32_t cores;
    uint64_t copies;    ///< number of copies of each core
    uint64_t runBytes;  ///< bytes of each row of a copy
    uint64_t runs;
    uint64_t pitch;  ///< distance in bytes from the begin of a row to the begin of the next row
};

/// Returns the modelled time in microseconds that a core needs for the copies, averaged over the
/// cores. L2 is cold, and no two cores access the same bytes. Returns a negative number if there is
/// no such SoC.
TWIN_API double twinCopyMicros(const char* soc, const TwinCopies* copies);
}

namespace twin::timing {

/// Models HBM. Each channel has its own queue and an equal share of the bandwidth. Consecutive
/// pieces of memory are in different channels. After each pass over all channels, the order begins
/// at another channel, so that no stride uses only a few channels.
class Hbm {
public:
    Hbm(uint64_t bytes, double bytesPerCycle);

    /// Moves `bytes` at `address`, requested at `when`; returns the time when they are moved.
    Ticks Take(uint64_t address, uint64_t bytes, Ticks when);
    /// Notes that L2 has evicted `bytes`, which must be written back. The channel writes them when
    /// it is idle, or between reads if too many bytes wait.
    void Owe(uint64_t address, uint64_t bytes) { At(address).owed += rate_.Of(bytes); }
    /// Returns the time at which the channel of `address` would have done its work so far, without
    /// the writing back between reads.
    Ticks ReadAt(uint64_t address) { return At(address).read; }
    /// Returns the busy time, as the mean over the channels.
    Ticks busy() const { return busy_ / channels_.size(); }

private:
    struct Channel {
        Ticks free = 0;
        Ticks read = 0;  ///< the same without the writing back
        Ticks owed = 0;
    };

    Channel& At(uint64_t address);
    void WriteBack(Channel& channel, Ticks now);

    std::vector<Channel> channels_;
    Rate rate_;  ///< rate of one channel
    Ticks limit_;
    Ticks busy_ = 0;  ///< busy time, summed over all channels
};

/// Cycles that bank conflicts in UB add to a vector instruction.
///
/// UB has 16 groups of 3 banks. The block of 32 B at address a is in group (a / 32) % 16, and in
/// bank a / 65536 of that group. In a cycle, the unit reads one row and writes one row of a group.
/// - If two sources have blocks in one group, a repeat is read in two cycles.
/// - If the destination has k blocks in one group, a repeat is written in k cycles.
/// - A read waits while its bank is written. If the first blocks of source and destination share a
/// bank, the read does not wait, because the hardware then delays the write by a repeat.
/// The result of a repeat is written kVectorDelay cycles after its sources are read.
struct BankConflicts {
    uint64_t readRead = 0;
    uint64_t writeWrite = 0;
    uint64_t readWrite = 0;

    uint64_t Cycles() const { return readRead + writeWrite + readWrite; }
};

BankConflicts FindConflicts(const std::vector<ByteRange>& ranges, uint32_t repeats);

constexpr uint64_t kLineBytes = 512;     ///< bytes of a line; GM accesses are split at line ends
constexpr uint64_t kGranuleBytes = 128;  ///< unit in which a line is fetched and written back

/// Models L2: write-back, allocates on reads and writes, evicts the least recently used of eight
/// ways. It has no slices, because their address mapping is unknown.
class L2Cache {
public:
    explicit L2Cache(uint64_t bytes);

    struct Found {
        uint32_t hits = 0;         ///< bit i: the cache contains granule (128 B) i of the line
        uint32_t evicted = 0;      ///< bit i: granule i of an evicted line is written back
        uint64_t evictedFrom = 0;  ///< address of the evicted line, without its high bits
    };
    /// Reads granule i of the line at `address` for each bit i that is set in `granules`.
    Found Read(uint64_t address, uint32_t granules, bool allocate);
    Found Write(uint64_t address, uint32_t granules);
    /// Prefetches, on the host, the set of the line at `address`, which will be used soon.
    void Prepare(uint64_t address) const { __builtin_prefetch(&sets_[PlaceOf(Line(address))], 1); }

private:
    static constexpr uint32_t kWays = 8;
    static constexpr uint32_t kNone = kWays;

    /// Bits for the granules of a line. A bit of `valid` is set if L2 has the granule. A bit of
    /// `dirty` is set if the granule is not written back to memory yet.
    struct Granules {
        uint8_t valid : 4;
        uint8_t dirty : 4;
    };
    /// A set of the modelled cache; it fills one cache line of the host.
    struct alignas(64) Set {
        uint32_t line[kWays] = {};  ///< line of each way; 0: the way is empty
        Granules held[kWays] = {};
        uint32_t order = 0x76543210;  ///< the ways, four bits each, the latest used in the low bits
    };

    /// Returns the way of `line`; kNone if it is not in the cache.
    static uint32_t Find(const Set& set, uint32_t line);
    static void Use(Set& set, uint32_t way);
    /// Replaces the least recently used line by `line`; returns its way.
    static uint32_t Replace(Set& set, uint32_t line, Found* found);
    size_t PlaceOf(uint32_t line) const {
        return uint64_t{line * 0x9E3779B1U} * sets_.size() >>
               32;  // sets are chosen by a hash, so that no stride uses only a few sets
    }
    /// Returns the nonzero number of a line, without the high bits that all device addresses share.
    static uint32_t Line(uint64_t address) {
        return static_cast<uint32_t>(address / kLineBytes) | 1U << 31;
    }

    static uint64_t AddressOf(uint32_t line) { return (line & ~(1U << 31)) * kLineBytes; }

    std::vector<Set> sets_;
};

}  // namespace twin::timing
