// SPDX-License-Identifier: Apache-2.0
#ifndef TILING_TILING_API_H
#define TILING_TILING_API_H

// A high-level tiling that the twin does not model is not declared, so using it fails at compile
// time. Sources expect <iostream> here.
#include <iostream>

#include "tiling/platform/platform_ascendc.h"
#ifdef TWIN_KERNEL_NAME  // a kernel that includes its operator's tiling header
#include "kernel_tiling/kernel_tiling.h"
#include "register/tilingdata_base.h"
#else
#include "lib/activation/logsoftmax_tiling.h"
#include "lib/activation/softmax_tiling.h"
#include "lib/hccl/hccl_tiling.h"
#include "lib/normalization/batchnorm_tiling.h"
#include "lib/normalization/deepnorm_tiling.h"
#include "lib/normalization/groupnorm_tiling.h"
#include "lib/normalization/layernorm_grad_beta_tiling.h"
#include "lib/normalization/layernorm_grad_tiling.h"
#include "lib/normalization/layernorm_tiling.h"
#include "lib/normalization/normalize_tiling.h"
#include "lib/normalization/rmsnorm_tiling.h"
#include "lib/normalization/welfordfinalize_tiling.h"
#include "lib/reduce/mean_tiling.h"
#include "lib/reduce/reduce_xor_sum_tiling.h"
#include "lib/reduce/sum_tiling.h"
#include "lib/select/selectwithbytesmask_tiling.h"
#include "lib/sort/sort_tiling_intf.h"
#include "lib/sort/topk_tiling.h"
#include "lib/transpose/confusion_transpose_tiling.h"
#include "tiling/activation/geglu_tiling.h"
#include "tiling/activation/gelu_tiling.h"
#include "tiling/activation/reglu_tiling.h"
#include "tiling/activation/sigmoid_tiling.h"
#include "tiling/activation/silu_tiling.h"
#include "tiling/activation/swiglu_tiling.h"
#include "tiling/activation/swish_tiling.h"
#include "tiling/filter/dropout_tiling.h"
#include "tiling/index/arithprogression_tiling.h"
#include "tiling/math/acos_tiling.h"
#include "tiling/math/acosh_tiling.h"
#include "tiling/math/asin_tiling.h"
#include "tiling/math/asinh_tiling.h"
#include "tiling/math/atan_tiling.h"
#include "tiling/math/atanh_tiling.h"
#include "tiling/math/axpy_tiling.h"
#include "tiling/math/ceil_tiling.h"
#include "tiling/math/clamp_tiling.h"
#include "tiling/math/cos_tiling.h"
#include "tiling/math/cosh_tiling.h"
#include "tiling/math/cumsum_tiling.h"
#include "tiling/math/digamma_tiling.h"
#include "tiling/math/erf_tiling.h"
#include "tiling/math/erfc_tiling.h"
#include "tiling/math/exp_tiling.h"
#include "tiling/math/floor_tiling.h"
#include "tiling/math/fmod_tiling.h"
#include "tiling/math/frac_tiling.h"
#include "tiling/math/lgamma_tiling.h"
#include "tiling/math/log_tiling.h"
#include "tiling/math/power_tiling.h"
#include "tiling/math/round_tiling.h"
#include "tiling/math/sign_tiling.h"
#include "tiling/math/sin_tiling.h"
#include "tiling/math/sinh_tiling.h"
#include "tiling/math/tan_tiling.h"
#include "tiling/math/tanh_tiling.h"
#include "tiling/math/trunc_tiling.h"
#include "tiling/math/xor_tiling.h"
#include "tiling/matmul/bmm_tiling.h"
#include "tiling/matmul/matmul_tiling.h"
#include "tiling/pad/broadcast_tiling.h"
#include "tiling/pad/pad_tiling.h"
#include "tiling/quantization/ascend_antiquant_tiling.h"
#include "tiling/quantization/ascend_dequant_tiling.h"
#include "tiling/quantization/ascend_quant_tiling.h"

namespace AscendC {

// The names that newer toolkits give to the shapes and types of tilings.
using TensorShape = ge::Shape;
using TensorDataType = ge::DataType;

}  // namespace AscendC
#endif

#endif  // TILING_TILING_API_H
