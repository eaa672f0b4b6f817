// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_CORE_CROSS_CORE_H
#define TWIN_CORE_CROSS_CORE_H

#include <cstdint>
#include <vector>

namespace twin {

/// Counters of CrossCoreSetFlag in mode 0, where all cores of one kind take part: a flag can be
/// waited for once every core has set it.
class CrossCoreFlags {
public:
    static constexpr uint32_t kFlags = 16;
    static constexpr uint32_t kMaxPending = 15;  ///< the hardware counter has four bits

    void Resize(uint32_t cores) {
        for (auto& flag : sets_) {
            flag.assign(cores, 0);
        }
    }
    void Set(uint32_t flag, uint32_t core) { ++sets_[flag][core]; }
    uint32_t Sets(uint32_t flag, uint32_t core) const { return sets_[flag][core]; }
    /// How often every core has set the flag.
    uint32_t Complete(uint32_t flag) const {
        uint32_t least = UINT32_MAX;
        for (const uint32_t count : sets_[flag]) {
            least = count < least ? count : least;
        }
        return least;
    }

private:
    std::vector<uint32_t> sets_[kFlags];
};

}  // namespace twin

#endif  // TWIN_CORE_CROSS_CORE_H
