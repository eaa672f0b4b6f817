// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_KERNEL_OPERATOR_H
#define TWIN_INCLUDE_KERNEL_OPERATOR_H

// What `#include "kernel_operator.h"` gives a kernel on the twin: one header per API family member. A name that is not
// here is not modelled, and using it is a compile error that names it.

#include "device/data_copy/data_copy.h"
#include "device/data_copy/data_copy_pad.h"
#include "device/pipe/tpipe.h"
#include "device/sync/flags.h"
#include "device/sync/pipe_barrier.h"
#include "device/sync/sync_all.h"
#include "device/sys/printf.h"
#include "device/sys/system.h"
#include "device/sys/tiling.h"
#include "device/tensor/global_tensor.h"
#include "device/tensor/local_tensor.h"
#include "device/types/dtype.h"
#include "device/types/enums.h"
#include "device/types/qualifiers.h"
#include "device/vec/abs.h"
#include "device/vec/add.h"
#include "device/vec/adds.h"
#include "device/vec/and.h"
#include "device/vec/axpy.h"
#include "device/vec/cast.h"
#include "device/vec/div.h"
#include "device/vec/duplicate.h"
#include "device/vec/exp.h"
#include "device/vec/leaky_relu.h"
#include "device/vec/ln.h"
#include "device/vec/mask.h"
#include "device/vec/max.h"
#include "device/vec/maxs.h"
#include "device/vec/min.h"
#include "device/vec/mins.h"
#include "device/vec/mul.h"
#include "device/vec/muls.h"
#include "device/vec/not.h"
#include "device/vec/or.h"
#include "device/vec/reciprocal.h"
#include "device/vec/relu.h"
#include "device/vec/rsqrt.h"
#include "device/vec/sqrt.h"
#include "device/vec/sub.h"

#endif  // TWIN_INCLUDE_KERNEL_OPERATOR_H
