# SPDX-License-Identifier: Apache-2.0
"""Tests operands that both vector cores of a block share (IBSHARE), and policies of Matmul."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from cannery import KernelError

from . import matmul_model as mm
from .conftest import Compile

pytestmark = pytest.mark.slow

SHARED_B, SHARED_BOTH, FAKE, MISSING, MISSING_BOTH = range(5)
ROWS = 48  # rows of one request


@pytest.fixture(scope="session")
def share(compile_device: Compile) -> Any:
    return compile_device("matmul_share")


def run(share: Any, mode: int, a: mm.Array, b: mm.Array, blocks: int) -> mm.Array:
    """Returns C. The kernel adds the product to ones; a product that is added twice is visible."""
    k, n = b.shape
    tiling = mm.Tiling(a.shape[0], n, k, (ROWS, n, k), (32, 64, 32), (1, 2, 3, 3), (2, 1))
    c = np.ones((a.shape[0], n), np.float32)
    share(blocks, a, b, c, workspace=4096, tiling=tiling.pack(), tiling_key=mode)
    return c


def operands(rng: np.random.Generator, requests: int) -> tuple[mm.Array, mm.Array]:
    return mm.draw(rng, (ROWS * requests, 96), "half"), mm.draw(rng, (96, 120), "half")


@pytest.mark.parametrize("key", [0, 1])
def test_policy(compile_device: Compile, rng: np.random.Generator, key: int) -> None:
    """A policy works if the third block has only 4 rows and the fourth block has none."""
    a, b = operands(rng, 3)
    a = a[: 2 * ROWS + 4]
    tiling = mm.Tiling(a.shape[0], 120, 96, (ROWS, 120, 96), (32, 64, 32), (1, 2, 3, 3), (2, 1))
    c = np.full((a.shape[0], 120), 7, np.float32)
    compile_device("matmul_policy")(4, a, b, c, tiling=tiling.pack(), tiling_key=key)
    assert np.array_equal(c, mm.product(a, b))


@pytest.mark.parametrize("blocks", [1, 3])
def test_one_operand(share: Any, rng: np.random.Generator, blocks: int) -> None:
    a, b = operands(rng, 2 * blocks)
    assert np.array_equal(run(share, SHARED_B, a, b, blocks), mm.product(a, b) + 1)


@pytest.mark.parametrize("blocks", [1, 3])
def test_both_operands_make_one_product(share: Any, rng: np.random.Generator, blocks: int) -> None:
    a, b = operands(rng, blocks)
    assert np.array_equal(run(share, SHARED_BOTH, a, b, blocks), mm.product(a, b) + 1)


def test_fake_request(share: Any, rng: np.random.Generator) -> None:
    """The second vector core of each block has no rows and therefore sends a fake request."""
    a, b = operands(rng, 4)
    want = mm.product(a, b) + 1
    want[ROWS : 2 * ROWS] = want[3 * ROWS :] = 1
    assert np.array_equal(run(share, FAKE, a, b, 2), want)


@pytest.mark.parametrize(
    ("mode", "good", "counts"), [(MISSING, FAKE, "1 and 0"), (MISSING_BOTH, SHARED_BOTH, "1 and 2")]
)
def test_unequal_numbers(
    share: Any, rng: np.random.Generator, mode: int, good: int, counts: str
) -> None:
    a, b = operands(rng, 2)
    with pytest.raises(KernelError, match=f"T497 request without counterpart: .*{counts} products"):
        run(share, mode, a, b, 1)
    run(share, good, a, b, 1)
