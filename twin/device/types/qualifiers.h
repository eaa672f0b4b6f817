// SPDX-License-Identifier: Apache-2.0
#pragma once

// Keywords and predefined macros of the device compiler. Memory qualifiers have no meaning for a
// host compiler: tensors know the memory in which they are.
#include <cstddef>
#include <cstdint>

#include "core/uses.h"

// `cannery cc` finds kernels by these words and removes them (TWIN_LAUNCH_SITES).
#ifdef TWIN_LAUNCH_SITES
#define __global__ __twin_global__
#else
#define __global__
#endif
#define __aicore__
// Kernel types as attributes of the function (newer than 8.1). __mix__(cube cores, vector cores).
#define __vector__ TWIN_KERNEL_ATTRIBUTE("vector")
#define __cube__ TWIN_KERNEL_ATTRIBUTE("cube_only")
#define __mix__(aic, aiv) TWIN_KERNEL_ATTRIBUTE("mix_" #aic "_" #aiv)
#define __schedmode__(mode)
#define __gm__
#define __ubuf__
#define __cbuf__
#define __ca__
#define __cb__
#define __cc__
#define __fbuf__
#define __sync_alias__
#define __inout_pipe__(pipe)
#define __in_pipe__(pipe)
#define __out_pipe__(pipe)
#define __tiling_data_ptr__
#define __BLOCK_LOCAL__
#define __WORKGROUP_LOCAL__
#define __kfc_workspace__

#define GM_ADDR __gm__ uint8_t*

// If this is defined, a source with host code of its own leaves some of it out, above all launches.
#if !defined(ASCENDC_CPU_DEBUG) && !defined(TWIN_MIXED_UNIT)
#define ASCENDC_CPU_DEBUG 1
#endif
#ifndef __CCE_AICORE__
#define __CCE_AICORE__ 220
#endif
#ifndef __NPU_ARCH__
#define __NPU_ARCH__ 2201
#endif
