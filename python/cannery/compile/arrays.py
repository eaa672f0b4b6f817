# SPDX-License-Identifier: Apache-2.0
"""Checks the arrays of a kernel call, and describes arrays of another type than the kernel uses."""

from __future__ import annotations

from typing import Any

import numpy as np

from cannery.ops.arguments import check_numbers

__all__ = ["check_array", "type_warning"]

_NUMPY_TYPES = {
    "half": "np.float16",
    "bfloat16_t": "ml_dtypes.bfloat16",
    "float": "np.float32",
    "double": "np.float64",
    "bool": "np.bool_",
    "int4b_t": "ml_dtypes.int4",
}  # all other names lose their "_t": int8_t is np.int8


def check_array(where: str, array: Any, last: list[str]) -> None:
    """Raises TypeError or ValueError unless a kernel can use the array. last: the names of the
    given values, workspace and tiling, that are the kernel's last parameters.
    """
    try:
        check_numbers(where, array)
    except TypeError as error:
        if not last or isinstance(array, np.ndarray):
            raise
        raise TypeError(
            f"{error}; the {last[0]} of a launch is the last parameter"
            f"{', after the workspace' if len(last) > 1 else ''}: if the kernel has one before, "
            "pass an array for it"
        ) from None
    if not array.flags.c_contiguous:
        raise ValueError(
            f"{where}: expected a C-contiguous array, got strides {array.strides} "
            f"for shape {array.shape}; a kernel sees bare memory, so pass np.ascontiguousarray(...)"
        )
    if not array.flags.aligned:
        raise ValueError(f"{where}: expected elements at multiples of {array.itemsize} bytes")


def type_warning(name: str | int, where: str, element: str | None, dtype: np.dtype[Any]) -> str:
    """Returns the text of the warning that a kernel uses an array of `dtype` as `element`.

    name: the parameter, or its position.   where: such as "of kernel add".   element: the kernel's
    element type; None: any element type of a kernel is wrong, because the numbers are complex.
    """
    array = name if isinstance(name, str) else "array"
    if element is None:
        return (
            f"argument {name} {where} is an array of {dtype}, but no element type of a kernel is "
            f"complex\n  try: {array}.view(np.float{dtype.itemsize * 4}): the real and the "
            "imaginary part of each number, one after the other"
        )
    numpy_type = _NUMPY_TYPES.get(element, f"np.{element.removesuffix('_t')}")
    default = ", NumPy's default" if dtype == np.float64 else ""
    return (
        f"argument {name} {where} is an array of {dtype}{default}, but the kernel takes it for "
        f"GlobalTensor<{element}>\n"
        f"  try: {array}.astype({numpy_type}), for an output np.empty(shape, {numpy_type}); "
        f"if the array holds the bits of such numbers, {array}.view({numpy_type})"
    )
