# SPDX-License-Identifier: Apache-2.0
"""Tests that IterateNBatch and GetBatchTensorC compute several batches with one request."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
import pytest

from cannery import KernelError

from . import matmul_model as mm
from .conftest import Compile

WAITED, FETCHED, TO_UB, SBNGD, TOO_OFTEN = range(5)
# For each key, the order of the axes B, S, N, G and D in memory: for A and B, and for C.
BSNGD_ORDER, BNGSD_ORDER, SBNGD_ORDER = (0, 1, 2, 3, 4), (0, 2, 3, 1, 4), (1, 0, 2, 3, 4)
ORDERS = {
    WAITED: (BSNGD_ORDER, BNGSD_ORDER),
    FETCHED: (BSNGD_ORDER, BNGSD_ORDER),
    TO_UB: (BNGSD_ORDER, BNGSD_ORDER),
    SBNGD: (SBNGD_ORDER, SBNGD_ORDER),
}
B, N, G, M, COLUMNS, K = 3, 2, 2, 20, 24, 32


@pytest.fixture(scope="session")
def nbatch(compile_device: Compile) -> Any:
    return compile_device("matmul_nbatch")


def run(nbatch: Any, rng: np.random.Generator, key: int, with_bias: bool) -> tuple[mm.Array, Any]:
    """Returns the results of the kernel and of NumPy, in the order of C in memory."""
    ordered, out = ORDERS.get(key, ORDERS[FETCHED])
    a, b = mm.draw(rng, (B, M, N, G, K), "half"), mm.draw(rng, (B, COLUMNS, N, G, K), "half")
    bias = mm.draw(rng, (B, N, G, COLUMNS), "float") * with_bias
    want = np.einsum("bmngk,bcngk->bmngc", a.astype(np.float64), b.astype(np.float64))
    want = want + bias[:, None]
    axes = {"A": (B, M, N, G, K), "B": (B, COLUMNS, N, G, K), "C": (B, M, N, G, COLUMNS)}
    tiling = mm.Tiling(
        M, COLUMNS, K, (M, COLUMNS, K), (16, 16, 16), (1, 1, 2, 2), bias=with_bias, axes=axes
    )
    tiling.batch = N * G
    c = np.full(want.transpose(out).shape, 9, np.float32)
    stored = [np.ascontiguousarray(operand.transpose(ordered)) for operand in (a, b)]
    data = tiling.pack() + struct.pack("<2i", B, int(with_bias))
    nbatch(1, *stored, bias, c, workspace=4 * c.size, tiling=data, tiling_key=key)
    return c, want.transpose(out)


@pytest.mark.slow
@pytest.mark.parametrize("with_bias", [False, True])
@pytest.mark.parametrize(
    "key", [WAITED, FETCHED, TO_UB, SBNGD], ids=["waited", "fetched", "to UB", "SBNGD"]
)
def test_batches(nbatch: Any, rng: np.random.Generator, key: int, with_bias: bool) -> None:
    c, want = run(nbatch, rng, key, with_bias)
    assert np.array_equal(c, want)


@pytest.mark.slow
def test_fetched_too_often(nbatch: Any, rng: np.random.Generator) -> None:
    with pytest.raises(KernelError, match="T484 no batch: GetBatchTensorC more often than"):
        run(nbatch, rng, TOO_OFTEN, False)
