// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/instruction.h"
#include "core/types.h"
#include "timing/event_queue.h"

extern "C" {
/// Copies of one shape that every core makes one after the other.
struct TwinCopies {
    bool load;
    bool cube;  ///< true: cube cores make the copies; false: vector cores
    uint32_t cores;
    uint64_t copies;    ///< number of copies of each core
    uint64_t runBytes;  ///< bytes of each row of a copy
    uint64_t runs;
    uint64_t pitch;  ///< bytes from the begin of a row to that of the next row
};

/// Returns the modelled microseconds that a core needs for the copies, as the mean over the cores.
/// No two cores access the same bytes, and L2 is cold. Negative if there is no such SoC.
TWIN_API double twinCopyMicros(const char* soc, const TwinCopies* copies);
}

namespace twin::timing {

/// Memory behind L2: channels, each with its share of the bandwidth and a queue of its own.
/// Addresses are spread over all channels piece by piece; each round begins at another channel, so
/// that no stride uses only a few of them. Kernels with few requests under way leave channels
/// without work.
class Hbm {
public:
    Hbm(uint64_t bytes, double bytesPerCycle);

    /// Returns the time at which `bytes` at `address`, requested at `when`, have been moved.
    Ticks Take(uint64_t address, uint64_t bytes, Ticks when);
    /// L2 has evicted `bytes` that must be written back. A channel does so when it has nothing else
    /// to do; if too much is waiting, it switches from reading to writing and back.
    void Owe(uint64_t address, uint64_t bytes) { At(address).owed += rate_.Of(bytes); }
    /// Returns the busy time, as the mean over the channels.
    Ticks busy() const { return busy_ / channels_.size(); }

private:
    struct Channel {
        Ticks free = 0;
        Ticks owed = 0;
    };

    Channel& At(uint64_t address);
    void WriteBack(Channel& channel, Ticks now);

    std::vector<Channel> channels_;
    Rate rate_;  ///< rate of one channel
    Ticks limit_;
    Ticks busy_ = 0;  ///< busy time, summed over all channels
};

/// Cycles that the operands' places cost a vector instruction beyond one cycle per repeat.
///
/// The unified buffer has 16 groups of 3 banks; a block of 32 B at address a lies in group
/// (a / 32) % 16 of bank set a / 65536. A cycle reads one row and writes one row of a group.
/// - Blocks of two sources in one group: the repeat is read in two cycles.
/// - k blocks of the destination in one group: the repeat is written in k cycles.
/// - A read of a bank that is written in the same cycle waits, unless the first blocks of source
///   and destination share a bank: the chip then delays the write by a repeat.
/// What a repeat reads is written kVectorDelay cycles later.
struct BankConflicts {
    uint64_t readRead = 0;
    uint64_t writeWrite = 0;
    uint64_t readWrite = 0;

    uint64_t Cycles() const { return readRead + writeWrite + readWrite; }
};

BankConflicts FindConflicts(const std::vector<ByteRange>& ranges, uint32_t repeats);

constexpr uint64_t kLineBytes = 512;     ///< requests to GM are cut at multiples of this
constexpr uint64_t kGranuleBytes = 128;  ///< unit in which a line is fetched and written back

/// The second-level cache: it is write-back, allocates on reads and writes, and evicts the least
/// recently used of eight ways. How the chip spreads addresses over its slices is not known.
class L2Cache {
public:
    explicit L2Cache(uint64_t bytes);

    struct Found {
        uint32_t hits = 0;         ///< bit of each granule that the cache contains
        uint32_t evicted = 0;      ///< bit of each granule that was written back to make room
        uint64_t evictedFrom = 0;  ///< address of their line, without its high bits
    };
    /// Reads `granules`, one bit each, of the line at `address`.
    Found Read(uint64_t address, uint32_t granules, bool allocate);
    Found Write(uint64_t address, uint32_t granules);
    /// The line at `address` will be used soon, so the host should load its data.
    void Prepare(uint64_t address) const { __builtin_prefetch(&sets_[PlaceOf(Line(address))], 1); }

private:
    static constexpr uint32_t kWays = 8;
    static constexpr uint32_t kNone = kWays;

    /// Granules of a line that are in the cache, and those that are not yet written to memory.
    struct Granules {
        uint8_t valid : 4;
        uint8_t dirty : 4;
    };
    /// One line of the host's cache.
    struct alignas(64) Set {
        uint32_t line[kWays] = {};  ///< line of each way; 0: the way is empty
        Granules held[kWays] = {};
        uint32_t order = 0x76543210;  ///< the ways, the latest used first, four bits each
    };

    /// Returns the way of `line`; kNone if it is not in the cache.
    static uint32_t Find(const Set& set, uint32_t line);
    static void Use(Set& set, uint32_t way);
    /// The least recently used way becomes that of `line`.
    static uint32_t Replace(Set& set, uint32_t line, Found* found);
    size_t PlaceOf(uint32_t line) const {
        return uint64_t{line * 0x9E3779B1U} * sets_.size() >>
               32;  // sets are chosen by a hash, so that no stride uses only a few sets
    }
    /// Device addresses differ only in their low bits.
    static uint32_t Line(uint64_t address) {
        return static_cast<uint32_t>(address / kLineBytes) | 1U << 31;
    }

    static uint64_t AddressOf(uint32_t line) { return (line & ~(1U << 31)) * kLineBytes; }

    std::vector<Set> sets_;
};

}  // namespace twin::timing
