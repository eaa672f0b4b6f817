// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <map>
#include <mutex>
#include <string>

#include "host/runtime.h"
#include "opdev/platform.h"
#include "soc/soc.h"

namespace op {
namespace {

/// Set by a test; RESERVED_VERSION means that nobody has set it.
std::atomic<SocVersion>& Chosen() {
    static std::atomic<SocVersion> chosen{SocVersion::RESERVED_VERSION};
    return chosen;
}

}  // namespace

SocVersion PlatformInfo::GetSocVersion() const {
    const SocVersion chosen = Chosen();
    if (chosen != SocVersion::RESERVED_VERSION) {
        return chosen;
    }
    const std::string family = twin::host::CurrentSoc().shortName;
    return family == "ascend910b" ? SocVersion::ASCEND910B : SocVersion::ASCEND910_93;
}

const std::string& PlatformInfo::GetSocLongVersion() const {
    static std::mutex mutex;
    static auto* const names = new std::map<const twin::SocInfo*, std::string>;
    const twin::SocInfo& soc = twin::host::CurrentSoc();
    const std::lock_guard<std::mutex> lock(mutex);
    return names->emplace(&soc, soc.name).first->second;
}

bool PlatformInfo::CheckSupport(SocSpec socSpec, SocSpecAbility ability) const {
    // A2 and A3 have every form in the enumeration.
    return socSpec == SocSpec::INST_MMAD && ability >= SocSpecAbility::INST_MMAD_F162F16 &&
           ability <= SocSpecAbility::INST_MMAD_F16U2;
}

uint32_t PlatformInfo::GetCubeCoreNum() const { return twin::host::CurrentSoc().aicCores; }

uint32_t PlatformInfo::GetVectorCoreNum() const { return twin::host::CurrentSoc().aivCores; }

fe::PlatFormInfos* PlatformInfo::GetPlatformInfos() const {
    static std::mutex mutex;
    static auto* const all = new std::map<const twin::SocInfo*, fe::PlatFormInfos*>;
    const twin::SocInfo& soc = twin::host::CurrentSoc();
    const std::lock_guard<std::mutex> lock(mutex);
    fe::PlatFormInfos*& infos = (*all)[&soc];
    infos = infos == nullptr ? new fe::PlatFormInfos(soc) : infos;
    return infos;
}

const PlatformInfo& GetCurrentPlatformInfo() {
    static const auto* const platform = new PlatformInfo(0);
    return *platform;
}

void SetPlatformSocVersion(SocVersion socVersion) { Chosen() = socVersion; }

ge::AscendString ToString(SocVersion socVersion) {
    static const char* const names[] = {
        "Ascend910", "Ascend910B", "Ascend910_93", "Ascend910_95", "Ascend910E",
        "Ascend310", "Ascend310P", "Ascend310B",   "Ascend310C",   "Ascend610Lite"};
    const auto number = static_cast<size_t>(socVersion);
    return number < sizeof(names) / sizeof(*names) ? names[number] : "UNKNOWN_SOC_VERSION";
}

}  // namespace op
