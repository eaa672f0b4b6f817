# SPDX-License-Identifier: Apache-2.0
"""Compares Matmul with NumPy: batches, copy callbacks, constant tilings, triangular results."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
import pytest

from . import matmul_model as mm
from .conftest import Compile

pytestmark = pytest.mark.slow

Array = mm.Array
NORMAL, BNGSD, BSNGD, SBNGD, CALLBACKS, CONSTANTS, UPPER, LOWER, MIXED = range(9)


@pytest.fixture(scope="session")
def forms(compile_device: Compile) -> Any:
    return compile_device("matmul_forms")


def run(
    forms: Any,
    key: int,
    arrays: tuple[Array, Array],
    out: Array,
    tiling: mm.Tiling,
    bias: Array | None = None,
    batch: tuple[int, int] = (1, 1),
) -> Array:
    tiling.bias = bias is not None
    nothing = np.zeros(8, np.float32)
    case = tiling.pack() + struct.pack("<2i", *batch)
    a, b = (np.ascontiguousarray(x) for x in arrays)
    forms(1, a, b, nothing if bias is None else bias, out, tiling=case, tiling_key=key)
    return out


@pytest.mark.parametrize("batch", [(4, 4), (4, 1), (2, 4)], ids=str)
def test_normal_batch(forms: Any, rng: np.random.Generator, batch: tuple[int, int]) -> None:
    m, n, k, most = 40, 36, 48, max(batch)
    a, b = mm.draw(rng, (batch[0], m, k), "half"), mm.draw(rng, (batch[1], k, n), "half")
    bias = mm.draw(rng, (most, n), "float")
    tiling = mm.Tiling(m, n, k, (m, n, k), (32, 32, 32), (1, 1, 2, 2), (2, 2))
    out = run(forms, NORMAL, (a, b), np.zeros((most, m, n), np.float32), tiling, bias, batch)
    wide = (np.repeat(x, most // len(x), 0) for x in (a, b))
    assert np.array_equal(out, mm.product(*wide) + bias[:, None])


AXES = {  # einsum letters of A, B (transposed) and C
    BNGSD: ("bngsd", "bngtd", "bngst"),
    BSNGD: ("bsngd", "btngd", "bngst"),
    SBNGD: ("sbngd", "tbngd", "sbngt"),
    MIXED: ("bngsd", "btngd", "sbngt"),
}


@pytest.mark.parametrize("groups", [(2, 2), (1, 3), (3, 1)], ids=str)
@pytest.mark.parametrize("key", sorted(AXES))
def test_layouts(forms: Any, rng: np.random.Generator, key: int, groups: tuple[int, int]) -> None:
    """Products of all layouts are right, also if only one operand has several groups."""
    m, n, k = 40, 24, 32
    sizes = {"b": 1, "n": 2 if groups[0] == groups[1] else 1, "s": m, "t": n, "d": k}
    letters = AXES[key]
    g = max(groups)
    extents = [{**sizes, "g": x} for x in (*groups, g)]
    shapes = [tuple(e[c] for c in text) for e, text in zip(extents, letters, strict=True)]
    a, b = mm.draw(rng, shapes[0], "half"), mm.draw(rng, shapes[1], "half")
    order = [("b", "s", "n", "g", "d"), ("b", "t", "n", "g", "d"), ("b", "s", "n", "g", "t")]
    axes = {
        name: tuple(extent[c] for c in names)
        for name, extent, names in zip("ABC", extents, order, strict=True)
    }
    tiling = mm.Tiling(m, n, k, (m, n, k), (32, 16, 16), (1, 1, 2, 2), (1, 2), axes=axes)
    heads = sizes["n"]
    batch = (heads * groups[0], heads * groups[1])
    out = run(forms, key, (a, b), np.zeros(shapes[2], np.float32), tiling, None, batch)
    full = [
        np.broadcast_to(x, tuple({**sizes, "g": g}[c] for c in text)).astype(np.float64)
        for x, text in zip((a, b), letters, strict=False)
    ]
    want = np.einsum(f"{letters[0]},{letters[1]}->{letters[2]}", *full)
    assert np.array_equal(out, want)


def test_sum_over_groups(forms: Any, rng: np.random.Generator) -> None:
    a, b = mm.draw(rng, (1, 2, 3, 20, 32), "half"), mm.draw(rng, (1, 2, 3, 24, 32), "half")
    axes = {"A": (1, 20, 2, 3, 32), "B": (1, 24, 2, 3, 32), "C": (1, 20, 2, 1, 24)}
    tiling = mm.Tiling(20, 24, 32, (20, 24, 32), (16, 16, 16), (1, 1, 2, 2), axes=axes)
    out = run(forms, BNGSD, (a, b), np.zeros((1, 2, 1, 20, 24), np.float32), tiling, None, (6, 6))
    want = np.einsum("bngsd,bngtd->bnst", a.astype(np.float64), b.astype(np.float64))
    assert np.array_equal(out[:, :, 0], want)


def test_own_copies(forms: Any, rng: np.random.Generator) -> None:
    """Callbacks load blocks of rows of A in reverse order and replace negative results by 0."""
    a, b = mm.draw(rng, (64, 48), "half"), mm.draw(rng, (48, 40), "half")
    tiling = mm.Tiling(64, 40, 48, (64, 40, 48), (16, 32, 16), (1, 1, 1, 3), (2, 1))
    out = run(forms, CALLBACKS, (a, b), np.zeros((64, 40), np.float32), tiling)
    reverse = a.reshape(4, 16, 48)[::-1].reshape(64, 48)
    assert np.array_equal(out, np.maximum(mm.product(reverse, b), 0))


def test_constants(forms: Any, rng: np.random.Generator) -> None:
    a, b = mm.draw(rng, (96, 160), "half"), mm.draw(rng, (160, 128), "half")
    bias = mm.draw(rng, (128,), "float")
    tiling = mm.Tiling(1, 1, 1, (1, 1, 1), (16, 16, 16))
    out = run(forms, CONSTANTS, (a, b), np.zeros((96, 128), np.float32), tiling, bias)
    assert np.array_equal(out, mm.product(a, b) + bias)


@pytest.mark.parametrize("key", [UPPER, LOWER])
def test_triangles(forms: Any, rng: np.random.Generator, key: int) -> None:
    a, b = mm.draw(rng, (60, 32), "half"), mm.draw(rng, (32, 72), "half")
    tiling = mm.Tiling(60, 72, 32, (60, 72, 32), (16, 16, 32))
    out = run(forms, key, (a, b), np.full((60, 80), 77, np.float32), tiling)
    rows, columns = np.arange(60)[:, None] // 16, np.arange(72) // 16
    kept = rows <= columns if key == UPPER else rows >= columns
    assert np.array_equal(out[:, :72], np.where(kept, mm.product(a, b), 77))
    assert np.all(out[:, 72:] == 77)
