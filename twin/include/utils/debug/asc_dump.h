// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel_operator.h"

// Newer toolkits' DumpTensor for raw pointers. ASCENDC_DUMP=0 turns them off, too.

namespace twin {

template <typename T>
void DumpLocal(T* input, AscendC::TPosition position, const char* api, uint32_t desc,
               uint32_t count, Location where) {
    if constexpr (TWIN_DUMPS) {
        DumpElements(LocalAt(input, position, api, where), {desc, count, kDtypeOf<T>}, where);
    }
}

}  // namespace twin

/// Prints `dump_size` elements; `desc` is a number with which the user distinguishes dumps.
template <typename T>
inline void asc_dump_gm(T* input, uint32_t desc, uint32_t dump_size, TWIN_HERE) {
    AscendC::DumpTensor(twin::GlobalTensorAt(input), desc, dump_size, here);
}
template <typename T>
inline void asc_dump_ubuf(T* input, uint32_t desc, uint32_t dump_size, TWIN_HERE) {
    twin::DumpLocal(input, AscendC::TPosition::VECCALC, "asc_dump_ubuf", desc, dump_size, here);
}
template <typename T>
inline void asc_dump_l1buf(T* input, uint32_t desc, uint32_t dump_size, TWIN_HERE) {
    twin::DumpLocal(input, AscendC::TPosition::A1, "asc_dump_l1buf", desc, dump_size, here);
}
template <typename T>
inline void asc_dump_cbuf(T* input, uint32_t desc, uint32_t dump_size, TWIN_HERE) {
    twin::DumpLocal(input, AscendC::TPosition::CO1, "asc_dump_cbuf", desc, dump_size, here);
}

/// Prints elements of the memory to which the pointer leads: UB, L1, L0C or GM.
template <typename T>
inline void asc_dump(T* input, uint32_t desc, uint32_t dump_size, TWIN_HERE) {
    const AscendC::TPosition position = twin::PositionAt(input);
    if (position == AscendC::TPosition::GM) {
        asc_dump_gm(input, desc, dump_size, here);
    } else {
        twin::DumpLocal(input, position, "asc_dump", desc, dump_size, here);
    }
}
