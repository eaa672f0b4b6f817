// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_CORE_SETTINGS_H
#define TWIN_CORE_SETTINGS_H

#include <cstdint>
#include <string>

#include "core/export.h"

namespace twin {

/// What the user chose for one launch. Read from the environment on the calling thread when work is
/// enqueued, so that a later change never reaches work that is already in a stream.
struct Settings {
    std::string soc = "Ascend910B2";  ///< CANNERY_SOC
    uint32_t threads = 0;             ///< CANNERY_THREADS; 0: as many as the machine has
    uint64_t coreOrder =
        0;  ///< CANNERY_CORE_ORDER; 0: blocks start in index order, else a shuffle seed
    bool strict = true;           ///< CANNERY_MODE: strict | hardware
    double timeoutSeconds = 5.0;  ///< CANNERY_TIMEOUT_S: longest time without an instruction
    std::string dumpFile;  ///< CANNERY_DUMP: instruction stream, text (.txt) or JSON lines (.jsonl)
    std::string statsFile;  ///< CANNERY_STATS: one JSON line per launch with traffic totals

    /// Throws std::invalid_argument with a sentence that names the variable, what it holds and what
    /// is accepted.
    TWIN_API static Settings FromEnvironment();
};

}  // namespace twin

#endif  // TWIN_CORE_SETTINGS_H
