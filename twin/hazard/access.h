// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <unordered_map>
#include <vector>

#include "core/instruction.h"
#include "hazard/clocks.h"

namespace twin::hazard {

inline bool Is(const char* text, const char* word) { return std::strcmp(text, word) == 0; }

/// A call in the source that accesses memory: what a finding names.
struct Site {
    Opcode opcode;
    Location where;
    Lane lane;
    bool matmul = false;    ///< a step of the Matmul library
    bool unitFlag = false;  ///< waits for, or sets, the unit flags of L0C
};

/// The sites of one core, numbered.
class Sites {
public:
    uint32_t Number(const Site& site);
    const Site& operator[](uint32_t number) const { return sites_[number]; }
    const std::vector<Site>& All() const { return sites_; }

private:
    struct Key {
        Opcode opcode;
        const char* file;
        uint64_t place;  ///< line and lane
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
    std::array<Recent, 64> recent_;  ///< by hash
};

/// How an atomic copy changes memory; copies of one kind commute.
enum Kind : uint8_t { kPlain = 0 };

/// One instruction's access, as the memory it touched remembers it. There are many: 12 bytes.
struct Access {
    uint32_t index = 0;     ///< on its lane; 0: nobody
    uint32_t sequence = 0;  ///< in program order of the core
    uint32_t site : 20;     ///< no program has so many
    Lane lane : 4;
    uint8_t kind : 8;

    Access() : site(0), lane(kS), kind(kPlain) {}

    bool Exists() const { return index != 0; }
    bool SameInstruction(const Access& other) const {
        return index == other.index && lane == other.lane;
    }
};

}  // namespace twin::hazard
