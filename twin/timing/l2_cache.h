// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace twin::timing {

constexpr uint64_t kLineBytes = 512;     ///< requests to GM are cut at multiples of this
constexpr uint64_t kGranuleBytes = 128;  ///< unit in which a line is fetched and written back

/// The second-level cache: it is write-back, allocates on reads and writes, and evicts the least
/// recently used of eight ways. How the chip spreads addresses over its slices is not known.
class L2Cache {
public:
    explicit L2Cache(uint64_t bytes);

    struct Found {
        uint32_t hits = 0;         ///< granules, one bit each
        uint32_t evicted = 0;      ///< granules that were written back to make room
        uint64_t evictedFrom = 0;  ///< address of their line, without its high bits
    };
    /// `granules` of the line at `address`, one bit each.
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
        uint32_t line[kWays] = {};  ///< 0: empty
        Granules held[kWays] = {};
        uint32_t order = 0x76543210;  ///< the ways, the latest used first, four bits each
    };

    /// Returns the way of `line`; kNone if it is not in the cache.
    static uint32_t Find(const Set& set, uint32_t line);
    /// Notes that `way` was used now.
    static void Use(Set& set, uint32_t way);
    /// The least recently used way becomes that of `line`.
    static uint32_t Replace(Set& set, uint32_t line, Found* found);
    size_t PlaceOf(uint32_t line) const {
        return uint64_t{line * 0x9E3779B1U} * sets_.size() >>
               32;  // so that no stride uses only a few sets
    }
    /// Device addresses differ only in their low bits.
    static uint32_t Line(uint64_t address) {
        return static_cast<uint32_t>(address / kLineBytes) | 1U << 31;
    }

    static uint64_t AddressOf(uint32_t line) { return (line & ~(1U << 31)) * kLineBytes; }

    std::vector<Set> sets_;
};

}  // namespace twin::timing
