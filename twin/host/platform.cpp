// SPDX-License-Identifier: Apache-2.0
#include <exception>
#include <mutex>

#include "host/op_call.h"
#include "host/runtime.h"
#include "platform/platform_infos_def.h"
#include "soc/soc.h"
#include "tiling/platform/platform_ascendc.h"

namespace fe {

PlatFormInfos::PlatFormInfos(const twin::SocInfo& soc) : soc_(&soc) {}

uint32_t PlatFormInfos::GetCoreNum() const { return soc_->aicCores; }

uint32_t PlatFormInfos::GetCoreNumByType(const std::string& coreType) const {
    if (coreType == "AiCore") {
        return soc_->aicCores;
    }
    return coreType == "VectorCore" ? soc_->aivCores : 0;
}

void PlatFormInfos::GetLocalMemSize(const LocalMemType& memType, uint64_t& size) const {
    switch (memType) {
        case LocalMemType::L0_A:
            size = soc_->l0aBytes;
            return;
        case LocalMemType::L0_B:
            size = soc_->l0bBytes;
            return;
        case LocalMemType::L0_C:
            size = soc_->l0cBytes;
            return;
        case LocalMemType::L1:
            size = soc_->l1Bytes;
            return;
        case LocalMemType::L2:
            size = soc_->l2Bytes;
            return;
        case LocalMemType::UB:
            size = soc_->ubBytes;
            return;
        case LocalMemType::HBM:
            size = soc_->hbmBytes;
            return;
        default:
            size = 0;
            return;
    }
}

void PlatFormInfos::GetLocalMemBw(const LocalMemType& memType, uint64_t& bytesPerCycle) const {
    switch (memType) {
        case LocalMemType::L2:
            bytesPerCycle = soc_->l2Rate;
            return;
        case LocalMemType::HBM:
            bytesPerCycle = soc_->hbmRate;
            return;
        default:
            bytesPerCycle = 0;
            return;
    }
}

bool PlatFormInfos::GetPlatformRes(const std::string& label, const std::string& key,
                                   std::string& value) const {
    const std::map<std::string, std::string> entries = {
        {"version/SoC_version", soc_->name},
        {"version/Short_SoC_version",
         std::string(soc_->shortName) == "ascend910b" ? "Ascend910B" : "Ascend910_93"},
        {"SoCInfo/ai_core_cnt", std::to_string(soc_->aicCores)},
        {"SoCInfo/cube_core_cnt", std::to_string(soc_->aicCores)},
        {"SoCInfo/vector_core_cnt", std::to_string(soc_->aivCores)},
        {"SoCInfo/l2_size", std::to_string(soc_->l2Bytes)},
        {"SoCInfo/memory_size", std::to_string(soc_->hbmBytes)},
        {"AICoreSpec/cube_freq", std::to_string(soc_->cubeMHz)},
        {"AICoreSpec/ub_size", std::to_string(soc_->ubBytes)},
        {"AICoreSpec/l1_size", std::to_string(soc_->l1Bytes)},
        {"AICoreSpec/l0_a_size", std::to_string(soc_->l0aBytes)},
        {"AICoreSpec/l0_b_size", std::to_string(soc_->l0bBytes)},
        {"AICoreSpec/l0_c_size", std::to_string(soc_->l0cBytes)},
        {"AICoreSpec/bt_size", std::to_string(soc_->btBytes)},
        {"AICoreMemoryRates/ddr_rate", std::to_string(soc_->hbmRate)},
        {"AICoreMemoryRates/l2_rate", std::to_string(soc_->l2Rate)},
    };
    const auto found = entries.find(label + "/" + key);
    if (found == entries.end()) {
        return false;
    }
    value = found->second;
    return true;
}

}  // namespace fe

namespace platform_ascendc {
namespace {

// The last bytes of UB and L1 belong to the system.
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
    platformInfo_->GetLocalMemSize(static_cast<fe::LocalMemType>(memType), size);
    if (memType == CoreMemType::UB || memType == CoreMemType::L1) {
        size -= kReservedBytes;
    }
}

void PlatformAscendC::GetCoreMemBw(const CoreMemType& memType, uint64_t& bytesPerCycle) const {
    platformInfo_->GetLocalMemBw(static_cast<fe::LocalMemType>(memType), bytesPerCycle);
}

SocVersion PlatformAscendC::GetSocVersion() const { return SocVersion::ASCEND910B; }

PlatformAscendC* PlatformAscendCManager::GetInstance(const char* customSocVersion) {
    static std::mutex mutex;
    static PlatformAscendC* platform = nullptr;
    std::lock_guard<std::mutex> lock(mutex);
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
        // One per process, handed out as a bare pointer.
        auto infos = std::make_unique<fe::PlatFormInfos>(*soc);
        platform = new PlatformAscendC(infos.release());
    } catch (const std::exception& error) {
        twin::host::SetRecentError("PlatformAscendCManager: %s", error.what());
    }
    return platform;
}

}  // namespace platform_ascendc
