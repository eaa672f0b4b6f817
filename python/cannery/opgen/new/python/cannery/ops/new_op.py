# SPDX-License-Identifier: Apache-2.0
"""NewOp: copies its input."""

from __future__ import annotations

from typing import cast

from cannery import _runtime
from cannery.ops.arguments import Array, input_array, output_array

__all__ = ["new_op"]


def new_op(x: Array | None) -> Array:
    """A copy of `x`.

    x: float16, bfloat16 (ml_dtypes) or float32; rank 1 to 8, no empty dimension; any strides.
    Returns a contiguous array of x.shape and x.dtype.

    Raises AclnnError with status 161001 (None for an array) or 161002 (dtype, rank, no element);
    TypeError for what is no array of numbers; KernelError when the kernel fails.
    """
    source = input_array("x", x)
    # Without x there is no shape to allocate; the API then names x before it looks at the output.
    result = None if source is None else output_array(source.shape, source.dtype)
    _runtime.operator("new_op")(source, result)
    return cast("Array", result)
