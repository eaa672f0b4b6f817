// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/instruction.h"
#include "hazard/clocks.h"

namespace twin::hazard {

/// A call in the kernel's source that accesses memory. Messages about hazards name this call.
struct Site {
    Opcode opcode;
    Location where;
    Lane lane;
    bool matmul = false;    ///< the instruction belongs to the Matmul library
    bool unitFlag = false;  ///< the call waits for, or sets, the unit flags of L0C
    uint32_t first = 0;     ///< the call's first instruction: its number in the core's program
};

/// Assigns a number to each site (call that accesses memory) of one core.
class Sites {
public:
    /// Returns the number of the site. All fields identify a site, except `first`.
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
        uint64_t place;  ///< line, lane (instruction stream) and flags of the site, in one number
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
    std::array<Recent, 64> recent_;  ///< cache of the latest sites, indexed by the hash of the key
};

/// Value of Access::kind for non-atomic accesses. Atomic copies of equal kind may run in any order.
constexpr uint8_t kPlain = 0;

/// An access in an access history. Has only 12 bytes, because a history has many accesses.
struct Access {
    uint32_t index = 0;     ///< number among the instructions of `lane`, from 1; 0: no access
    uint32_t sequence = 0;  ///< number of the instruction in the core's program order
    uint32_t site : 20;     ///< number of the source call (Sites)
    Lane lane : 4;
    uint8_t kind : 8;

    Access() : site(0), lane(kS), kind(kPlain) {}

    bool Exists() const { return index != 0; }
    bool SameInstruction(const Access& other) const {
        return index == other.index && lane == other.lane;
    }
};

/// An access to one operand of the instruction that is being checked.
struct CurrentAccess {
    const Instruction& instruction;
    const ByteRange& range;
    Access access;
};

}  // namespace twin::hazard
