// SPDX-License-Identifier: Apache-2.0
#ifndef PLATFORM_PLATFORM_INFOS_DEF_H
#define PLATFORM_PLATFORM_INFOS_DEF_H

#include <cstdint>
#include <map>
#include <string>

namespace twin {
struct SocInfo;
}

namespace fe {

enum class LocalMemType { L0_A = 0, L0_B = 1, L0_C = 2, L1 = 3, L2 = 4, UB = 5, HBM = 6, RESERVED };

/// Numbers of one chip, as tiling gets them from its context.
class PlatFormInfos {
public:
    explicit PlatFormInfos(const twin::SocInfo& soc);

    uint32_t GetCoreNum() const;
    /// "AiCore" or "VectorCore"; 0 for other types.
    uint32_t GetCoreNumByType(const std::string& coreType) const;
    /// Full sizes in bytes; PlatformAscendC subtracts what is reserved.
    void GetLocalMemSize(const LocalMemType& memType, uint64_t& size) const;
    /// Bytes per cycle and core; 0 where the configuration of the chip names none.
    void GetLocalMemBw(const LocalMemType& memType, uint64_t& bytesPerCycle) const;
    /// Entries of the chip's configuration, by section and key: version/SoC_version,
    /// version/Short_SoC_version, SoCInfo/ai_core_cnt, SoCInfo/vector_core_cnt, SoCInfo/l2_size,
    /// AICoreSpec/ub_size, ...; false for others.
    bool GetPlatformRes(const std::string& label, const std::string& key, std::string& value) const;
    bool GetPlatformResWithLock(const std::string& label, const std::string& key,
                                std::string& value) const {
        return GetPlatformRes(label, key, value);
    }

private:
    const twin::SocInfo* soc_;
};

}  // namespace fe

#endif  // PLATFORM_PLATFORM_INFOS_DEF_H
