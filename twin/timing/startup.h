// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <unordered_set>

#include "core/types.h"
#include "timing/event_queue.h"

namespace twin::timing {

/// What takes time before a core computes. A profile shows the time of each term, and can leave out
/// each term. python/cannery/profiling/startup.py has the names in this order.
enum class Startup : uint8_t {
    Launch,  ///< the scheduler begins the launch, and learns its end
    Blocks,  ///< blocks begin one after another
    Core,    ///< hardware and registers of a core, and the addresses of the arguments
    Mix,     ///< cores of both kinds begin
    Code,    ///< the kernel's code comes into the instruction cache
    Tiling,  ///< the scalar unit reads the tiling data
    Pipe,    ///< TPipe and its buffers
    Pages,   ///< first accesses to GM: addresses of pages are translated
    Matmul,  ///< the scalar unit prepares a Matmul object
    None,    ///< no start: the work itself
};
constexpr uint32_t kStartups = static_cast<uint32_t>(Startup::None);

using StartupTimes = std::array<Ticks, kStartups>;

/// What the start of one launch costs, by term.
class StartupCosts {
public:
    /// `aicCores` and `aivCores` are the numbers of cores that begin together. Bit i of `without`
    /// leaves out term i. `warm`: L2 contains the kernel's code, its tiling data and the page
    /// table.
    StartupCosts(uint32_t without, bool warm, uint32_t aicCores, uint32_t aivCores);

    bool Has(Startup term) const { return (without_ >> static_cast<uint32_t>(term) & 1) == 0; }
    /// Returns `ticks`, or 0 if the term is left out.
    Ticks Of(Startup term, Ticks ticks) const { return Has(term) ? ticks : 0; }
    /// Returns the time from the request of a unit of code until the core has it.
    Ticks codeWait(CoreKind kind) const { return wait_[static_cast<uint32_t>(kind)]; }
    /// Returns the part of codeWait() in which the unit goes to all cores, one after another.
    Ticks codeTurn(CoreKind kind) const { return turn_[static_cast<uint32_t>(kind)]; }
    /// Returns the time that the first access of a core to a page waits for its translation.
    Ticks page() const { return page_; }
    /// Returns the additional time of the first load or store of a core.
    Ticks firstAccess(CoreKind kind, bool store) const {
        return store ? firstStore_ : firstLoad_[static_cast<uint32_t>(kind)];
    }

private:
    uint32_t without_;
    Ticks wait_[2] = {};
    Ticks turn_[2] = {};
    Ticks page_ = 0;
    Ticks firstLoad_[2] = {};
    Ticks firstStore_ = 0;
};

/// The code of a kernel that a core has in its instruction cache. Code comes in units of 2 KiB, in
/// the order in which the core first executes it.
class CodeCache {
public:
    /// Executes `bytes` of new code at `now`; returns the time at which the core has the code.
    Ticks Execute(uint64_t bytes, Ticks now, Ticks wait);
    /// Requests the next `units` units at `now` without waiting for them (ICachePreLoad).
    void Preload(uint64_t units, Ticks now, Ticks wait, Ticks turn);

private:
    uint64_t bytes_ = 0;      ///< bytes of the code that the core has executed
    uint64_t loaded_ = 0;     ///< number of units in the cache
    uint64_t requested_ = 0;  ///< number of units that a preload has requested
    Ticks first_ = 0;         ///< time at which the first unit of the preload arrives
    Ticks turn_ = 0;          ///< time between two units of the preload
    uint64_t firstUnit_ = 0;
};

/// The pages whose translation a core knows.
class Pages {
public:
    /// Notes the use of `address`; returns true if the page is new.
    bool IsNew(uint64_t address) {
        const uint64_t page = address / kPageBytes + 1;
        return page != last_ && (last_ = page, known_.insert(page).second);
    }

private:
    static constexpr uint64_t kPageBytes = 2U << 20;
    uint64_t last_ = 0;  ///< number of the latest page, plus 1
    std::unordered_set<uint64_t> known_;
};

}  // namespace twin::timing
