// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "core/gm.h"
#include "core/types.h"

namespace twin {

class Core;

/// A core's scalar data cache in front of global memory. Its lines have 64 bytes and are written
/// back as a whole. Nothing keeps them coherent; copies by MTE2 and MTE3 do not read the cache.
/// Lines are those of the modelled device addresses. Size of a vector core's cache: 32 KiB. The
/// mapping of addresses to lines is not published; the twin assumes four ways, which only decides
/// when a line is evicted.
class DataCache {
public:
    static constexpr uint64_t kLineBytes = 64;

    explicit DataCache(Core& core) : core_(core) {}

    /// Returns the bytes at `address`, inside one line of `range`, as the scalar unit sees them.
    const uint8_t* Read(const GmRange& range, uintptr_t address, uint64_t bytes);
    void Write(const GmRange& range, uintptr_t address, const void* value, uint64_t bytes);
    /// Writes the line that holds `address` back if it is dirty, and drops it.
    void CleanAndInvalidate(uintptr_t address);
    void CleanAndInvalidateAll();
    bool HasDirty() const { return dirtyLines_ != 0; }
    /// Returns the address of a dirty byte in [address, address + bytes), or 0.
    uintptr_t FindDirty(uintptr_t address, uint64_t bytes) const;
    /// Notes that the core tells other cores to go on: bytes that are dirty now are withheld from
    /// them.
    void NoteRelease();
    /// Returns the address of a withheld byte, or 0.
    uintptr_t FirstHeld() const;

private:
    static constexpr uint32_t kSets = 128;
    static constexpr uint32_t kWays = 4;

    struct Line {
        uint64_t begin = 0;         ///< device address; 0: empty
        uint8_t* memory = nullptr;  ///< place of byte 0 of the line in memory
        bool readOnly = false;      ///< the cache may hold one line of memory as both kinds
        uint8_t first = 0;          ///< bytes of the line that belong to the allocation
        uint8_t last = 0;
        uint64_t dirty = 0;  ///< bit i: the core has written byte i
        uint64_t held = 0;   ///< bytes that were dirty at a release
        uint64_t used = 0;
        uint8_t data[kLineBytes];
        uint8_t loaded[kLineBytes];  ///< memory contents when the line was loaded
    };

    /// Returns the line, and loads it if necessary; sets `cameIn` if the line was not in the cache.
    Line& Fetch(const GmRange& range, uintptr_t address, bool* cameIn = nullptr);
    void Load(Line& line, const GmRange& range, uintptr_t address);
    void WriteBack(Line& line);
    void Drop(Line& line);
    Line* SetOf(uint64_t begin) const { return &lines_[begin / kLineBytes % kSets * kWays]; }

    Core& core_;
    std::unique_ptr<Line[]> lines_;
    uint64_t clock_ = 0;
    uint32_t dirtyLines_ = 0;
    bool fresh_ = false;  ///< the core has written something since the last release
};

}  // namespace twin
