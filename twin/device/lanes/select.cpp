// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <cstring>

#include "device/lanes/arithmetic.h"
#include "device/lanes/matrix.h"
#include "device/lanes/reduce.h"
#include "device/lanes/shuffle.h"

namespace twin::lanes {
namespace {

Isa Choose() {
#ifdef __x86_64__
    // Tests set this variable to check that all instruction sets give the same bits.
    const char* wanted = std::getenv("CANNERY_ISA");
    const bool any = wanted == nullptr || wanted[0] == '\0';
    __builtin_cpu_init();
    const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                    __builtin_cpu_supports("f16c") && __builtin_cpu_supports("bmi2");
    const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                    __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
                    __builtin_cpu_supports("avx512cd");
    if (v4 && (any || std::strcmp(wanted, "x86-64-v4") == 0)) {
        return Isa::X86V4;
    }
    if (v3 &&
        (any || std::strcmp(wanted, "x86-64-v3") == 0 || std::strcmp(wanted, "x86-64-v4") == 0)) {
        return Isa::X86V3;
    }
#endif
    return Isa::Baseline;
}

}  // namespace

Isa ChosenIsa() {
    static const Isa isa = Choose();
    return isa;
}

bool HasDotProducts() {
#ifdef __x86_64__
    const char* wanted = std::getenv("CANNERY_ISA");
    return ChosenIsa() == Isa::X86V4 && (wanted == nullptr || wanted[0] == '\0') &&
           __builtin_cpu_supports("avx512vnni");
#else
    return false;
#endif
}

}  // namespace twin::lanes

// Defines `Best`, which returns the table for this machine. CMake defines the namespaces to use: on
// hosts with AVX2 TWIN_TAKES_V3, on hosts with AVX-512 TWIN_TAKES_V4 or TWIN_TAKES_ELEMENTARY. A
// build for one machine has only the baseline and the instruction set of that machine.
#define TWIN_LANES_SELECT_UP_TO(Table, Lanes, Best, V4)                                  \
    namespace twin::lanes {                                                              \
    namespace baseline {                                                                 \
    const Table& Lanes();                                                                \
    }                                                                                    \
    namespace TWIN_TAKES_V3 {                                                            \
    const Table& Lanes();                                                                \
    }                                                                                    \
    namespace V4 {                                                                       \
    const Table& Lanes();                                                                \
    }                                                                                    \
    const Table& Best() {                                                                \
        static const Table& table = ChosenIsa() == Isa::X86V4   ? V4::Lanes()            \
                                    : ChosenIsa() == Isa::X86V3 ? TWIN_TAKES_V3::Lanes() \
                                                                : baseline::Lanes();     \
        return table;                                                                    \
    }                                                                                    \
    }
#define TWIN_LANES_SELECT(Table, Lanes, Best) \
    TWIN_LANES_SELECT_UP_TO(Table, Lanes, Best, TWIN_TAKES_V4)

TWIN_LANES_SELECT(ArithmeticTable, ArithmeticLanes, BestArithmetic)
TWIN_LANES_SELECT(CastTable, CastLanes, BestCasts)
TWIN_LANES_SELECT(CompareTable, CompareLanes, BestCompare)
TWIN_LANES_SELECT_UP_TO(ElementaryTable, ElementaryLanes, BestElementary, TWIN_TAKES_ELEMENTARY)
TWIN_LANES_SELECT(FractalTable, FractalLanes, BestFractal)
TWIN_LANES_SELECT(FusedTable, FusedLanes, BestFused)
TWIN_LANES_SELECT(GatherTable, GatherLanes, BestGather)
TWIN_LANES_SELECT(MatrixFloatTable, MatrixFloatLanes, BestMatrixFloat)
TWIN_LANES_SELECT(MatrixIntTable, MatrixIntLanes, BestMatrixInt)
TWIN_LANES_SELECT(QuantTable, QuantLanes, BestQuant)
TWIN_LANES_SELECT(ReduceTable, ReduceLanes, BestReduce)
TWIN_LANES_SELECT(RowTable, RowLanes, BestRows)
