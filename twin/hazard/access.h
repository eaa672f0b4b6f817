// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/instruction.h"
#include "hazard/clocks.h"

namespace twin::hazard {

/// A call in the source that accesses memory; findings name it.
struct Site {
    Opcode opcode;
    Location where;
    Lane lane;
    bool matmul = false;    ///< the call is a step of the Matmul library
    bool unitFlag = false;  ///< the call waits for, or sets, the unit flags of L0C
};

/// Numbers the sites of one core.
class Sites {
public:
    uint32_t Number(const Site& site) {
        const Key key{site.opcode, site.where.file,
                      uint64_t{site.where.line} << 8 | static_cast<uint64_t>(site.lane) << 2 |
                          (site.matmul ? 2U : 0U) | (site.unitFlag ? 1U : 0U)};
        Recent& recent = recent_[Hash()(key) >> 58U];
        if (recent.number == UINT32_MAX || !(recent.key == key)) {
            const auto entry = numbers_.emplace(key, static_cast<uint32_t>(sites_.size()));
            if (entry.second) {
                sites_.push_back(site);
            }
            recent = {key, entry.first->second};
        }
        return recent.number;
    }
    const Site& operator[](uint32_t number) const { return sites_[number]; }
    const std::vector<Site>& All() const { return sites_; }

private:
    struct Key {
        Opcode opcode;
        const char* file;
        uint64_t place;  ///< the site's line and lane
        bool operator==(const Key& other) const {
            return opcode == other.opcode && file == other.file && place == other.place;
        }
    };
    struct Hash {
        size_t operator()(const Key& key) const {
            const auto mix = static_cast<uint64_t>(key.opcode) * 31 +
                             reinterpret_cast<uintptr_t>(key.file) * 17 + key.place;
            return mix * 0x9E3779B97F4A7C15ULL;
        }
    };

    struct Recent {
        Key key = {};
        uint32_t number = UINT32_MAX;
    };

    std::unordered_map<Key, uint32_t, Hash> numbers_;
    std::vector<Site> sites_;
    std::array<Recent, 64> recent_;  ///< the latest sites, by the hash of their place
};

/// The kind of an access that is no atomic copy. Two atomic copies of one kind commute.
constexpr uint8_t kPlain = 0;

/// One instruction's access, as the history of a memory keeps it. It has 12 bytes, because a
/// history has many.
struct Access {
    uint32_t index = 0;     ///< number of the instruction on its lane; 0: no access
    uint32_t sequence = 0;  ///< number of the instruction in the core's program order
    uint32_t site : 20;     ///< number of the site
    Lane lane : 4;
    uint8_t kind : 8;

    Access() : site(0), lane(kS), kind(kPlain) {}

    bool Exists() const { return index != 0; }
    bool SameInstruction(const Access& other) const {
        return index == other.index && lane == other.lane;
    }
};

/// An operand that the instruction which a core issues now accesses.
struct CurrentAccess {
    const Instruction& instruction;
    const ByteRange& range;
    Access access;
};

/// Calls visit(begin, end) for each run of bytes of the range.
template <typename Visit>
void EachRun(const ByteRange& range, Visit&& visit) {
    const Runs& runs = range.runs;
    for (uint64_t repeat = 0; repeat < runs.repeat.count; ++repeat) {
        for (uint64_t block = 0; block < runs.block.count; ++block) {
            const uint64_t begin =
                range.begin + repeat * runs.repeat.stride + block * runs.block.stride;
            visit(begin, begin + runs.bytes);
        }
    }
}

}  // namespace twin::hazard
