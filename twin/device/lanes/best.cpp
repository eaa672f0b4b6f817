// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <cstring>

#include "device/lanes/lanes.h"

namespace twin::lanes {

namespace baseline {
const Table& Lanes();
}
#ifdef TWIN_LANES_X86
namespace x86_64_v3 {
const Table& Lanes();
}
namespace x86_64_v4 {
const Table& Lanes();
}
#endif

namespace {

const Table& Choose() {
#ifdef TWIN_LANES_X86
    const char* wanted =
        std::getenv("CANNERY_ISA");  // for tests: all versions must give the same bits
    const bool any = wanted == nullptr;
    __builtin_cpu_init();
    const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                    __builtin_cpu_supports("f16c");
    const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                    __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
    if (v4 && (any || std::strcmp(wanted, "x86-64-v4") == 0)) {
        return x86_64_v4::Lanes();
    }
    if (v3 && (any || std::strcmp(wanted, "x86-64-v3") == 0)) {
        return x86_64_v3::Lanes();
    }
#endif
    return baseline::Lanes();
}

}  // namespace

const Table& Best() {
    static const Table& table = Choose();
    return table;
}

}  // namespace twin::lanes
