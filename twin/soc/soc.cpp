// SPDX-License-Identifier: Apache-2.0
#include "soc/soc.h"

#include <cstring>

namespace twin {
namespace {

constexpr uint64_t kMiB = 1ULL << 20;
constexpr uint64_t kGiB = 1ULL << 30;

// Source of each row: CANN 8.1.RC1, data/platform_config/<name>.ini. The file of Ascend910B2C does
// not give the HBM size: it is 64 GiB as on Ascend910B2. The HBM bandwidth was measured on an SoC
// with 24 AI cores at 1850 MHz (docs/timing.md). For other SoCs with 64 GiB, this bandwidth is
// scaled by cores and clock. For SoCs with 32 GiB, it is the published number.
const SocInfo kSocs[] = {
    // name, short name, AICs, AIVs, MHz of the cube cores, L2, HBM, GB/s of HBM
    {"Ascend910B1", "ascend910b", 24, 48, 1850, 192 * kMiB, 64 * kGiB, 1530},
    {"Ascend910B2", "ascend910b", 24, 48, 1800, 192 * kMiB, 64 * kGiB, 1490},
    {"Ascend910B2C", "ascend910b", 24, 48, 1800, 192 * kMiB, 64 * kGiB, 1490},
    {"Ascend910B3", "ascend910b", 20, 40, 1800, 192 * kMiB, 64 * kGiB, 1240},
    {"Ascend910B4", "ascend910b", 20, 40, 1500, 96 * kMiB, 32 * kGiB, 800},
    {"Ascend910B4-1", "ascend910b", 20, 40, 1500, 168 * kMiB, 32 * kGiB, 800},
    {"Ascend910_9391", "ascend910_93", 24, 48, 1850, 192 * kMiB, 64 * kGiB, 1530},
    {"Ascend910_9392", "ascend910_93", 24, 48, 1850, 192 * kMiB, 64 * kGiB, 1530},
    {"Ascend910_9381", "ascend910_93", 24, 48, 1800, 192 * kMiB, 64 * kGiB, 1490},
    {"Ascend910_9382", "ascend910_93", 24, 48, 1800, 192 * kMiB, 64 * kGiB, 1490},
    {"Ascend910_9372", "ascend910_93", 20, 40, 1800, 192 * kMiB, 64 * kGiB, 1240},
    {"Ascend910_9362", "ascend910_93", 20, 40, 1500, 168 * kMiB, 32 * kGiB, 800},
};

}  // namespace

size_t SocCount() { return sizeof(kSocs) / sizeof(kSocs[0]); }

const SocInfo& SocAt(size_t index) { return kSocs[index]; }

const SocInfo* FindSoc(const char* name) {
    for (const SocInfo& soc : kSocs) {
        if (name != nullptr && std::strcmp(soc.name, name) == 0) {
            return &soc;
        }
    }
    return nullptr;
}

}  // namespace twin
