# SPDX-License-Identifier: Apache-2.0
"""Golden of MoeInitRoutingV2Grad: computes the expected outputs in NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

__all__ = ["moe_init_routing_v2_grad", "moe_init_routing_v2_grad_scale"]

Array = npt.NDArray[Any]

# Elements in one block; the temporaries of a block fit into the caches of a CPU core.
_BLOCK_ELEMS = 1 << 16


def moe_init_routing_v2_grad(
    grad_expanded_x: Array,
    expanded_row_idx: Array,
    top_k: int,
    drop_pad_mode: int = 0,
    active_num: int = 0,
    *,
    precision: Literal["float64", "float32"] = "float64",
    out_dtype: npt.DTypeLike | None = None,
) -> Array:
    """Returns for each token the sum of the top_k rows that `expanded_row_idx` names.

    grad_expanded_x: (..., H), R rows in all.   expanded_row_idx: (N * top_k,), any values; values
    outside [0, R) are skipped. So drop_pad_mode and active_num need not be used.
    precision "float64": the exact reference, (N, H) in float64, not rounded.
    precision "float32": summed in float32, row after row, rounded once to grad_expanded_x.dtype.
    out_dtype: another dtype for the result. NaN and inf propagate as IEEE says.
    """
    del drop_pad_mode, active_num
    work = np.dtype(precision)
    if work not in (np.dtype(np.float64), np.dtype(np.float32)):
        raise ValueError(f"precision: expected float64 or float32, got {precision!r}")
    last = work if precision == "float64" else grad_expanded_x.dtype
    result_dtype = np.dtype(last if out_dtype is None else out_dtype)
    return _sum_of_rows(
        grad_expanded_x, expanded_row_idx, top_k, work, result_dtype, lambda rows: rows
    )


def moe_init_routing_v2_grad_scale(
    grad_expanded_x: Array, expanded_row_idx: Array, top_k: int
) -> Array:
    """Returns for each token the sum of the absolute values of its rows, in float64: the `scale` of
    `testing.assert_close`. If rows cancel each other, the relative error of the sum is useless.
    """
    double = np.dtype(np.float64)
    return _sum_of_rows(grad_expanded_x, expanded_row_idx, top_k, double, double, np.abs)


def _sum_of_rows(
    grad: Array,
    index: Array,
    slots: int,
    work: np.dtype[Any],
    result_dtype: np.dtype[Any],
    term: Callable[[Array], Array],
) -> Array:
    if index.ndim != 1 or slots <= 0 or index.size % slots:
        raise ValueError(
            f"expanded_row_idx: expected (N * top_k,) with top_k {slots}, got {index.shape}"
        )
    columns = grad.shape[-1]
    rows = grad.reshape(-1, columns)
    by_token = index.reshape(-1, slots)
    result = np.empty((len(by_token), columns), result_dtype)
    step = max(1, _BLOCK_ELEMS // max(1, columns))
    with np.errstate(all="ignore"):
        for first in range(0, len(by_token), step):
            part = slice(first, first + step)
            result[part] = _block(rows, by_token[part], work, term)
    return result


def _block(rows: Array, index: Array, work: np.dtype[Any], term: Callable[[Array], Array]) -> Array:
    total = np.zeros((len(index), rows.shape[1]), work)
    for slot in range(index.shape[1]):
        chosen = index[:, slot]
        valid = (chosen >= 0) & (chosen < len(rows))
        if valid.all():
            total += term(rows[chosen].astype(work))
        else:
            total[valid] += term(rows[chosen[valid]].astype(work))
    return total
