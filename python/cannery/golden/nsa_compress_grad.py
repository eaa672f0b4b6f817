# SPDX-License-Identifier: Apache-2.0
"""Golden of NsaCompressGrad: computes the expected outputs in NumPy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

__all__ = ["nsa_compress_grad", "nsa_compress_grad_scale", "nsa_compress_windows"]

Array = npt.NDArray[Any]

# Rows are converted in blocks, so that temporaries stay near 100 MB for arrays of any size.
_BLOCK_ELEMS = 1 << 23


def nsa_compress_windows(
    rows: int, act_seq_len: Sequence[int] | Array | None, block_size: int, stride: int
) -> npt.NDArray[np.int64]:
    """Returns the first row of every window, in the order of output_grad.

    rows: T.   act_seq_len: ends of the sequences; None means one sequence of `rows` rows.
    Raises ValueError if the ends decrease, are negative, or are larger than `rows`.
    """
    starts = [np.empty(0, np.int64)]
    begin = 0
    for end in [rows] if act_seq_len is None else [int(end) for end in act_seq_len]:
        if not begin <= end <= rows:
            raise ValueError(f"act_seq_len: expected {begin} to {rows}, got {end}")
        starts.append(np.arange(begin, end - block_size + 1, stride, dtype=np.int64))
        begin = end
    return np.concatenate(starts)


def nsa_compress_grad(
    output_grad: Array,
    input: Array,  # noqa: A002  the operator's own name
    weight: Array,
    act_seq_len: Sequence[int] | Array | None = None,
    *,
    compress_block_size: int,
    compress_stride: int,
    precision: Literal["float64", "float32"] = "float64",
    out_dtype: npt.DTypeLike | None = None,
) -> tuple[Array, Array]:
    """Returns the gradients of the pooling with respect to `input` and `weight`.

    output_grad: (M, N, D).   input: (T, N, D).   weight: (compress_block_size, N).
    act_seq_len: ends of the sequences; None means one sequence of T rows.
    precision "float64": the exact reference, returned in float64, not rounded.
    precision "float32": the operator's own arithmetic, rounded once to input.dtype.
    out_dtype: another dtype for the results. NaN and inf propagate as IEEE says.
    """
    work = np.dtype(precision)
    if work not in (np.dtype(np.float64), np.dtype(np.float32)):
        raise ValueError(f"precision: expected float64 or float32, got {precision!r}")
    last = work if precision == "float64" else input.dtype
    result_dtype = np.dtype(last if out_dtype is None else out_dtype)
    starts = nsa_compress_windows(input.shape[0], act_seq_len, compress_block_size, compress_stride)
    _check(output_grad, input, weight, len(starts), compress_block_size)
    with np.errstate(all="ignore"):
        input_grad, weight_grad = _gradients(output_grad, input, weight, starts, work)
        return input_grad.astype(result_dtype, copy=False), weight_grad.astype(result_dtype)


def nsa_compress_grad_scale(
    output_grad: Array,
    input: Array,  # noqa: A002  the operator's own name
    weight: Array,
    act_seq_len: Sequence[int] | Array | None = None,
    *,
    compress_block_size: int,
    compress_stride: int,
) -> tuple[Array, Array]:
    """Returns both gradients with each term replaced by its absolute value, in float64: the `scale`
    of `testing.assert_close`. If terms cancel each other, the relative error of a sum is useless.
    """
    return nsa_compress_grad(
        np.abs(output_grad),
        np.abs(input),
        np.abs(weight),
        act_seq_len,
        compress_block_size=compress_block_size,
        compress_stride=compress_stride,
    )


def _check(output_grad: Array, x: Array, weight: Array, windows: int, block_size: int) -> None:
    if x.ndim != 3 or output_grad.shape != (windows, *x.shape[1:]):
        raise ValueError(
            f"output_grad: expected ({windows}, N, D) for input (T, N, D), "
            f"got {output_grad.shape} for {x.shape}"
        )
    if weight.shape != (block_size, x.shape[1]):
        raise ValueError(f"weight: expected {(block_size, x.shape[1])}, got {weight.shape}")


def _gradients(
    output_grad: Array, x: Array, weight: Array, starts: Array, work: np.dtype[Any]
) -> tuple[Array, Array]:
    size = len(weight)
    factors = weight.astype(work)[:, :, None]
    input_grad = np.zeros(x.shape, work)
    weight_grad = np.zeros(weight.shape, work)
    for windows in _blocks(starts, size, x[0].size):
        first = starts[windows.start]
        rows = x[first : starts[windows.stop - 1] + size].astype(work)
        gradients = output_grad[windows].astype(work)
        partial = np.zeros(weight.shape, work)
        for start, gradient in zip(starts[windows], gradients, strict=True):
            input_grad[start : start + size] += factors * gradient
            partial += np.einsum("rnd,nd->rn", rows[start - first : start - first + size], gradient)
        weight_grad += partial
    return input_grad, weight_grad


def _blocks(starts: Array, size: int, row_elems: int) -> Iterator[slice]:
    """Yields groups of windows. A group has at least one window, and so few rows that they can be
    converted at once.
    """
    begin = 0
    most = max(size, _BLOCK_ELEMS // row_elems)
    while begin < len(starts):
        end = int(np.searchsorted(starts, starts[begin] + most - size, side="right"))
        yield slice(begin, end)
        begin = end
