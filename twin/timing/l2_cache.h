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
        uint32_t hits = 0;     ///< granules, one bit each
        uint32_t evicted = 0;  ///< granules that had to be written back to make room
    };
    /// `granules` of the line at `address`, one bit each.
    Found Read(uint64_t address, uint32_t granules, bool allocate);
    Found Write(uint64_t address, uint32_t granules);

private:
    static constexpr uint32_t kWays = 8;

    /// Granules of a line that are there, and those that memory does not have yet.
    struct Granules {
        uint8_t valid : 4;
        uint8_t dirty : 4;
    };
    /// The ways in the order of their last use. One line of the host's cache.
    struct alignas(64) Set {
        uint32_t line[kWays] = {};  ///< 0: nothing there
        Granules held[kWays] = {};
    };

    /// What is held of `line`, which becomes the first way; nullptr: nothing.
    static Granules* Find(Set& set, uint32_t line);
    static Granules* Replace(Set& set, uint32_t line, Found* found);
    static Granules* Front(Set& set, uint32_t way, uint32_t line, Granules held);
    /// Spread by a hash, so that no stride meets few sets.
    Set& SetOf(uint32_t line) { return sets_[uint64_t{line * 0x9E3779B1U} * sets_.size() >> 32]; }
    /// Device addresses differ in their low bits alone.
    static uint32_t Line(uint64_t address) {
        return static_cast<uint32_t>(address / kLineBytes) | 1U << 31;
    }

    std::vector<Set> sets_;
};

}  // namespace twin::timing

#endif  // TWIN_TIMING_L2_CACHE_H
