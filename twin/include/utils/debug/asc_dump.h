// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel_operator.h"

// Newer toolkits' DumpTensor for raw pointers. Each memory has its own function, because a
// pointer's type does not name the memory on the twin.

/// Prints `dump_size` elements; `desc` is a number with which the user distinguishes dumps.
template <typename T>
inline void asc_dump_gm(T* input, uint32_t desc, uint32_t dump_size, TWIN_HERE) {
    AscendC::DumpTensor(twin::GlobalTensorAt(input), desc, dump_size, here);
}
template <typename T>
inline void asc_dump_ubuf(T* input, uint32_t desc, uint32_t dump_size, TWIN_HERE) {
    twin::DumpElements(twin::LocalAt(input, AscendC::TPosition::VECCALC, "asc_dump_ubuf", here),
                       {desc, dump_size, twin::kDtypeOf<T>}, here);
}
template <typename T>
inline void asc_dump_l1buf(T* input, uint32_t desc, uint32_t dump_size, TWIN_HERE) {
    twin::DumpElements(twin::LocalAt(input, AscendC::TPosition::A1, "asc_dump_l1buf", here),
                       {desc, dump_size, twin::kDtypeOf<T>}, here);
}
template <typename T>
inline void asc_dump_cbuf(T* input, uint32_t desc, uint32_t dump_size, TWIN_HERE) {
    twin::DumpElements(twin::LocalAt(input, AscendC::TPosition::CO1, "asc_dump_cbuf", here),
                       {desc, dump_size, twin::kDtypeOf<T>}, here);
}
