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
#ifdef TWIN_LANES_X86
    const char* wanted =
        std::getenv("CANNERY_ISA");  // all versions give the same bits; tests show it
    const bool any = wanted == nullptr || wanted[0] == '\0';
    __builtin_cpu_init();
    const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                    __builtin_cpu_supports("f16c") && __builtin_cpu_supports("bmi2");
    const bool v4 = TWIN_LANES_X86 == 4 && v3 && __builtin_cpu_supports("avx512f") &&
                    __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
                    __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512cd");
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
#ifdef TWIN_LANES_X86
    const char* wanted = std::getenv("CANNERY_ISA");
    return ChosenIsa() == Isa::X86V4 && (wanted == nullptr || wanted[0] == '\0') &&
           __builtin_cpu_supports("avx512vnni");
#else
    return false;
#endif
}

}  // namespace twin::lanes

#ifdef TWIN_LANES_X86
// TWIN_LANES_X86: the highest version of x86-64 that has lanes, 3 or 4. `Widest`: the lanes that
// hosts with x86-64-v4 take.
#define TWIN_LANES_SELECT_UP_TO(Table, Lanes, Best, Widest)                          \
    namespace twin::lanes {                                                          \
    namespace baseline {                                                             \
    const Table& Lanes();                                                            \
    }                                                                                \
    namespace x86_64_v3 {                                                            \
    const Table& Lanes();                                                            \
    }                                                                                \
    namespace Widest {                                                               \
    const Table& Lanes();                                                            \
    }                                                                                \
    const Table& Best() {                                                            \
        static const Table& table = ChosenIsa() == Isa::X86V4   ? Widest::Lanes()    \
                                    : ChosenIsa() == Isa::X86V3 ? x86_64_v3::Lanes() \
                                                                : baseline::Lanes(); \
        return table;                                                                \
    }                                                                                \
    }
#else
#define TWIN_LANES_SELECT_UP_TO(Table, Lanes, Best, Widest) \
    namespace twin::lanes {                                 \
    namespace baseline {                                    \
    const Table& Lanes();                                   \
    }                                                       \
    const Table& Best() { return baseline::Lanes(); }       \
    }
#endif
#if TWIN_LANES_X86 == 4
#define TWIN_LANES_SELECT(Table, Lanes, Best) TWIN_LANES_SELECT_UP_TO(Table, Lanes, Best, x86_64_v4)
#else
#define TWIN_LANES_SELECT(Table, Lanes, Best) TWIN_LANES_SELECT_UP_TO(Table, Lanes, Best, x86_64_v3)
#endif

TWIN_LANES_SELECT(ArithmeticTable, ArithmeticLanes, BestArithmetic)
TWIN_LANES_SELECT(CastTable, CastLanes, BestCasts)
TWIN_LANES_SELECT(CompareTable, CompareLanes, BestCompare)
TWIN_LANES_SELECT_UP_TO(ElementaryTable, ElementaryLanes, BestElementary, x86_64_v3)
TWIN_LANES_SELECT(FractalTable, FractalLanes, BestFractal)
TWIN_LANES_SELECT(FusedTable, FusedLanes, BestFused)
TWIN_LANES_SELECT(GatherTable, GatherLanes, BestGather)
TWIN_LANES_SELECT(MatrixFloatTable, MatrixFloatLanes, BestMatrixFloat)
TWIN_LANES_SELECT(MatrixIntTable, MatrixIntLanes, BestMatrixInt)
TWIN_LANES_SELECT(QuantTable, QuantLanes, BestQuant)
TWIN_LANES_SELECT(ReduceTable, ReduceLanes, BestReduce)
TWIN_LANES_SELECT(RowTable, RowLanes, BestRows)
