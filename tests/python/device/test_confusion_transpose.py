# SPDX-License-Identifier: Apache-2.0
"""Compares the seven modes of ConfusionTranspose with NumPy's transposes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from .advanced_machine import TYPES, Array
from .conftest import Compile
from .rows_machine import WITH_TMP, RowsCase, RowsMachine

LAYOUT = 5
SWAP_ND, SWAP_NZ, SPLIT_NZ, SPLIT_ND, JOIN_ND, JOIN_NZ, PLAIN = range(1, 8)


@pytest.fixture(scope="module")
def unit(compile_device: Compile) -> RowsMachine:
    return RowsMachine(compile_device("advanced_rows"))


def up(n: int) -> int:
    return (n + 15) // 16 * 16


def padded(x: Array, *sizes: int) -> Array:
    """Appends zeros to the last dimensions of `x` up to `sizes`."""
    lead = x.ndim - len(sizes)
    wide = [(0, 0)] * lead + [(0, s - o) for s, o in zip(sizes, x.shape[lead:], strict=True)]
    return np.pad(x, wide)


def nz(x: Array) -> Array:
    """Converts matrices (..., rows, columns) to NZ; both sizes are padded to multiples of 16."""
    x = padded(x, up(x.shape[-2]), up(x.shape[-1]))
    *lead, rows, columns = x.shape
    return np.ascontiguousarray(np.moveaxis(x.reshape(*lead, rows, columns // 16, 16), -2, -3))


def tiling_of(kind: int, dims: tuple[int, ...], size: int, scratch: int) -> list[int]:
    block = 32 // size
    if kind == PLAIN:
        h, w = dims
        return [block, h, w, h // 16, h, w // block]
    b, n, s, d = dims
    if kind in (SWAP_ND, SWAP_NZ):
        a2, a3, piece = up(s), up(d), scratch // size // 256 * 256
        main, tail = divmod(a2 * 16, piece)
        return [
            block, b, n, a3, a2, a3 // 16, piece, piece // 16, a2 * 16, main, tail, a2 * a3,
            n * a2 * a3, n * a3, n * 16, piece // 16 * main * n * a3,
        ]  # fmt: skip
    width, rows, head = n * d, up(s), up(d)
    if kind == SPLIT_NZ:
        return [
            block, b, n, d, 16 // block, width, up(width) // 16, rows // 16, up(width), rows,
            head // 16, head, head - d, rows * 16, n * head // 16, n * head * rows,
            up(width) * rows,
        ]  # fmt: skip
    if kind == SPLIT_ND:
        return [
            block, b, n, d, width, up(width) // 16, rows // 16, head // 16, head, head - d,
            rows * 16, n * head // 16, rows * head, head * 16, head * block, n * head * rows,
            up(width) * rows, 16 // block,
        ]  # fmt: skip
    return [
        block, b, n, d, width, up(width) // 16, rows // 16, head // 16, up(width), rows * 16,
        up(width) * 16, block * up(width), n * head * rows, up(width) * rows, 16 // block,
    ]  # fmt: skip


def expected(kind: int, x: Array) -> tuple[Array, Array, Array]:
    """Returns source, result and a mask of the result's defined elements for (b, n, s, d)."""
    b, n, s, d = x.shape
    whole = np.ones_like(x, bool)
    merged = x.transpose(0, 2, 1, 3).reshape(b, s, n * d)
    valid = whole.transpose(0, 2, 1, 3).reshape(b, s, n * d)
    if kind in (SWAP_ND, SWAP_NZ):  # the library also moves the padding
        wide = padded(x, up(s), up(d))
        turned = wide.transpose(0, 2, 1, 3)
        if kind == SWAP_NZ:
            turned = np.moveaxis(turned.reshape(b, up(s), n, up(d) // 16, 16), -2, -3)
        return nz(x), turned, np.ones(turned.shape, bool)
    if kind in (SPLIT_NZ, SPLIT_ND):
        heads, known = padded(x, up(s), up(d)), padded(whole, up(s), up(d))
        known[:, :, s:, :d] = True  # the library also moves the rows of padding
        if kind == SPLIT_NZ:
            return nz(merged), nz(heads), nz(known)
        return nz(merged), heads, known
    joined, known = padded(merged, up(s), up(n * d)), padded(valid, up(s), up(n * d))
    known[:, s:, : n * d] = True
    if kind == JOIN_NZ:
        return nz(x), nz(joined), nz(known)
    return nz(x), joined, known


@pytest.mark.parametrize("form", [0, WITH_TMP])
@pytest.mark.parametrize("dtype", ["half", "float"])
@pytest.mark.parametrize("kind", [SWAP_ND, SWAP_NZ, SPLIT_NZ, SPLIT_ND, JOIN_ND, JOIN_NZ])
def test_heads(
    unit: RowsMachine, rng: np.random.Generator, kind: int, dtype: str, form: int
) -> None:
    size = TYPES[dtype].itemsize
    for dims in ((1, 2, 16, 16), (2, 3, 32, 48), (1, 2, 17, 40), (2, 4, 16, 24)):
        x = rng.integers(1, 2**15, dims).astype(TYPES[dtype])
        src, want, known = expected(kind, x)
        scratch = 2048
        case = RowsCase(
            op=LAYOUT, dtype=dtype, form=form, n=(kind,),
            tiling=tuple(tiling_of(kind, dims, size, scratch)),
        )  # fmt: skip
        (dst,) = unit.call(case, [want.nbytes, src], [0], rng, scratch if form else 0)
        got = dst.view(x.dtype).reshape(want.shape)
        np.testing.assert_array_equal(got[known], want[known])
        if dtype == "float":  # a poisoned float is NaN; a poisoned half may be a number
            assert np.isnan(got[~known]).all()


@pytest.mark.parametrize("dtype", ["half", "float"])
def test_plain(unit: RowsMachine, rng: np.random.Generator, dtype: str) -> None:
    for dims in ((16, 16), (48, 32), (16, 80)):
        x = rng.integers(0, 2**15, dims).astype(TYPES[dtype])
        case = RowsCase(
            op=LAYOUT, dtype=dtype, n=(PLAIN,), form=0,
            tiling=tuple(tiling_of(PLAIN, dims, x.itemsize, 0)),
        )  # fmt: skip
        (dst,) = unit.call(case, [x.nbytes, x], [0], rng)
        np.testing.assert_array_equal(dst.view(x.dtype).reshape(dims[::-1]), x.T)


def test_what_is_refused(unit: RowsMachine, rng: np.random.Generator) -> None:
    dims = (1, 2, 16, 16)
    x = np.zeros(dims, np.float32)
    case = RowsCase(op=LAYOUT, n=(SPLIT_ND,), tiling=tuple(tiling_of(SPLIT_ND, dims, 4, 0)))
    unit.refused("T722", "TransposeType 8", replace(case, n=(8,)), [x.nbytes, x], rng, 4096)
    unit.refused("T700", "ConfusionTranspose finds 1024 B", case, [x.nbytes, x], rng, 1024)
    wrong = list(case.tiling)
    wrong[8] = 32
    unit.refused(
        "T720", "param8 = 32", replace(case, tiling=tuple(wrong)), [x.nbytes, x], rng, 4096
    )
    empty = replace(case, tiling=(8,))
    unit.refused("T703", "none is 0", empty, [x.nbytes, x], rng, 4096)
    unit.refused("T702", "writes dstTensor", case, [x, x], rng, 4096, alias={1: 0})
