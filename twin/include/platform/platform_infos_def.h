// SPDX-License-Identifier: Apache-2.0
#ifndef PLATFORM_PLATFORM_INFOS_DEF_H
#define PLATFORM_PLATFORM_INFOS_DEF_H

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "platform/platform_info_def.h"

namespace twin {
struct SocInfo;
}

namespace fe {

enum class LocalMemType {
    L0_A = 0,
    L0_B = 1,
    L0_C = 2,
    L1 = 3,
    L2 = 4,
    UB = 5,
    HBM = 6,
    FB = 7,
    BT = 8,
    RESERVED
};

/// The numbers of one chip, which tiling gets from its context: those of a chip of the twin, or
/// those that a unit test sets. Entries are text by section and key: version/SoC_version,
/// version/Short_SoC_version, SoCInfo/ai_core_cnt, SoCInfo/vector_core_cnt, SoCInfo/l2_size,
/// AICoreSpec/ub_size, ... Copies share the values that were set.
class PlatFormInfos {
public:
    using Entries = std::map<std::string, std::string>;

    PlatFormInfos() = default;
    explicit PlatFormInfos(const twin::SocInfo& soc);

    /// Use these for values that are set after this call.
    bool Init();
    void SetPlatformRes(const std::string& label, const Entries& entries);
    void SetPlatformResWithLock(const std::string& label, const Entries& entries) {
        SetPlatformRes(label, entries);
    }
    void SetCoreNum(const uint32_t& count) { coreNum_ = count; }
    /// GetCoreNum returns the vector cores for "VectorCore", otherwise the AI cores.
    void SetCoreNumByCoreType(const std::string& coreType);

    uint32_t GetCoreNum() const;
    uint32_t GetCoreNumWithLock() const { return GetCoreNum(); }
    /// "AiCore" or "VectorCore"; returns 0 for other types.
    uint32_t GetCoreNumByType(const std::string& coreType) const;
    /// Full sizes in bytes; PlatformAscendC subtracts the reserved bytes.
    void GetLocalMemSize(const LocalMemType& memType, uint64_t& size) const;
    /// Bytes per cycle and core; 0 if the configuration of the chip does not name them.
    void GetLocalMemBw(const LocalMemType& memType, uint64_t& bytesPerCycle) const;
    /// Returns false if the chip does not have the entry and nobody set it.
    bool GetPlatformRes(const std::string& label, const std::string& key, std::string& value) const;
    bool GetPlatformResWithLock(const std::string& label, const std::string& key,
                                std::string& value) const {
        return GetPlatformRes(label, key, value);
    }
    /// All values that were set under `label`.
    bool GetPlatformRes(const std::string& label, Entries& entries) const;
    bool GetPlatformResWithLock(const std::string& label, Entries& entries) const {
        return GetPlatformRes(label, entries);
    }

private:
    uint64_t Number(const std::string& label, const std::string& key) const;

    const twin::SocInfo* soc_ = nullptr;
    uint32_t coreNum_ = 0;
    std::shared_ptr<std::map<std::string, Entries>> given_;
};

/// The compilation settings of a unit test. They are stored and not used.
class OptionalInfos {
public:
    bool Init() { return true; }
    std::string GetSocVersion() const { return socVersion_; }
    std::string GetCoreType() const { return coreType_; }
    uint32_t GetAICoreNum() const { return aiCoreNum_; }
    void SetSocVersion(const std::string& version) { socVersion_ = version; }
    void SetSocVersionWithLock(const std::string& version) { socVersion_ = version; }
    void SetCoreType(const std::string& type) { coreType_ = type; }
    void SetAICoreNum(const uint32_t count) { aiCoreNum_ = count; }

private:
    std::string socVersion_;
    std::string coreType_;
    uint32_t aiCoreNum_ = 0;
};

}  // namespace fe

#endif  // PLATFORM_PLATFORM_INFOS_DEF_H
