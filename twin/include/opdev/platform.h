// SPDX-License-Identifier: Apache-2.0
#pragma once

// Data of the chip for host functions. Clients and tests use it to distinguish chips.
#include <cstdint>
#include <string>

#include "aclnn/aclnn_base.h"
#include "graph/ascend_string.h"
#include "platform/platform_info.h"

namespace op {

enum class SocVersion {
    ASCEND910 = 0,
    ASCEND910B,
    ASCEND910_93,
    ASCEND910_95,
    ASCEND910E,
    ASCEND310,
    ASCEND310P,
    ASCEND310B,
    ASCEND310C,
    ASCEND610LITE,
    RESERVED_VERSION = 99999
};

enum class SocSpec { INST_MMAD = 0, RESERVED_SPEC = 99999 };

/// Data types of Mmad. Names with three types list the types of C, A and B.
enum class SocSpecAbility {
    INST_MMAD_F162F16 = 0,
    INST_MMAD_F162F32,
    INST_MMAD_H322F32,
    INST_MMAD_F322F32,
    INST_MMAD_U32U8U8,
    INST_MMAD_S32S8S8,
    INST_MMAD_S32U8S8,
    INST_MMAD_F16F16F16,
    INST_MMAD_F32F16F16,
    INST_MMAD_F16F16U2,
    INST_MMAD_U8,
    INST_MMAD_S8,
    INST_MMAD_U8S8,
    INST_MMAD_F16U2,
};

class PlatformInfo {
public:
    explicit PlatformInfo(int32_t deviceId = -1) : deviceId_(deviceId) {}
    PlatformInfo(const PlatformInfo&) = delete;
    PlatformInfo& operator=(const PlatformInfo&) = delete;

    /// Returns the version that SetPlatformSocVersion has set, else that of the twin's chip.
    SocVersion GetSocVersion() const;
    /// Returns the full name of the chip, for example "Ascend910B2".
    const std::string& GetSocLongVersion() const;
    int32_t GetDeviceId() const { return deviceId_; }
    bool CheckSupport(SocSpec socSpec, SocSpecAbility ability) const;
    /// Returns the bytes of a block of the unified buffer.
    int64_t GetBlockSize() const { return 32; }
    uint32_t GetCubeCoreNum() const;
    uint32_t GetVectorCoreNum() const;
    bool Valid() const { return true; }
    bool GetFftsPlusMode() const { return true; }
    /// Returns data of the twin's chip, valid until the process ends.
    fe::PlatFormInfos* GetPlatformInfos() const;

private:
    int32_t deviceId_;
};

const PlatformInfo& GetCurrentPlatformInfo();
/// Sets the result of GetSocVersion for the whole process, for tests. The twin's chip does not
/// change.
void SetPlatformSocVersion(SocVersion socVersion);
/// Returns a name such as "Ascend910B"; "UNKNOWN_SOC_VERSION" for an unknown version.
ge::AscendString ToString(SocVersion socVersion);

}  // namespace op
