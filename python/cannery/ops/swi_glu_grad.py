# SPDX-License-Identifier: Apache-2.0
"""SwiGluGrad: gradient of silu(A) * B with respect to [A | B]."""

from __future__ import annotations

from typing import Any, cast

from cannery import vendor_folder
from cannery.ops.arguments import Array, input_array, int64, output_array

__all__ = ["swi_glu_grad"]


def swi_glu_grad(y_grad: Array | None, x: Array | None, dim: Any = -1) -> Array:
    """Returns the gradient of SwiGLU, silu(A) * B, with respect to x, which is [A | B] along `dim`.

    y_grad: x.shape with dimension `dim` halved.     x: rank 1 to 8, no empty dimension,
    x.shape[dim] even. Both are float16, bfloat16 (ml_dtypes) or float32, of one dtype, with any
    strides.
    dim: in [-rank, rank - 1].
    Returns a contiguous array of x.shape and x.dtype; 16-bit types are computed in float32 and
    rounded once.

    Raises AclnnError with status 161001 (None for an array), 161002 (dtype, rank, shape, dim, no
    element) or 561002 (x.shape[dim] is odd); TypeError if an argument is not an array of numbers or
    not a whole number; KernelError if the kernel fails.
    """
    gradient = input_array("y_grad", y_grad)
    source = input_array("x", x)
    axis = int64("aclnnSwiGluGradGetWorkspaceSize", "dim", dim)
    # If x is None, the output has no shape. The API then reports None before it reads the output.
    result = None if source is None else output_array(source.shape, source.dtype)
    vendor_folder.operator("swi_glu_grad")(gradient, source, axis, result)
    return cast("Array", result)
