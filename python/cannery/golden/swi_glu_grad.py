# SPDX-License-Identifier: Apache-2.0
"""Golden of SwiGluGrad: computes the expected outputs in NumPy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

__all__ = ["swi_glu_grad", "swi_glu_grad_scale", "swi_glu_grad_scaled"]

Array = npt.NDArray[Any]
Halves = Callable[[Array, Array, Array], tuple[Array, ...]]

# Elements in one block; the temporaries of a block fit into the caches of a CPU core.
_BLOCK_ELEMS = 1 << 15


def swi_glu_grad(
    y_grad: Array,
    x: Array,
    dim: int = -1,
    *,
    precision: Literal["float64", "float32"] = "float64",
    out_dtype: npt.DTypeLike | None = None,
) -> Array:
    """Returns the gradient of silu(A) * B with respect to x, which is [A | B] along `dim`.

    y_grad: x.shape with dimension `dim` halved.   x: any shape, x.shape[dim] even.
    precision "float64": the exact reference, returned in float64, not rounded.
    precision "float32": the operator's own arithmetic and order of operations, rounded once to
    x.dtype.
    out_dtype: another dtype for the result. NaN and inf propagate as IEEE says.
    """
    work = np.dtype(precision)
    if work not in (np.dtype(np.float64), np.dtype(np.float32)):
        raise ValueError(f"precision: expected float64 or float32, got {precision!r}")
    last = work if precision == "float64" else x.dtype
    result_dtype = np.dtype(last if out_dtype is None else out_dtype)
    # With 16-bit inputs, m is multiplied by g before b; the order only changes what overflows.
    gradient_first = x.dtype.itemsize == 2

    def halves(g: Array, a: Array, b: Array) -> tuple[Array, ...]:
        g, a, b = (part.astype(work) for part in (g, a, b))
        s = 1 / (1 + np.exp(-a))
        m = (s * (1 - s)) * a + s
        left = (m * g) * b if gradient_first else (m * b) * g
        return left, (s * a) * g

    with np.errstate(all="ignore"):
        return _by_blocks(y_grad, x, dim, result_dtype, halves, 1)[0]


def swi_glu_grad_scale(y_grad: Array, x: Array, dim: int = -1) -> Array:
    """Returns the magnitude of the terms that each result sums, in float64: the `scale` of
    `testing.assert_close`.

    Near A = -1.278 the two terms of the first half cancel each other, so a relative error is
    useless there. The second half is a product and no sum, so its scale is 0.
    """
    return swi_glu_grad_scaled(y_grad, x, dim)[1]


def swi_glu_grad_scaled(y_grad: Array, x: Array, dim: int = -1) -> tuple[Array, Array]:
    """Returns `swi_glu_grad` in float64 and `swi_glu_grad_scale`, from one pass over the inputs."""
    gradient_first = x.dtype.itemsize == 2

    def halves(g: Array, a: Array, b: Array) -> tuple[Array, ...]:
        g, a, b = (part.astype(np.float64) for part in (g, a, b))
        s = 1 / (1 + np.exp(-a))
        slope = s * (1 - s)
        m = slope * a + s
        left = (m * g) * b if gradient_first else (m * b) * g
        return left, (s * a) * g, (s + slope * np.abs(a)) * np.abs(b * g), np.zeros_like(a)

    with np.errstate(all="ignore"):
        want, scale = _by_blocks(y_grad, x, dim, np.dtype(np.float64), halves, 2)
        return want, scale


def _by_blocks(
    y_grad: Array, x: Array, dim: int, dtype: np.dtype[Any], halves: Halves, results: int
) -> list[Array]:
    """Applies `halves` to blocks of the inputs, reshaped to two dimensions for any `dim`. Returns
    `results` arrays of x.shape; for each array, `halves` returns the first and the second half.
    """
    axis = range(x.ndim)[dim]
    extent = x.shape[axis]
    expected = (*x.shape[:axis], extent // 2, *x.shape[axis + 1 :])
    if extent % 2 or y_grad.shape != expected:
        raise ValueError(
            f"y_grad: expected x.shape with dimension {axis} halved, "
            f"got {y_grad.shape} for {x.shape}"
        )
    rows = int(np.prod(x.shape[:axis], dtype=np.int64))
    columns = int(np.prod(expected[axis:], dtype=np.int64))
    gradient = y_grad.reshape(rows, columns)
    source = x.reshape(rows, 2, columns)
    arrays = [np.empty((rows, 2, columns), dtype) for _ in range(results)]
    for part in _blocks(rows, columns):
        made = halves(gradient[part], source[part[0], 0, part[1]], source[part[0], 1, part[1]])
        for place, half in enumerate(made):
            arrays[place // 2][part[0], place % 2, part[1]] = half
    return [array.reshape(x.shape) for array in arrays]


def _blocks(rows: int, columns: int) -> Iterator[tuple[slice, slice]]:
    width = max(1, min(columns, _BLOCK_ELEMS))
    height = max(1, _BLOCK_ELEMS // width)
    for row in range(0, rows, height):
        for column in range(0, columns, width):
            yield slice(row, row + height), slice(column, column + width)
