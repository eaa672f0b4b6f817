// SPDX-License-Identifier: Apache-2.0
// Tests of opdev/platform.h, which describes the hardware to L0 and L2 functions.
#include <cstdlib>
#include <string>

#include "check.h"
#include "opdev/platform.h"

TEST(TheTwinsChip) {
    setenv("CANNERY_SOC", "Ascend910B2", 1);
    const op::PlatformInfo& platform = op::GetCurrentPlatformInfo();
    CHECK_EQ(platform.GetSocVersion() == op::SocVersion::ASCEND910B, true);
    CHECK_EQ(platform.GetSocLongVersion(), std::string("Ascend910B2"));
    CHECK_EQ(platform.GetCubeCoreNum(), 24U);
    CHECK_EQ(platform.GetVectorCoreNum(), 48U);
    CHECK_EQ(platform.GetBlockSize(), 32);
    CHECK_EQ(platform.Valid(), true);
    CHECK_EQ(platform.CheckSupport(op::SocSpec::INST_MMAD, op::SocSpecAbility::INST_MMAD_H322F32),
             true);
    CHECK_EQ(platform.CheckSupport(op::SocSpec::RESERVED_SPEC, op::SocSpecAbility::INST_MMAD_U8),
             false);
    CHECK_EQ(platform.GetPlatformInfos()->GetCoreNumByType("AiCore"), 24U);
}

TEST(AnotherVersion) {
    op::SetPlatformSocVersion(op::SocVersion::ASCEND310P);
    CHECK_EQ(op::GetCurrentPlatformInfo().GetSocVersion() == op::SocVersion::ASCEND310P, true);
    op::SetPlatformSocVersion(op::SocVersion::RESERVED_VERSION);
    CHECK_EQ(op::GetCurrentPlatformInfo().GetSocVersion() == op::SocVersion::ASCEND910B, true);
}

TEST(Names) {
    CHECK_EQ(std::string(op::ToString(op::SocVersion::ASCEND910_93).GetString()),
             std::string("Ascend910_93"));
    CHECK_EQ(std::string(op::ToString(static_cast<op::SocVersion>(-1)).GetString()),
             std::string("UNKNOWN_SOC_VERSION"));
}

int main(int argc, char** argv) { return check::RunTests(argc, argv); }
