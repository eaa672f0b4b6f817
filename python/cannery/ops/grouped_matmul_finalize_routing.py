# SPDX-License-Identifier: Apache-2.0
"""GroupedMatmulFinalizeRouting: the second projection of experts, summed per token."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from cannery import vendor_folder
from cannery.errors import from_status
from cannery.ops.arguments import Array, boolean, input_array, int64, output_array, real

__all__ = ["grouped_matmul_finalize_routing"]

_API = "aclnnGroupedMatmulFinalizeRoutingGetWorkspaceSize"
_PARAM_INVALID = 161002
_WEIGHTS_PER_WORD = 8
_TENSORS = (
    "x",
    "w",
    "scale",
    "bias",
    "pertoken_scale",
    "group_list",
    "shared_input",
    "logit",
    "row_index",
)


def grouped_matmul_finalize_routing(
    x: Array | None,
    w: Array | None,
    scale: Array | None,
    bias: Array | None,
    pertoken_scale: Array | None,
    group_list: Array | None,
    shared_input: Array | None,
    logit: Array | None,
    row_index: Array | None,
    *,
    output_bs: Any,
    shared_input_weight: Any = 1.0,
    shared_input_offset: Any = 0,
    group_list_type: Any = 1,
    dtype: Any = 0,
    transpose_x: Any = False,
    transpose_w: Any = False,
) -> Array:
    """Multiplies rows of x by int4 weights of their experts; adds the weighted results per token.

    x: (m, k) int8, the rows of an expert next to each other; k a multiple of 64, 192 to 18432.
    w: (e, k, n / 8) int32 from `cannery.pack_int4`; e up to 256, n a multiple of 8 above 64.
    scale: (e, 1, n) int64, the bits of a float32 in the lower half.   bias: (e, n) float32; the
    bias 8 * (sum over k of w) * scale gives x * w * scale.   pertoken_scale, logit: (m,) float32.
    group_list: (e,) int64 rows per expert (group_list_type 1) or cumulative sums (0). shared_input:
    (rows, n) bfloat16 (ml_dtypes); row i, times shared_input_weight, is added to row
    shared_input_offset + i.   row_index: (m,) int64, the row of the result for each row of x.
    output_bs: rows of the result, at most m.   dtype: 0.   transpose_x, transpose_w: False.
    All arrays may have any strides. The operator does not write to them.
    Returns a contiguous (output_bs, n) float32 array.

    Raises AclnnError with status 161001 (None for an array), 161002 (a dtype, shape or attribute)
    or 561002 (k above 18432); TypeError if an argument is not an array of numbers, not a number or
    not a bool; KernelError if the kernel fails.
    """
    given = (x, w, scale, bias, pertoken_scale, group_list, shared_input, logit, row_index)
    arrays = [input_array(name, value) for name, value in zip(_TENSORS, given, strict=True)]
    call = vendor_folder.operator("grouped_matmul_finalize_routing")
    if any(array is None for array in arrays):
        # If an array is None, the API reports it before it checks the attributes.
        call(*arrays, 0, 1.0, 0, False, False, 1, None)
    attributes = (
        int64(_API, "dtype", dtype),
        real(_API, "shared_input_weight", shared_input_weight),
        int64(_API, "shared_input_offset", shared_input_offset),
        boolean("transpose_x", transpose_x),
        boolean("transpose_w", transpose_w),
        int64(_API, "group_list_type", group_list_type),
    )
    result = _output(arrays, int64(_API, "output_bs", output_bs))
    call(*arrays, *attributes, result)
    return result


def _output(arrays: list[Array | None], rows: int) -> Array:
    """Returns the output; checks output_bs, because the API sees only the output's shape."""
    x, w = cast("Array", arrays[0]), cast("Array", arrays[1])
    most = x.shape[0] if x.ndim else 0
    if not 0 < rows <= most:
        raise from_status(
            _PARAM_INVALID, _API, f"output_bs: expected 1 to {most}, the rows of x, got {rows}"
        )
    columns = w.shape[-1] * _WEIGHTS_PER_WORD if w.ndim else 0
    return output_array((rows, columns), np.dtype(np.float32))
