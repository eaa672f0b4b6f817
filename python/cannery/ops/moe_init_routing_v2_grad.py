# SPDX-License-Identifier: Apache-2.0
"""MoeInitRoutingV2Grad: for each token, the sum of the gradients of its copies."""

from __future__ import annotations

from typing import Any, cast

from cannery import vendor_folder
from cannery.ops.arguments import Array, input_array, int64, output_array

__all__ = ["moe_init_routing_v2_grad"]

_API = "aclnnMoeInitRoutingV2GradGetWorkspaceSize"


def moe_init_routing_v2_grad(
    grad_expanded_x: Array | None,
    expanded_row_idx: Array | None,
    top_k: Any,
    drop_pad_mode: Any = 0,
    active_num: Any = 0,
) -> Array:
    """Returns for each token the sum of the K = top_k rows that `expanded_row_idx` names.

    grad_expanded_x: (N * K, H); (active_num, H) if active_num > 0; (E, C, H) if drop_pad_mode is 1.
    float16, bfloat16 (ml_dtypes) or float32, any strides.
    expanded_row_idx: (N * K,) int32, K values for each token, token after token. A value that is no
    row of grad_expanded_x is skipped.
    drop_pad_mode: 0 or 1.   active_num: at least 0; without effect in mode 1.
    Returns a contiguous (N, H) array of grad_expanded_x.dtype; the sums are computed in float32 and
    rounded once. A token whose K values are all skipped gets zeros.

    Raises AclnnError with status 161001 (None for an array), 161002 (dtype) or 561002 (top_k,
    drop_pad_mode, active_num, shapes); TypeError if an argument is not an array of numbers or not a
    whole number; KernelError if the kernel fails.
    """
    gradient = input_array("grad_expanded_x", grad_expanded_x)
    index = input_array("expanded_row_idx", expanded_row_idx)
    slots = int64(_API, "top_k", top_k)
    mode = int64(_API, "drop_pad_mode", drop_pad_mode)
    active = int64(_API, "active_num", active_num)
    # If an input is None, the output has no shape. The API then reports the missing input before it
    # reads the output.
    result = None
    if gradient is not None and index is not None:
        tokens = index.size // slots if slots > 0 else 0
        columns = gradient.shape[-1] if gradient.ndim else 0
        result = output_array((tokens, columns), gradient.dtype)
    vendor_folder.operator("moe_init_routing_v2_grad")(gradient, index, slots, mode, active, result)
    return cast("Array", result)
