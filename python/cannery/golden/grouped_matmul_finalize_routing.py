# SPDX-License-Identifier: Apache-2.0
"""Golden of GroupedMatmulFinalizeRouting: computes the expected outputs in NumPy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["grouped_matmul_finalize_routing", "grouped_matmul_finalize_routing_bounded"]

Array = npt.NDArray[Any]
Precision = Literal["float64", "float32"]

# Numbers of rows of x, and of float32 weights, that one step handles. The temporary arrays of
# a step need about 100 MB.
_BLOCK_ROWS = 512
_BLOCK_WEIGHTS = 1 << 24
_HALF_MAX = np.float32(65504)
#: For each byte, its two signed 4-bit numbers, low bits first. _PAIRS: both as float32 in 64 bits.
_NIBBLES = ((np.arange(256)[:, None] >> np.array([0, 4]) & 15) + 8) % 16 - 8
_PAIRS = np.ascontiguousarray(_NIBBLES, np.float32).view(np.uint64).reshape(-1)


class Block(NamedTuple):
    """The product of some rows of one expert and some columns of its weights. `high` and `low` are
    the exact sums for the high and the low 4 bits of x.
    """

    expert: int
    rows: slice
    columns: slice
    high: Array
    low: Array


@dataclass(frozen=True)
class Call:
    """The arrays of one call, prepared for the computation."""

    x: Array
    w: Array
    scale: Array  # (e, n) float32 with the bits that the chip reads
    bias: Array
    factor: Array  # (m,) in the dtype of the result
    row_index: Array
    groups: list[slice]

    @property
    def columns(self) -> int:
        return int(self.scale.shape[1])


def grouped_matmul_finalize_routing(
    x: Array,
    w: Array,
    scale: Array,
    bias: Array,
    pertoken_scale: Array,
    group_list: Array,
    shared_input: Array,
    logit: Array,
    row_index: Array,
    *,
    output_bs: int,
    shared_input_weight: float = 1.0,
    shared_input_offset: int = 0,
    group_list_type: int = 1,
    precision: Precision = "float64",
) -> Array:
    """Returns for each token the sum of its experts' dequantised rows and the shared expert's row.

    x: (m, k) int8.   w: (e, k, n / 8) int32 of packed int4, or (e, k, n) of any integers from -8 to
    7.   scale: (e, 1, n) int64, whose low half has the bits of a float32.   bias: (e, n) float32.
    pertoken_scale, logit: (m,) float32.   group_list: (e,) counts (type 1) or cumulative sums (type
    0) of rows; experts without rows, or with a negative count, are skipped. shared_input: (rows, n)
    bfloat16.   row_index: (m,); a value that is no row of y is skipped. Returns (output_bs, n) of
    dtype `precision`. "float64" rounds only the sums of y. "float32" computes like the reference:
    the sums for the high and the low 4 bits of x are multiplied by scale and rounded to float16
    (saturated). Everything else is computed in float32, row by row of x.
    """
    if precision not in ("float64", "float32"):
        raise ValueError(f"precision: expected float64 or float32, got {precision!r}")
    factor: Array = pertoken_scale.astype(precision) * logit.astype(precision)
    groups = _groups(group_list, group_list_type, len(x))
    call = Call(x, w, _multipliers(scale), bias, factor, row_index, groups)
    y: Array = np.zeros((output_bs, call.columns), precision)
    end = shared_input_offset + len(shared_input)
    y[shared_input_offset:end] = _times(shared_input, shared_input_weight, y.dtype)
    for block in _blocks(call):
        _scatter(y, call, block, _dequantised(call, block, precision))
    return y


def grouped_matmul_finalize_routing_bounded(
    x: Array,
    w: Array,
    scale: Array,
    bias: Array,
    pertoken_scale: Array,
    group_list: Array,
    shared_input: Array,
    logit: Array,
    row_index: Array,
    *,
    output_bs: int,
    shared_input_weight: float = 1.0,
    shared_input_offset: int = 0,
    group_list_type: int = 1,
) -> tuple[Array, Array]:
    """Returns the float64 golden, and for each element the largest error that a conforming
    implementation can have.

    Rounding the sums for the high and low 4 bits to float16 causes errors up to 2^-11 of each sum.
    The float32 arithmetic adds at most a quarter of this error. Summing y adds 2^-20 of each term.
    """
    factor: Array = pertoken_scale.astype(np.float64) * logit.astype(np.float64)
    groups = _groups(group_list, group_list_type, len(x))
    call = Call(x, w, _multipliers(scale), bias, factor, row_index, groups)
    y: Array = np.zeros((output_bs, call.columns), np.float64)
    end = shared_input_offset + len(shared_input)
    y[shared_input_offset:end] = _times(shared_input, shared_input_weight, y.dtype)
    bound = 2.0**-20 * np.abs(y)
    for block in _blocks(call):
        dequantised = _dequantised(call, block, "float64")
        _scatter(y, call, block, dequantised)
        scales = np.abs(call.scale[block.expert, block.columns].astype(np.float64))
        digits = (16 * np.abs(block.high) + np.abs(block.low)) * scales
        error = 1.25 * 2.0**-11 * digits + 2.0**-20 * np.abs(dequantised)
        _scatter(bound, call, block, error, absolute=True)
    return y, bound


def _multipliers(scale: Array) -> Array:
    """Returns the factors that the chip multiplies by: a sign, 8 exponent and 10 mantissa bits of a
    float32.
    """
    bits = scale[:, 0].astype(np.uint64) & np.uint64(0xFFFFE000)
    multipliers: Array = bits.astype(np.uint32).view(np.float32)
    return multipliers


def _times(shared: Array, weight: float, dtype: np.dtype[Any]) -> Array:
    """Returns `shared` times the weight, which is first rounded to float32, as in C."""
    product: Array = shared.astype(dtype) * dtype.type(np.float32(weight))
    return product


def _groups(group_list: Array, group_list_type: int, rows: int) -> list[slice]:
    """Returns the rows of each expert, limited to the rows that x has."""
    if group_list_type not in (0, 1):
        raise ValueError(f"group_list_type: expected 0 or 1, got {group_list_type!r}")
    values = group_list.tolist()  # Python's integers, whose differences do not overflow
    begins = [0, *values[:-1]] if group_list_type == 0 else [0] * len(values)
    groups, end = [], 0
    for begin, value in zip(begins, values, strict=True):
        groups.append(slice(end, end := min(end + max(value - begin, 0), rows)))
    return groups


def _blocks(call: Call) -> Iterator[Block]:
    step = max(8, _BLOCK_WEIGHTS // max(1, call.x.shape[1]) // 8 * 8)
    for expert, group in enumerate(call.groups):
        for column in range(0, call.columns, step) if group.start < group.stop else ():
            columns = slice(column, min(column + step, call.columns))
            weights = _weights(call.w[expert], columns)
            for row in range(group.start, group.stop, _BLOCK_ROWS):
                rows = slice(row, min(row + _BLOCK_ROWS, group.stop))
                x = call.x[rows]
                digits = np.concatenate([x >> 4, (x & 15) - 8]).astype(np.float32)
                # Every partial sum is an integer below 2^24, so float32 computes it exactly.
                sums = digits @ weights
                yield Block(expert, rows, columns, sums[: len(x)], sums[len(x) :])


def _weights(w: Array, columns: slice) -> Array:
    if w.dtype != np.int32:
        return w[:, columns].astype(np.float32)
    words = np.ascontiguousarray(w[:, columns.start // 8 : columns.stop // 8], "<i4")
    return _PAIRS[words.view(np.uint8)].view(np.float32)


def _dequantised(call: Call, block: Block, precision: Precision) -> Array:
    scale = call.scale[block.expert, block.columns]
    bias = call.bias[block.expert, block.columns]
    if precision == "float64":
        exact: Array = (16.0 * block.high + block.low.astype(np.float64)) * scale + bias
        return exact
    halves = (
        np.clip(digit * scale, -_HALF_MAX, _HALF_MAX).astype(np.float16).astype(np.float32)
        for digit in (block.high, block.low)
    )
    rounded: Array = np.float32(16) * next(halves) + next(halves) + bias
    return rounded


def _scatter(y: Array, call: Call, block: Block, rows: Array, *, absolute: bool = False) -> None:
    """Adds each of `rows`, times its factor, to a row of y; the fixed order makes the sums
    reproducible.
    """
    factor = call.factor[block.rows, None]
    values = (np.abs(factor) if absolute else factor) * rows
    for value, target in zip(values, call.row_index[block.rows].tolist(), strict=True):
        if 0 <= target < len(y):
            y[target, block.columns] += value
