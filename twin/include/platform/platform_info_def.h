// SPDX-License-Identifier: Apache-2.0
#ifndef PLATFORM_PLATFORM_INFO_DEF_H
#define PLATFORM_PLATFORM_INFO_DEF_H

#include <cstdint>
#include <map>
#include <string>
#include <vector>

// Sources use the short names, as with the toolkit.
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

/// The older form of the numbers of a chip, a plain struct.
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

#endif  // PLATFORM_PLATFORM_INFO_DEF_H
