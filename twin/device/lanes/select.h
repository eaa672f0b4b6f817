// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_LANES_SELECT_H
#define TWIN_DEVICE_LANES_SELECT_H

// Inner loops are in device/lanes/<family>_lanes.cpp. Each such file is compiled once per
// instruction set of the host, in a namespace of that name (TWIN_LANES_ISA), and provides its
// functions in a table:
//   namespace twin::lanes::TWIN_LANES_ISA { const SortTable& SortLanes(); }
// One ordinary source file chooses the table for this machine:
//   TWIN_LANES_SELECT(SortTable, SortLanes, BestSort)

namespace twin::lanes {

enum class Isa { Baseline, X86V3, X86V4 };

/// The largest instruction set that this machine has; CANNERY_ISA (baseline, x86-64-v3, x86-64-v4)
/// lowers it.
Isa ChosenIsa();
/// True if the machine has 8-bit dot products (AVX-512 VNNI) in addition to X86V4; always false if
/// CANNERY_ISA is set.
bool HasDotProducts();

}  // namespace twin::lanes

#ifndef TWIN_LANES_ISA
#define TWIN_LANES_ISA baseline
#endif

#ifdef TWIN_LANES_X86
// `Widest`: the instruction set that hosts with x86-64-v4 take.
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
#define TWIN_LANES_SELECT(Table, Lanes, Best) TWIN_LANES_SELECT_UP_TO(Table, Lanes, Best, x86_64_v4)

#endif  // TWIN_DEVICE_LANES_SELECT_H
