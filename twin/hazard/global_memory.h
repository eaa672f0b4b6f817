// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "hazard/core_findings.h"
#include "hazard/core_log.h"
#include "hazard/core_order.h"
#include "hazard/history.h"
#include "hazard/shadow.h"

namespace twin::hazard {

/// Checks the accesses of one core to global memory, follows the lines of its scalar data cache,
/// and logs what the replay compares with other cores.
class GlobalMemory {
public:
    void Read(const CurrentAccess& now, CoreOrder& order, CoreFindings* findings);
    void Write(const CurrentAccess& now, CoreOrder& order, CoreFindings* findings);
    /// GetValue and SetValue access a line of the data cache.
    void AccessLine(const CurrentAccess& now, CoreOrder& order, CoreFindings* findings,
                    CoreLogs* logs);
    /// DataCacheCleanAndInvalid of the line with this address, or of all lines for 0.
    void Clean(uint64_t line, CoreOrder& order, CoreFindings* findings, CoreLogs* logs);
    /// The kernel returns; the toolkit's compiler ends it with a write-back of all lines.
    void End(CoreOrder& order, CoreFindings* findings, CoreLogs* logs);

    // One core publishes a word by its scalar unit, another one polls until it finds the value.
    static void PublishWord(const CurrentAccess& now, CoreOrder& order, CoreLogs* logs);
    static void PollWord(const CurrentAccess& now, Cached cached, CoreFindings* findings,
                         CoreLogs* logs);

private:
    /// A line of the scalar data cache.
    struct Line {
        uint64_t dirty = 0;      ///< bit i: byte i was written and not written back
        Access write;            ///< the latest write
        uint8_t bytes[64] = {};  ///< what was written
        Access overtaken;        ///< a copy of this core that changed the memory after the load
        uint64_t overtakenBits = 0;
    };

    void CheckDirty(const CurrentAccess& now, CoreFindings* findings) const;
    void Overtake(const CurrentAccess& now);
    void WriteBack(uint64_t begin, Line* line, bool late, CoreOrder& order, CoreFindings* findings,
                   CoreLogs* logs);
    static void CheckLost(uint64_t begin, const Line& line, CoreFindings* findings);
    std::vector<uint64_t> LineNumbers() const;

    History<Cell> history_;
    std::unordered_map<uint64_t, Line> lines_;
    uint32_t dirtyLines_ = 0;
    std::unordered_set<uint64_t> cleaned_;  ///< lines that DataCacheCleanAndInvalid has named
    bool allCleaned_ = false;
};

}  // namespace twin::hazard
