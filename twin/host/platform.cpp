// SPDX-License-Identifier: Apache-2.0
#include "opdev/platform.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <iterator>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "host/op_call.h"
#include "host/runtime.h"
#include "platform/platform_info.h"
#include "soc/soc.h"
#include "tiling/platform/platform_ascendc.h"

namespace fe {

namespace {

/// Returns the AICoreSpec key of a memory's size; returns "" if AICoreSpec does not have the size.
const char* SizeKey(LocalMemType memType) {
    static const char* const kKeys[] = {"l0_a_size", "l0_b_size", "l0_c_size", "l1_size", "",
                                        "ub_size",   "",          "fb_size",   "bt_size"};
    const auto number = static_cast<size_t>(memType);
    return number < std::size(kKeys) ? kKeys[number] : "";
}

PlatFormInfos::Entries EntriesOf(const twin::SocInfo& soc) {
    return {
        {"version/SoC_version", soc.name},
        {"version/Short_SoC_version",
         std::string(soc.shortName) == "ascend910b" ? "Ascend910B" : "Ascend910_93"},
        {"version/NpuArch", "2201"},
        {"SoCInfo/ai_core_cnt", std::to_string(soc.aicCores)},
        {"SoCInfo/cube_core_cnt", std::to_string(soc.aicCores)},
        {"SoCInfo/vector_core_cnt", std::to_string(soc.aivCores)},
        {"SoCInfo/l2_size", std::to_string(soc.l2Bytes)},
        {"SoCInfo/memory_size", std::to_string(soc.hbmBytes)},
        {"AICoreSpec/cube_freq", std::to_string(soc.cubeMHz)},
        {"AICoreSpec/ub_size", std::to_string(soc.ubBytes)},
        {"AICoreSpec/l1_size", std::to_string(soc.l1Bytes)},
        {"AICoreSpec/l0_a_size", std::to_string(soc.l0aBytes)},
        {"AICoreSpec/l0_b_size", std::to_string(soc.l0bBytes)},
        {"AICoreSpec/l0_c_size", std::to_string(soc.l0cBytes)},
        {"AICoreSpec/bt_size", std::to_string(soc.btBytes)},
        {"AICoreSpec/fb_size", std::to_string(soc.fb0Bytes)},
        {"AICoreMemoryRates/ddr_rate", std::to_string(soc.hbmRate)},
        {"AICoreMemoryRates/l2_rate", std::to_string(soc.l2Rate)},
    };
}

}  // namespace

PlatFormInfos::PlatFormInfos(const twin::SocInfo& soc) : soc_(&soc) {}

bool PlatFormInfos::Init() {
    given_ = std::make_shared<std::map<std::string, Entries>>();
    return true;
}

void PlatFormInfos::SetPlatformRes(const std::string& label, const Entries& entries) {
    if (given_ == nullptr) {
        Init();
    }
    (*given_)[label] = entries;
}

void PlatFormInfos::SetCoreNumByCoreType(const std::string& coreType) {
    coreNum_ = static_cast<uint32_t>(
        Number("SoCInfo", coreType == "VectorCore" ? "vector_core_cnt" : "ai_core_cnt"));
}

uint64_t PlatFormInfos::Number(const std::string& label, const std::string& key) const {
    std::string text;
    return GetPlatformRes(label, key, text) ? std::strtoull(text.c_str(), nullptr, 10) : 0;
}

uint32_t PlatFormInfos::GetCoreNum() const {
    return coreNum_ != 0 ? coreNum_ : static_cast<uint32_t>(Number("SoCInfo", "ai_core_cnt"));
}

uint32_t PlatFormInfos::GetCoreNumByType(const std::string& coreType) const {
    const uint64_t aiCores = Number("SoCInfo", "ai_core_cnt");
    if (coreType == "AiCore") {
        return static_cast<uint32_t>(aiCores);
    }
    const uint64_t vectorCores = Number("SoCInfo", "vector_core_cnt");
    // If a unit test sets only ai_core_cnt, this is also the number of vector cores.
    return coreType == "VectorCore"
               ? static_cast<uint32_t>(vectorCores != 0 ? vectorCores : aiCores)
               : 0;
}

void PlatFormInfos::GetLocalMemSize(const LocalMemType& memType, uint64_t& size) const {
    if (memType == LocalMemType::L2 || memType == LocalMemType::HBM) {
        size = Number("SoCInfo", memType == LocalMemType::L2 ? "l2_size" : "memory_size");
        return;
    }
    size = Number("AICoreSpec", SizeKey(memType));
}

void PlatFormInfos::GetLocalMemBw(const LocalMemType& memType, uint64_t& bytesPerCycle) const {
    const bool known = memType == LocalMemType::L2 || memType == LocalMemType::HBM;
    bytesPerCycle =
        known ? Number("AICoreMemoryRates", memType == LocalMemType::L2 ? "l2_rate" : "ddr_rate")
              : 0;
}

bool PlatFormInfos::GetPlatformRes(const std::string& label, const std::string& key,
                                   std::string& value) const {
    if (given_ != nullptr) {
        const auto section = given_->find(label);
        if (section != given_->end()) {
            const auto entry = section->second.find(key);
            if (entry != section->second.end()) {
                value = entry->second;
                return true;
            }
        }
    }
    if (soc_ == nullptr) {
        return false;
    }
    const Entries entries = EntriesOf(*soc_);
    const auto found = entries.find(label + "/" + key);
    if (found == entries.end()) {
        return false;
    }
    value = found->second;
    return true;
}

bool PlatFormInfos::GetPlatformRes(const std::string& label, Entries& entries) const {
    if (given_ == nullptr || given_->count(label) == 0) {
        return false;
    }
    entries = given_->at(label);
    return true;
}

PlatformInfoManager& PlatformInfoManager::Instance() {
    static PlatformInfoManager* const instance = new PlatformInfoManager;
    return *instance;
}

PlatformInfoManager& PlatformInfoManager::GeInstance() {
    static PlatformInfoManager* const instance = new PlatformInfoManager;
    return *instance;
}

uint32_t PlatformInfoManager::GetPlatformInfo(const std::string& socVersion, PlatformInfo& platform,
                                              OptionalInfo& optional) const {
    const auto found = platform_info_map_.find(socVersion);
    if (found == platform_info_map_.end()) {
        return 1;
    }
    platform = found->second;
    optional = optional_;
    return 0;
}

uint32_t PlatformInfoManager::GetPlatformInfoWithOutSocVersion(PlatFormInfos& platform,
                                                               OptionalInfos& optional) const {
    const auto found = platform_infos_map_.find(optionals_.GetSocVersion());
    if (found == platform_infos_map_.end()) {
        return 1;
    }
    platform = found->second;
    optional = optionals_;
    return 0;
}

}  // namespace fe

namespace platform_ascendc {
namespace {

// On A2 and A3, the system reserves the last bytes of UB and of L1.
constexpr uint64_t kReservedBytes = 256;
constexpr uint32_t kMiB = 1024 * 1024;

}  // namespace

uint32_t PlatformAscendC::GetCoreNum() const { return platformInfo_->GetCoreNum(); }

uint32_t PlatformAscendC::GetCoreNumAic() const {
    return platformInfo_->GetCoreNumByType("AiCore");
}

uint32_t PlatformAscendC::GetCoreNumAiv() const {
    return platformInfo_->GetCoreNumByType("VectorCore");
}

uint32_t PlatformAscendC::GetCoreNumVector() const { return 0; }

uint32_t PlatformAscendC::CalcTschBlockDim(uint32_t sliceNum, uint32_t aicCoreNum,
                                           uint32_t aivCoreNum) const {
    if (aicCoreNum == 0 || aivCoreNum == 0 || aicCoreNum > aivCoreNum) {
        return sliceNum;
    }
    const uint32_t ratio = aivCoreNum / aicCoreNum;
    const uint32_t blocks = sliceNum / ratio + (sliceNum % ratio != 0 ? 1 : 0);
    if (ratio == 2 && blocks > aicCoreNum) {
        twin::host::SetRecentError(
            "CalcTschBlockDim: %u slices need %u blocks, but the chip has %u cube cores; slice "
            "less finely",
            sliceNum, blocks, aicCoreNum);
        return 0;
    }
    return blocks;
}

uint32_t PlatformAscendC::GetLibApiWorkSpaceSize() const { return 16 * kMiB; }

uint32_t PlatformAscendC::GetResCubeGroupWorkSpaceSize() const { return kMiB; }

uint32_t PlatformAscendC::GetResGroupBarrierWorkSpaceSize() const { return kMiB; }

void PlatformAscendC::GetCoreMemSize(const CoreMemType& memType, uint64_t& size) const {
    platformInfo_->GetLocalMemSize(memType, size);
    const bool shared = memType == CoreMemType::UB || memType == CoreMemType::L1;
    if (shared && GetSocVersion() == SocVersion::ASCEND910B && size >= kReservedBytes) {
        size -= kReservedBytes;
    }
    if (memType == CoreMemType::UB) {
        size -= std::min<uint64_t>(size, reservedBytes_);
    }
}

void PlatformAscendC::ReserveLocalMemory(ReservedSize size) {
    constexpr uint32_t k8KiB = 8 * 1024;
    reservedBytes_ = k8KiB << static_cast<uint32_t>(size);
}

void PlatformAscendC::GetCoreMemBw(const CoreMemType& memType, uint64_t& bytesPerCycle) const {
    platformInfo_->GetLocalMemBw(memType, bytesPerCycle);
}

SocVersion PlatformAscendC::GetSocVersion() const {
    const std::pair<const char*, SocVersion> known[] = {
        {"Ascend910B", SocVersion::ASCEND910B}, {"Ascend910_93", SocVersion::ASCEND910B},
        {"Ascend910", SocVersion::ASCEND910},   {"Ascend310P", SocVersion::ASCEND310P},
        {"Ascend310B", SocVersion::ASCEND310B}, {"Ascend910_95", SocVersion::ASCEND910_95},
        {"Ascend950", SocVersion::ASCEND950},   {"Ascend910_55", SocVersion::ASCEND910_55},
    };
    std::string version;
    const bool given = platformInfo_->GetPlatformRes("version", "Short_SoC_version", version);
    if (given && version.empty()) {
        // Test helpers of public repositories get the name from a build macro. Without this macro,
        // the name is empty.
        return SocVersion::ASCEND910B;
    }
    for (const auto& [name, number] : known) {
        if (version == name) {
            return number;
        }
    }
    return SocVersion::RESERVED_VERSION;
}

NpuArch PlatformAscendC::GetCurNpuArch() const {
    std::string arch;
    platformInfo_->GetPlatformRes("version", "NpuArch", arch);
    const uint64_t number = std::strtoull(arch.c_str(), nullptr, 10);
    if (number != 0) {
        return static_cast<NpuArch>(number);
    }
    switch (GetSocVersion()) {
        case SocVersion::ASCEND910:
            return NpuArch::DAV_1001;
        case SocVersion::ASCEND310P:
            return NpuArch::DAV_2002;
        case SocVersion::ASCEND910_95:
            return NpuArch::DAV_3510;
        case SocVersion::ASCEND910B:
            return NpuArch::DAV_2201;
        default:
            return NpuArch::DAV_RESV;
    }
}

PlatformAscendC* PlatformAscendCManager::GetInstance(const char* customSocVersion) {
    static std::mutex mutex;
    // There is one platform for each chip, because a program may compute tilings for several chips.
    static std::map<const twin::SocInfo*, PlatformAscendC*> platforms;
    std::lock_guard<std::mutex> lock(mutex);
    PlatformAscendC*& platform = platforms[twin::host::SocScope::Chip()];
    if (platform != nullptr) {
        return platform;
    }
    try {
        const twin::SocInfo* const soc = customSocVersion == nullptr
                                             ? &twin::host::CurrentSoc()
                                             : twin::FindSoc(customSocVersion);
        if (soc == nullptr) {
            twin::host::SetRecentError("PlatformAscendCManager: \"%s\" is no chip of the twin",
                                       customSocVersion);
            return nullptr;
        }
        // The platform and its data are never deleted, because callers keep plain pointers.
        auto infos = std::make_unique<fe::PlatFormInfos>(*soc);
        platform = new PlatformAscendC(infos.release());
    } catch (const std::exception& error) {
        twin::host::SetRecentError("PlatformAscendCManager: %s", error.what());
    }
    return platform;
}

}  // namespace platform_ascendc

namespace op {
namespace {

/// Returns the version that a test has set; RESERVED_VERSION means that no test has set one.
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
    // A2 and A3 support every form of Mmad in the enumeration.
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
    return number < std::size(names) ? names[number] : "UNKNOWN_SOC_VERSION";
}

}  // namespace op
