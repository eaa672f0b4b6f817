// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tiling/platform/platform_ascendc.h"

// Sources use these names without std::, as with the toolkit.
using std::map;
using std::string;
using std::vector;

namespace fe {

enum MemoryType { DDR = 0, HBM };
enum L2Type { Cache = 0, Buff };

struct StrInfo {
    std::string aic_version;
    std::string ccec_aic_version;
    std::string ccec_aiv_version;
    std::string is_support_ai_cpu_compiler;
    std::string short_soc_version;
};

struct SoCInfo {
    uint32_t ai_core_cnt = 0;
    uint32_t vector_core_cnt = 0;
    uint32_t ai_cpu_cnt = 0;
    MemoryType memory_type = DDR;
    uint64_t memory_size = 0;
    L2Type l2_type = Cache;
    uint64_t l2_size = 0;
    uint32_t l2PageNum = 0;
    uint32_t task_num = 0;
    int32_t arch_type = -1;
    int32_t chip_type = -1;
};

struct AiCoreSpec {
    double cube_freq = 0;
    uint64_t cube_m_size = 0;
    uint64_t cube_n_size = 0;
    uint64_t cube_k_size = 0;
    uint64_t vec_calc_size = 0;
    uint64_t l0_a_size = 0;
    uint64_t l0_b_size = 0;
    uint64_t l0_c_size = 0;
    uint64_t l1_size = 0;
    uint64_t smask_buffer = 0;
    uint64_t ub_size = 0;
    uint64_t ubblock_size = 0;
    uint64_t ubbank_size = 0;
    uint64_t ubbank_num = 0;
    uint64_t ubburst_in_one_block = 0;
    uint64_t ubbank_group_num = 0;
    uint8_t cube_vector_split = 0;
};

struct AiCoreMemoryRates {
    double ddr_rate = 0;
    double ddr_read_rate = 0;
    double ddr_write_rate = 0;
    double l2_rate = 0;
    double l2_read_rate = 0;
    double l2_write_rate = 0;
    double l1_to_l0_a_rate = 0;
    double l1_to_l0_b_rate = 0;
    double l1_to_ub_rate = 0;
    double l0_c_to_ub_rate = 0;
    double ub_to_l2_rate = 0;
    double ub_to_ddr_rate = 0;
    double ub_to_l1_rate = 0;
};

/// Older form of a chip's data: a plain struct.
struct PlatformInfo {
    StrInfo str_info;
    SoCInfo soc_info;
    AiCoreSpec ai_core_spec;
    AiCoreMemoryRates ai_core_memory_rates;
    std::map<std::string, std::vector<std::string>> ai_core_intrinsic_dtype_map;
};

struct OptionalInfo {
    std::string soc_version;
    std::string core_type;
    uint32_t ai_core_num = 0;
    std::string l1_fusion_flag;
};

}  // namespace fe

namespace twin {
struct SocInfo;
}

namespace fe {

using LocalMemType = platform_ascendc::CoreMemType;

/// Data of a chip, which tiling reads. They describe a chip of the twin, or a unit test sets them.
/// Entries are texts by section and key: version/SoC_version, version/Short_SoC_version,
/// SoCInfo/ai_core_cnt, SoCInfo/vector_core_cnt, SoCInfo/l2_size, AICoreSpec/ub_size, ... Copies
/// of an object share the values that were set.
class PlatFormInfos {
public:
    using Entries = std::map<std::string, std::string>;

    PlatFormInfos() = default;
    explicit PlatFormInfos(const twin::SocInfo& soc);

    /// Removes the values that were set. Earlier copies of this object keep them.
    bool Init();
    void SetPlatformRes(const std::string& label, const Entries& entries);
    void SetPlatformResWithLock(const std::string& label, const Entries& entries) {
        SetPlatformRes(label, entries);
    }
    void SetCoreNum(const uint32_t& count) { coreNum_ = count; }
    /// Chooses what GetCoreNum counts: vector cores for "VectorCore", AI cores for other types.
    void SetCoreNumByCoreType(const std::string& coreType);

    uint32_t GetCoreNum() const;
    uint32_t GetCoreNumWithLock() const { return GetCoreNum(); }
    /// Returns the number of cores for "AiCore" or "VectorCore", and 0 for other types.
    uint32_t GetCoreNumByType(const std::string& coreType) const;
    /// Gets the full size in bytes; PlatformAscendC subtracts the reserved bytes.
    void GetLocalMemSize(const LocalMemType& memType, uint64_t& size) const;
    /// Gets the bytes per cycle and core; 0 if the chip's configuration does not give them.
    void GetLocalMemBw(const LocalMemType& memType, uint64_t& bytesPerCycle) const;
    /// Gets one entry. Returns false if neither the chip nor SetPlatformRes has set it.
    bool GetPlatformRes(const std::string& label, const std::string& key, std::string& value) const;
    bool GetPlatformResWithLock(const std::string& label, const std::string& key,
                                std::string& value) const {
        return GetPlatformRes(label, key, value);
    }
    /// Gets all values that were set under `label`; returns false if there are none.
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

/// Compilation settings of a unit test; the twin only stores them.
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

/// Chips that a unit test adds, by name. The twin itself adds none.
class PlatformInfoManager {
public:
    PlatformInfoManager(const PlatformInfoManager&) = delete;
    PlatformInfoManager& operator=(const PlatformInfoManager&) = delete;
    static PlatformInfoManager& Instance();
    static PlatformInfoManager& GeInstance();

    uint32_t InitializePlatformInfo() { return 0; }
    uint32_t Finalize() { return 0; }
    /// Gets a chip's data; returns 1 for a chip that no test added, else 0.
    uint32_t GetPlatformInfo(const std::string& socVersion, PlatformInfo& platform,
                             OptionalInfo& optional) const;
    /// Like GetPlatformInfo, for the chip that SetOptionalCompilationInfo has set.
    uint32_t GetPlatformInfoWithOutSocVersion(PlatformInfo& platform,
                                              OptionalInfo& optional) const {
        return GetPlatformInfo(optional_.soc_version, platform, optional);
    }
    uint32_t GetPlatformInfoWithOutSocVersion(PlatFormInfos& platform,
                                              OptionalInfos& optional) const;
    void SetOptionalCompilationInfo(const OptionalInfo& optional) { optional_ = optional; }
    void SetOptionalCompilationInfo(const OptionalInfos& optional) { optionals_ = optional; }

private:
    PlatformInfoManager() = default;

    std::map<std::string, PlatformInfo> platform_info_map_;
    std::map<std::string, PlatFormInfos> platform_infos_map_;
    OptionalInfo optional_;
    OptionalInfos optionals_;
};

}  // namespace fe
