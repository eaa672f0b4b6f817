// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_TIMING_L2_CACHE_H
#define TWIN_TIMING_L2_CACHE_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace twin::timing {

constexpr uint64_t kLineBytes = 512;     ///< a request to GM is cut at multiples of this
constexpr uint64_t kGranuleBytes = 128;  ///< what a line is fetched and written back in

/// The second-level cache: write-back, allocates on reads and writes, least recently used of
/// eight ways goes first. How the chip spreads addresses over its slices is not known.
class L2Cache {
public:
    explicit L2Cache(uint64_t bytes);

    struct Found {
        uint32_t hits = 0;         ///< granules, one bit each
        uint32_t evicted = 0;      ///< granules that had to be written back to make room
        uint64_t evictedFrom = 0;  ///< their line's address, without its high bits
    };
    /// `granules` of the line at `address`, one bit each.
    Found Read(uint64_t address, uint32_t granules, bool allocate);
    Found Write(uint64_t address, uint32_t granules);
    /// The line at `address` will be asked for soon: the host had better fetch what is known of it.
    void Prepare(uint64_t address) const { __builtin_prefetch(&sets_[PlaceOf(Line(address))], 1); }

private:
    static constexpr uint32_t kWays = 8;
    static constexpr uint32_t kNone = kWays;

    /// Granules of a line that are there, and those that memory does not have yet.
    struct Granules {
        uint8_t valid : 4;
        uint8_t dirty : 4;
    };
    /// One line of the host's cache.
    struct alignas(64) Set {
        uint32_t line[kWays] = {};  ///< 0: nothing there
        Granules held[kWays] = {};
        uint32_t order = 0x76543210;  ///< the ways from the latest used on, four bits each
    };

    /// The way of `line`; kNone: it is not there.
    static uint32_t Find(const Set& set, uint32_t line);
    /// `way` has been used now.
    static void Use(Set& set, uint32_t way);
    /// The way that was used longest ago becomes that of `line`.
    static uint32_t Replace(Set& set, uint32_t line, Found* found);
    size_t PlaceOf(uint32_t line) const {
        return uint64_t{line * 0x9E3779B1U} * sets_.size() >> 32;  // so that no stride meets few
    }
    /// Device addresses differ in their low bits alone.
    static uint32_t Line(uint64_t address) {
        return static_cast<uint32_t>(address / kLineBytes) | 1U << 31;
    }

    static uint64_t AddressOf(uint32_t line) { return (line & ~(1U << 31)) * kLineBytes; }

    std::vector<Set> sets_;
};

}  // namespace twin::timing

#endif  // TWIN_TIMING_L2_CACHE_H
