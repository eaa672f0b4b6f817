// SPDX-License-Identifier: Apache-2.0
#include "core/settings.h"

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "core/setting_names.h"
#include "soc/soc.h"

namespace twin {
namespace {

/// The arguments of this thread's last twinProfile call; `file` is empty if nothing is profiled.
struct ProfileRequest {
    std::string file;
    bool warm = false;
    uint32_t without = 0;
    uint64_t most = 0;
};
thread_local ProfileRequest tProfile;

const char* Env(const char* name) {
    const char* text = std::getenv(name);
    return text != nullptr && text[0] != '\0' ? text : nullptr;
}

std::string Text(const char* name) {
    const char* const text = Env(name);
    return text == nullptr ? "" : text;
}

[[noreturn]] void Refuse(const char* name, const char* given, const std::string& expected) {
    throw std::invalid_argument(std::string(name) + "=" + given + ": expected " + expected);
}

uint64_t Unsigned(const char* name, uint64_t fallback, uint64_t limit) {
    const char* text = Env(name);
    if (text == nullptr) {
        return fallback;
    }
    char* end = nullptr;
    errno = 0;
    const unsigned long long value = std::strtoull(text, &end, 10);
    if (errno != 0 || *end != '\0' || text[0] == '-' || value > limit) {
        Refuse(name, text, "a whole number from 0 to " + std::to_string(limit));
    }
    return value;
}

double Seconds(const char* name, double fallback) {
    const char* text = Env(name);
    if (text == nullptr) {
        return fallback;
    }
    char* end = nullptr;
    const double value = std::strtod(text, &end);
    if (*end != '\0' || !std::isfinite(value) || value < 0.05 || value > 86400.0) {
        Refuse(name, text, "seconds from 0.05 to 86400");
    }
    return value;
}

Hazards HazardLevel(const char* given) {
    const std::string text = given;
    if (text == "off") {
        return Hazards::Off;
    }
    if (text != "auto-sync" && text != "explicit") {
        Refuse("CANNERY_HAZARDS", given, "off, auto-sync or explicit");
    }
    return text == "explicit" ? Hazards::Explicit : Hazards::AutoSync;
}

/// Checks CANNERY_ISA, which only tests set. When the library is loaded, device/lanes/select.cpp
/// reads this variable.
void CheckInstructionSet() {
    if (const char* isa = Env("CANNERY_ISA")) {
        const std::string text = isa;
        if (text != "baseline" && text != "x86-64-v3" && text != "x86-64-v4") {
            Refuse("CANNERY_ISA", isa, "baseline, x86-64-v3 or x86-64-v4");
        }
    }
}

/// Prints warnings to stderr: programs in C++ have no other place for them. In Python, cannery has
/// called twinUnknownSettings before, so nothing is left to print.
void WarnOfUnknown() {
    const std::string text = UnknownSettings();
    if (!text.empty()) {
        std::fprintf(stderr, "cannery: %s\n", text.c_str());
    }
}

}  // namespace

Settings Settings::Unrecorded() const {
    Settings silent = *this;
    silent.dumpFile.clear();
    silent.statsFile.clear();
    silent.ubMapFile.clear();
    silent.coverageFile.clear();
    return silent;
}

Settings Settings::FromEnvironment() {
    WarnOfUnknown();
    CheckInstructionSet();
    Settings settings;
    if (const char* soc = Env("CANNERY_SOC")) {
        if (FindSoc(soc) == nullptr) {
            std::string known;
            for (size_t i = 0; i < SocCount(); ++i) {
                known += (i == 0 ? "" : ", ") + std::string(SocAt(i).name);
            }
            Refuse("CANNERY_SOC", soc, "one of " + known);
        }
        settings.soc = soc;
    }
    settings.threads = static_cast<uint32_t>(Unsigned("CANNERY_THREADS", 0, 1024));
    settings.coreOrder = Unsigned("CANNERY_CORE_ORDER", 0, UINT64_MAX);
    if (const char* mode = Env("CANNERY_MODE")) {
        const std::string text = mode;
        if (text != "strict" && text != "hardware" && text != "pedantic") {
            Refuse("CANNERY_MODE", mode, "strict, hardware or pedantic");
        }
        settings.strict = text != "hardware";
        settings.pedantic = text == "pedantic";
    }
    if (const char* hazards = Env("CANNERY_HAZARDS")) {
        settings.hazards = HazardLevel(hazards);
    }
    settings.timeoutSeconds = Seconds("CANNERY_TIMEOUT_S", settings.timeoutSeconds);
    settings.dumpFile = Text("CANNERY_DUMP");
    if (Env("CANNERY_DUMP_VALUES") != nullptr) {
        settings.dumpValues = static_cast<int32_t>(Unsigned("CANNERY_DUMP_VALUES", 0, 4096));
    }
    settings.statsFile = Text("CANNERY_STATS");
    settings.ubMapFile = Text("CANNERY_UB_MAP");
    settings.coverageFile = Text("CANNERY_COVERAGE");
    settings.profileFile = tProfile.file;
    settings.profileWarm = tProfile.warm;
    settings.profileWithout = tProfile.without;
    settings.profileMost = tProfile.most;
    return settings;
}

}  // namespace twin

extern "C" {

/// Makes the timing model append all launches that this thread enqueues from now on to `file`;
/// nullptr ends this. If `warm`, the L2 cache contains the arguments when a launch begins. The bits
/// of `without` are terms of the start that take no time (timing/startup.h). The file gets the
/// times of at most `most` instructions per launch, and sums over all instructions. Python calls
/// this function. No header declares it, because kernels must not see it.
TWIN_API void twinProfile(const char* file, bool warm, uint32_t without, uint64_t most) {
    twin::tProfile = {file == nullptr ? "" : file, warm, without, most};
}

}  // extern "C"
