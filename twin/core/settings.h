// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "core/types.h"

namespace twin {

/// The order that the hazard checker assumes. Explicit: only the order by hardware and kernel code.
/// AutoSync: also the order that the toolkit's compiler adds on vector cores. Off: no check.
enum class Hazards : uint8_t { Off, AutoSync, Explicit };

/// The user's settings for one launch. They are read from the environment when the launch is
/// enqueued, so a later change never affects a launch that is already in a stream.
struct Settings {
    std::string soc = "Ascend910B2";  ///< CANNERY_SOC: name of the SoC
    uint32_t threads = 0;             ///< CANNERY_THREADS; 0: one per processor of the machine
    uint64_t coreOrder = 0;  ///< CANNERY_CORE_ORDER; 0: blocks start by index; else a random seed
    bool strict = true;      ///< CANNERY_MODE is strict or pedantic, not hardware
    bool pedantic = false;   ///< CANNERY_MODE is pedantic: strict, and rejects code that may work
    double timeoutSeconds = 5.0;  ///< CANNERY_TIMEOUT_S: longest time without an instruction
    std::string dumpFile;  ///< CANNERY_DUMP: instruction stream, text (.txt) or JSON lines (.jsonl)
    int32_t dumpValues = -1;  ///< CANNERY_DUMP_VALUES: elements to write per operand; -1: no values
    Hazards hazards = Hazards::Off;  ///< CANNERY_HAZARDS: off | auto-sync | explicit
    std::string profileFile;         ///< file for the profile, set by twinProfile; empty: none
    bool profileWarm = false;
    uint32_t profileWithout = 0;  ///< bits of timing::Startup: terms that take no time
    uint64_t profileMost = 0;     ///< largest number of instructions whose times a profile keeps
    std::string statsFile;        ///< CANNERY_STATS: one JSON line per launch with traffic totals

    std::string ubMapFile;  ///< CANNERY_UB_MAP: one JSON line per launch with the buffers in memory

    std::string coverageFile;  ///< CANNERY_COVERAGE: gets a JSON line about each launch

    /// Returns a copy of the settings without dump, statistics, memory map and coverage.
    TWIN_API Settings Unrecorded() const;
    /// Reads the settings. Throws std::invalid_argument with a text that names the variable, its
    /// value and the accepted values.
    TWIN_API static Settings FromEnvironment();
};

}  // namespace twin
