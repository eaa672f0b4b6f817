# SPDX-License-Identifier: Apache-2.0
"""Tests Matmul with operands that the kernel keeps in L1 (TSCM), on both kinds of core."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from cannery import KernelError

from . import matmul_model as mm
from .conftest import Compile

pytestmark = pytest.mark.slow

BOTH, FROM_UB, ONLY_B, ROWS_TO_NZ, TOGETHER, FROM_GM, TWICE, UNSERVED, FACTORS = range(9)


@pytest.fixture(scope="session")
def mix(compile_device: Compile) -> Any:
    return compile_device("matmul_tscm")


@pytest.fixture(scope="session")
def cube(compile_device: Compile) -> Any:
    return compile_device("matmul_tscm", {"MATMUL_TSCM_CUBE": 1})


def run(
    kernel: Any, mode: int, a: mm.Array, b: mm.Array, tiling: mm.Tiling, cores: int = 2
) -> mm.Array:
    """Runs the kernel. `cores` is the number of cores per block: 2 vector cores or 1 cube core."""
    rows = tiling.single[0]
    shares = [a[at : at + rows] for at in range(0, a.shape[0], rows)]
    left = a
    if mode not in (ONLY_B, ROWS_TO_NZ):  # A is stored separately for each core
        padded = [np.pad(share, ((0, rows - share.shape[0]), (0, 0))) for share in shares]
        left = np.concatenate([mm.stored(share, "half", False, True).ravel() for share in padded])
    c = np.full((a.shape[0], b.shape[1]), 77, np.float32)
    right = mm.stored(b, "half", mode == ONLY_B, True)
    blocks = -(-len(shares) // cores)
    kernel(blocks, left, right, c, workspace=4096, tiling=tiling.pack(), tiling_key=mode)
    return c


def case(rng: np.random.Generator) -> tuple[mm.Array, mm.Array, mm.Tiling]:
    """Returns A, B and a tiling for three cores, with 32 rows and several base blocks each."""
    a, b = mm.draw(rng, (96, 80), "half"), mm.draw(rng, (80, 48), "half")
    return a, b, mm.Tiling(96, 48, 80, (32, 48, 80), (16, 32, 32), (1, 1, 3, 3))


@pytest.mark.parametrize("mode", [BOTH, FROM_UB, ONLY_B, ROWS_TO_NZ, TOGETHER])
def test_operands_of_vector_cores(mix: Any, rng: np.random.Generator, mode: int) -> None:
    a, b, tiling = case(rng)
    assert np.array_equal(run(mix, mode, a, b, tiling), mm.product(a, b))


@pytest.mark.parametrize("mode", [BOTH, ONLY_B, ROWS_TO_NZ])
def test_operands_of_a_cube_core(cube: Any, rng: np.random.Generator, mode: int) -> None:
    a, b, tiling = case(rng)
    assert np.array_equal(run(cube, mode, a, b, tiling, 1), mm.product(a, b))


@pytest.mark.parametrize("cores", [1, 2])
def test_factors(mix: Any, cube: Any, rng: np.random.Generator, cores: int) -> None:
    """The kernel copies the factors of the columns of C to TSCM."""
    a, b = mm.draw(rng, (64, 96), "int8_t"), mm.draw(rng, (96, 64), "int8_t")
    scales = rng.integers(1, 64, 64) / 1024
    words = np.array([mm.scale_word(scale, 0) for scale in scales], np.uint64)
    tiling = mm.Tiling(64, 64, 96, (32, 64, 96), (32, 32, 32), (1, 1, 3, 3))
    c = np.zeros((64, 64), np.float16)
    right = np.concatenate([mm.stored(b, "int8_t", False, False).ravel(), words.view(np.int8)])
    (mix if cores == 2 else cube)(
        2 // cores, a, right, c, workspace=4096, tiling=tiling.pack(), tiling_key=FACTORS
    )
    assert np.array_equal(
        c, (mm.product(a, b).astype(np.float32) * scales.astype(np.float32)).astype(np.float16)
    )


def test_a_buffer_used_again(mix: Any, rng: np.random.Generator) -> None:
    """If a kernel multiplies two operands twice, Matmul adds the second product to the first."""
    a, b, tiling = case(rng)
    assert np.array_equal(run(mix, TWICE, a, b, tiling), 2 * mm.product(a, b))


def test_no_part_of_l1_is_taken_for_them(mix: Any, rng: np.random.Generator) -> None:
    """Matmul allocates no buffers in L1 for operands in TSCM; buffers of depth 8 would not fit."""
    a, b, tiling = case(rng)
    tiling.steps, tiling.buffers = (1, 1, 100, 100), (8, 8)
    assert np.array_equal(run(mix, BOTH, a, b, tiling), mm.product(a, b))


def test_l1_full(mix: Any, rng: np.random.Generator) -> None:
    """B of both cores in TSCM leaves too little L1 for the buffers of A (T481)."""
    a, b = mm.draw(rng, (32, 512), "half"), mm.draw(rng, (512, 128), "half")
    tiling = mm.Tiling(32, 128, 512, (16, 128, 512), (16, 128, 64), (1, 1, 8, 8), (24, 1))
    with pytest.raises(KernelError, match="T481 L1 full: the TSCM of a vector core begins at"):
        run(mix, ONLY_B, a, b, tiling)
    tiling.buffers = (2, 1)
    assert np.array_equal(run(mix, ONLY_B, a, b, tiling), mm.product(a, b))


@pytest.mark.parametrize(
    ("mode", "sentence"),
    [
        (FROM_GM, "T488 operand not in L1: SetTensorA is given a GlobalTensor"),
        (UNSERVED, "T490 no server: DataCopy of a vector core into TSCM"),
    ],
)
def test_misuse(mix: Any, rng: np.random.Generator, mode: int, sentence: str) -> None:
    a, b, tiling = case(rng)
    with pytest.raises(KernelError, match=sentence):
        run(mix, mode, a, b, tiling)
