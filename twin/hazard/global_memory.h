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
    /// Checks GetValue or SetValue, which access a line of the data cache.
    void AccessLine(const CurrentAccess& now, CoreOrder& order, CoreFindings* findings,
                    CoreLogs* logs);
    /// Executes DataCacheCleanAndInvalid of the line with this address; 0: of all lines.
    void Clean(uint64_t line, CoreOrder& order, CoreFindings* findings, CoreLogs* logs);
    /// Writes all lines back, as the toolkit's compiler does at the end of a kernel.
    void End(CoreOrder& order, CoreFindings* findings, CoreLogs* logs);

    // Logs a word that the scalar unit publishes; another core may poll the word until it finds the
    // value.
    static void PublishWord(const CurrentAccess& now, CoreOrder& order, CoreLogs* logs);
    static void PollWord(const CurrentAccess& now, Cached cached, CoreFindings* findings,
                         CoreLogs* logs);

private:
    /// A line of the scalar data cache.
    struct Line {
        uint64_t dirty = 0;      ///< bit i: byte i was changed and not written back
        Access write;            ///< latest write to the line
        uint8_t bytes[64] = {};  ///< bytes that the core has written
        Access overtaken;  ///< copy of this core that changed the line in memory after the load
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
    std::unordered_set<uint64_t>
        cleaned_;  ///< addresses of the lines that the kernel has cleaned by address
    bool allCleaned_ = false;
};

}  // namespace twin::hazard
