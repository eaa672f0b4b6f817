# SPDX-License-Identifier: Apache-2.0
"""Makes errors about arrays that are too large. NumPy's own errors do not name the argument, and
some of them do not contain the size.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

__all__ = ["SizeError", "check_size", "naming"]

#: The largest number of dimensions that NumPy's arrays have.
_MAX_DIMS = 64
#: NumPy's sizes are smaller than this number.
_INT64_END = 2**63
#: The first words of NumPy's errors about arrays that are too large for NumPy.
_NUMPY_TEXTS = ("array is too big", "Maximum allowed", "maximum supported dimension")


class SizeError(ValueError):
    """An array has too many dimensions, or needs more memory than this machine has."""


def check_size(argument: str, shape: Sequence[int], dtype: np.dtype[Any]) -> None:
    """Raises SizeError if an array with this shape has too many dimensions for NumPy, or does not
    fit into the memory of this machine.
    """
    if len(shape) > _MAX_DIMS:
        raise SizeError(f"{argument}: expected at most {_MAX_DIMS} dimensions, got {len(shape)}")
    size = math.prod(shape) * dtype.itemsize
    if size > _memory():
        raise SizeError(f"{argument}: {_too_large(shape, dtype)}")
    # NumPy also refuses an array without elements if its other extents are too large.
    if math.prod(filter(None, shape)) * dtype.itemsize >= _INT64_END:
        raise SizeError(
            f"{argument}: the extents other than 0 must need less than 2^63 B, "
            f"got {dtype.name}[{','.join(map(str, shape))}]"
        )


@contextmanager
def naming(argument: str) -> Iterator[None]:
    """Within the `with` block, turns NumPy's errors for large arrays into a SizeError that names
    the argument.
    """
    try:
        yield
    except MemoryError as error:
        shape, dtype = getattr(error, "shape", None), getattr(error, "dtype", None)
        what = (
            "not enough memory for the arrays"
            if shape is None
            else _too_large(shape, np.dtype(dtype))
        )
        raise SizeError(f"{argument}: {what}") from error
    except ValueError as error:
        if not str(error).startswith(_NUMPY_TEXTS):
            raise
        most = f"expected arrays that fit into the memory of this machine, {_bytes(_memory())}"
        raise SizeError(f"{argument}: {most}, got one of more than 2^63 B") from error


def _too_large(shape: Sequence[int], dtype: np.dtype[Any]) -> str:
    size = math.prod(shape) * dtype.itemsize
    return (
        f"expected arrays that fit into the memory of this machine, {_bytes(_memory())}, got "
        f"{dtype.name}[{','.join(map(str, shape))}], which needs {_bytes(size)}"
    )


def _bytes(size: int) -> str:
    if size >= _INT64_END:
        return "more than 2^63 B"
    return f"{size} B ({size / 2**30:.1f} GiB)"


def _memory() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
