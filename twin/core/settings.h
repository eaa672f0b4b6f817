// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "core/types.h"

namespace twin {

/// Says which order on a vector core the hazard checker assumes: none, or the order that the
/// toolkit's compiler inserts.
enum class Hazards : uint8_t { Off, AutoSync, Explicit };

/// The user's settings for one launch. They are read from the environment on the calling thread
/// when work is enqueued, so a later change never affects work that is already in a stream.
struct Settings {
    std::string soc = "Ascend910B2";  ///< CANNERY_SOC
    uint32_t threads = 0;             ///< CANNERY_THREADS; 0: one per processor of the machine
    uint64_t coreOrder = 0;  ///< CANNERY_CORE_ORDER; 0: blocks start by index; else a shuffle seed
    bool strict = true;      ///< CANNERY_MODE: strict | hardware | pedantic
    bool pedantic = false;  ///< CANNERY_MODE is pedantic: strict, and errors for uses that may work
    double timeoutSeconds = 5.0;  ///< CANNERY_TIMEOUT_S: longest time without an instruction
    std::string dumpFile;  ///< CANNERY_DUMP: instruction stream, text (.txt) or JSON lines (.jsonl)
    int32_t dumpValues = -1;  ///< CANNERY_DUMP_VALUES: first elements of every operand; -1: nothing
    Hazards hazards = Hazards::Off;  ///< CANNERY_HAZARDS: off | auto-sync | explicit
    std::string profileFile;         ///< set by twinProfile of the thread that enqueues
    bool profileWarm = false;
    std::string statsFile;  ///< CANNERY_STATS: one JSON line per launch with traffic totals

    std::string ubMapFile;  ///< CANNERY_UB_MAP: one JSON line per launch with the owners of memory

    /// Returns the settings without those that write files.
    TWIN_API Settings Unrecorded() const;
    /// Reads the settings. Throws std::invalid_argument with a sentence that names the variable,
    /// its value and the accepted values.
    TWIN_API static Settings FromEnvironment();
};

}  // namespace twin
