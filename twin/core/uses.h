// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_CORE_USES_H
#define TWIN_CORE_USES_H

// Marks that the compiler leaves in a kernel's shared object where a call of that sort is compiled
// in. A kernel that names no task type gets its type from them (launch.cpp).

/// Cube instructions, or the Matmul server that works for vector cores.
#define TWIN_USES_CUBE asm volatile(".pushsection twin_cube, \"a\"\n .byte 1\n .popsection")
/// Synchronisation of cores by hardware.
#define TWIN_USES_HARD_SYNC \
    asm volatile(".pushsection twin_hard_sync, \"a\"\n .byte 1\n .popsection")

#endif  // TWIN_CORE_USES_H
