// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_KERNEL_OPERATOR_H
#define TWIN_INCLUDE_KERNEL_OPERATOR_H

// Declares the API that a kernel gets on the twin with `#include "kernel_operator.h"`. The compiler
// reports the names that the twin does not model.

// A kernel may have macros with names that the headers below use. This header removes such macros.
#include "core/user_macros_checked.h"

// Disables two warnings that do not fit kernels. The twin includes a kernel's source in another
// file, but only once, so classes of the kernel may have members from unnamed namespaces. On the
// hardware, half and bfloat16_t are plain numbers, so kernels may copy them byte by byte.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wsubobject-linkage"
#pragma GCC diagnostic ignored "-Wclass-memaccess"
#endif

// For sqrt and abs, which the hardware has built into its scalar unit.
#include <math.h>
#include <stdlib.h>

// Kernels use these headers without including them.
#include <cstdio>
#include <limits>

#include "device/atomic/set_atomic.h"
#include "device/cache/data_cache_clean.h"
#include "device/compare/compare.h"
#include "device/compare/select.h"
#include "device/cube/copy_from_co1.h"
#include "device/cube/fixpipe.h"
#include "device/cube/fixpipe_v1.h"
#include "device/cube/load_data_2d.h"
#include "device/cube/load_data_3d.h"
#include "device/cube/mmad.h"
#include "device/cube/other_chips.h"
#include "device/data_copy/data_copy.h"
#include "device/data_copy/data_copy_pad.h"
#include "device/data_copy/data_copy_slice.h"
#include "device/fill/patterns.h"
#include "device/gather/gather.h"
#include "device/math/bilinear.h"
#include "device/normalization/batch_norm.h"
#include "device/normalization/layer_norm.h"
#include "device/normalization/layer_norm_grad.h"
#include "device/normalization/rms_norm.h"
#include "device/normalization/welford.h"
#include "device/pipe/spm.h"
#include "device/pipe/tbuf.h"
#include "device/pipe/tbuf_pool.h"
#include "device/pipe/tpipe.h"
#include "device/reduce/instructions.h"
#include "device/reduce/pattern.h"
#include "device/reduce/reduce_registers.h"
#include "device/reduce/rows.h"
#include "device/select/select_with_bytes_mask.h"
#include "device/softmax/softmax.h"
#include "device/softmax/softmax_flash.h"
#include "device/sort/mrg_sort.h"
#include "device/sort/sort.h"
#include "device/sort/topk.h"
#include "device/sync/cross_core_flag.h"
#include "device/sync/events.h"
#include "device/sync/soft_sync.h"
#include "device/sys/collective.h"
#include "device/sys/dump_tensor.h"
#include "device/sys/list_tensor.h"
#include "device/sys/printf.h"
#include "device/sys/super_kernel.h"
#include "device/sys/system.h"
#include "device/sys/tiling.h"
#include "device/tensor/global_tensor.h"
#include "device/tensor/local_mem_allocator.h"
#include "device/tensor/local_tensor.h"
#include "device/tensor/operand.h"
#include "device/tensor/ub_array.h"
#include "device/transpose/trans_data.h"
#include "device/transpose/transpose.h"
#include "device/types/dtype.h"
#include "device/types/enums.h"
#include "device/types/half.h"
#include "device/types/layout.h"
#include "device/types/parameters.h"
#include "device/types/std.h"
#include "device/vec/bitwise.h"
#include "device/vec/cast.h"
#include "device/vec/cast_deq.h"
#include "device/vec/duplicate.h"
#include "device/vec/elementwise.h"
#include "device/vec/fused.h"
#include "device/vec/mask.h"
#include "device/vec/utils.h"
#include "kernel_tiling/mc2_tilings.h"
#include "lib/kernel_api.h"
#ifdef TWIN_KERNEL_NAME  // a kernel that is exported at the end of its translation unit
#include "core/kernel_export.h"
#endif

#include "core/user_macros_back.h"

#endif  // TWIN_INCLUDE_KERNEL_OPERATOR_H

// Outside of the include guard, because graph/types.h undefines these macros.
#include "device/types/type_numbers.h"
