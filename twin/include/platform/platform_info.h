// SPDX-License-Identifier: Apache-2.0
#ifndef PLATFORM_PLATFORM_INFO_H
#define PLATFORM_PLATFORM_INFO_H

#include <cstdint>
#include <map>
#include <string>

#include "platform/platform_info_def.h"
#include "platform/platform_infos_def.h"

namespace fe {

/// The chips that a unit test adds, by name. The twin itself adds none.
class PlatformInfoManager {
public:
    PlatformInfoManager(const PlatformInfoManager&) = delete;
    PlatformInfoManager& operator=(const PlatformInfoManager&) = delete;
    static PlatformInfoManager& Instance();
    static PlatformInfoManager& GeInstance();

    uint32_t InitializePlatformInfo() { return 0; }
    uint32_t Finalize() { return 0; }
    /// Returns 0, or 1 for a chip that nobody added.
    uint32_t GetPlatformInfo(const std::string& socVersion, PlatformInfo& platform,
                             OptionalInfo& optional) const;
    /// Does the same for the chip of SetOptionalCompilationInfo.
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

#endif  // PLATFORM_PLATFORM_INFO_H
