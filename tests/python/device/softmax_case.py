# SPDX-License-Identifier: Apache-2.0
"""Helpers that the tests of the softmax family share."""

from __future__ import annotations

import numpy as np

from .advanced_machine import TYPES, Array
from .rows_machine import WIDE, RowsCase, close, typed

SOFTMAX, ALONE, SIMPLE, FLASH, FLASH_V2, LOG, GRAD, GRAD_FRONT, ADJUST = range(9)
ENOUGH = 96 * 1024
#: Types of src, with bits that select an overload; WIDE means float sums for half.
KINDS = [("float", 0), ("half", 0), ("half", WIDE)]
SHAPES = [(4, 16, 16), (5, 32, 29), (9, 64, 64), (17, 48, 33), (1, 1024, 1000), (3, 208, 193)]


def stat_of(dtype: str, form: int) -> str:
    return "float" if form & WIDE else dtype


def tiling_of(m: int, k: int, stat: str, split: int | None = None) -> tuple[int, ...]:
    """Returns the fields of a tiling, as the toolkit defines them, for `split` rows at once."""
    split = split or m
    block = 32 // TYPES[stat].itemsize
    full, tail = divmod(m, split)
    return (
        m, k, m * k, m, block, m * block, split, k, split * k, split, block, split * block,
        full, tail, tail * k, tail * block,
    )  # fmt: skip


def case_of(
    op: int, dtype: str, form: int, shape: tuple[int, int, int], split: int | None = None
) -> RowsCase:
    m, k, valid = shape
    tiling = tiling_of(m, k, stat_of(dtype, form), split)
    return RowsCase(op=op, dtype=dtype, form=form, n=(m, k, m, valid), tiling=tiling)


def inputs(shape: tuple[int, int, int], dtype: str, rng: np.random.Generator) -> Array:
    """Returns rows with padding of 50. A sum or maximum that includes padding would be wrong."""
    m, k, valid = shape
    x = rng.normal(0, 3, (m, k))
    x[:, valid:] = 50.0
    return typed(x, dtype)


def columns(values: Array, dtype: str) -> Array:
    """Returns a block of 32 B for each row, with the row's value in every element."""
    return np.repeat(typed(values, dtype)[:, None], 32 // TYPES[dtype].itemsize, axis=1)


def soft(x: Array, valid: int) -> tuple[Array, Array, Array]:
    """Returns exp(x - max) for all columns, and the sums and maxima of the valid columns."""
    wide = x.astype(np.float64)
    top = wide[:, :valid].max(axis=1)
    exps = np.exp(wide - top[:, None])
    return exps, exps[:, :valid].sum(axis=1), top


def nz(x: Array) -> Array:
    """Converts a matrix (m, k) to NZ, which has stripes of 16 columns."""
    m, k = x.shape
    return np.ascontiguousarray(x.reshape(m, k // 16, 16).transpose(1, 0, 2))


def check_column(raw: Array, dtype: str, want: Array) -> None:
    got = raw.view(TYPES[dtype]).reshape(len(want), -1)
    assert (got == got[:, :1]).all()
    close(got[:, 0], want, dtype)
