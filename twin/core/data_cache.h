// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "core/gm.h"
#include "core/types.h"

namespace twin {

class Core;

/// The data cache of a core's scalar unit for global memory. Its lines are 64 aligned bytes of the
/// modelled device memory and are written back as a whole. The cache is not coherent; copies by
/// MTE2 and MTE3 do not use it. It has 32 KiB, as on a vector core. How the hardware maps addresses
/// to lines is not published: the twin assumes four ways, which only affects when a line is
/// evicted.
class DataCache {
public:
    static constexpr uint64_t kLineBytes = 64;

    explicit DataCache(Core& core) : core_(core) {}

    /// Returns the bytes at `address` as the scalar unit reads them. All must lie in one line.
    const uint8_t* Read(const GmRange& range, uintptr_t address, uint64_t bytes);
    void Write(const GmRange& range, uintptr_t address, const void* value, uint64_t bytes);
    /// Removes the line that contains `address`; before that, writes a dirty line back to memory.
    void CleanAndInvalidate(uintptr_t address);
    void CleanAndInvalidateAll();
    bool HasDirty() const { return dirtyLines_ != 0; }
    /// Returns the address of a dirty byte in [address, address + bytes), or 0.
    uintptr_t FindDirty(uintptr_t address, uint64_t bytes) const;
    /// Called when the core signals other cores, which do not see the bytes that are dirty now.
    void NoteRelease();
    /// Returns the address of a byte that was dirty at a signal and is not written back, or 0.
    uintptr_t FirstHeld() const;

private:
    static constexpr uint32_t kSets = 128;
    static constexpr uint32_t kWays = 4;

    struct Line {
        uint64_t begin = 0;         ///< device address; 0: empty
        uint8_t* memory = nullptr;  ///< host address of byte 0 of the line
        bool readOnly = false;      ///< the cache may have a line twice: read-only and writable
        uint8_t first = 0;          ///< bytes from `first` to `last` belong to the allocation
        uint8_t last = 0;
        uint64_t dirty = 0;  ///< bit i: the core has written byte i
        uint64_t held = 0;   ///< bit i: byte i was dirty at the last signal
        uint64_t used = 0;
        uint8_t data[kLineBytes];
        uint8_t loaded[kLineBytes];  ///< bytes of the line when it was loaded
    };

    /// Returns the line. If it is not in the cache, loads it and sets `cameIn` to true.
    Line& Fetch(const GmRange& range, uintptr_t address, bool* cameIn = nullptr);
    void Load(Line& line, const GmRange& range, uintptr_t address);
    void WriteBack(Line& line);
    void Drop(Line& line);
    Line* SetOf(uint64_t begin) const { return &lines_[begin / kLineBytes % kSets * kWays]; }

    Core& core_;
    std::unique_ptr<Line[]> lines_;
    uint64_t clock_ = 0;
    uint32_t dirtyLines_ = 0;
    bool fresh_ = false;  ///< the core has written bytes since the last NoteRelease
};

}  // namespace twin
