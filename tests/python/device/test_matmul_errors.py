# SPDX-License-Identifier: Apache-2.0
"""Every mistake with Matmul must be reported, and the corrected kernel must run."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

import cannery
from cannery import CompileError, KernelError

from . import matmul_model as mm
from .conftest import Compile

pytestmark = pytest.mark.slow

GOOD = mm.Tiling(32, 32, 32, (32, 32, 32), (16, 32, 16), (1, 1, 2, 2))


@pytest.fixture(scope="session")
def bugs(compile_device: Compile) -> Any:
    return compile_device("matmul_bugs")


def run(bugs: Any, code: int, fixed: bool, tiling: mm.Tiling = GOOD) -> None:
    a, b = np.zeros((32, 65552), np.float16), np.zeros((2, 64, 64), np.float16)
    c = np.zeros((4, 64, 64), np.float32)
    bugs(1, a, b, c, tiling=tiling.pack(), tiling_key=2 * code + int(fixed))


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        (482, "illegal share: SetSingleShape or SetTail gives M = 0"),
        (483, "no quantisation"),
        (484, "block lost: Iterate starts block"),
        (485, "unknown atomic mode: enAtomic is 4"),
        (486, "batches do not fit: IterateBatch of 3 matrices A and 2 matrices B"),
        (487, "bias without room"),
        (488, "transpose not declared: SetTensorA"),
        (489, "operand missing: Iterate before SetTensorB"),
        (495, "rows too far apart: 65552 elements"),
    ],
)
def test_call(bugs: Any, code: int, sentence: str) -> None:
    with pytest.raises(KernelError, match=f"T{code} {sentence}") as error:
        run(bugs, code, fixed=False)
    assert error.value.code == f"T{code}"
    run(bugs, code, fixed=True)


@pytest.mark.parametrize(
    ("code", "sentence", "change"),
    [
        (480, "baseM is 24, expected a multiple of 16", {"base": (24, 32, 16)}),
        (480, "baseK is 0, expected a positive number", {"base": (16, 32, 0)}),
        (480, "at most 4095", {"base": (16, 16, 4096)}),
        (480, "dbL0C is 3, expected 1 or 2", {"doubles": (1, 1, 3)}),
        (480, "iterateOrder is 2", {"order": 2}),
        (480, "stepN is 2, expected 1 while", {"steps": (1, 2, 1, 1)}),
        (480, "divide the other", {"single": (32, 32, 96), "steps": (1, 1, 2, 3), "k": 96}),
        (
            481,
            "L0A full: .* dbL0A takes 131072 B of 65536",
            {"base": (256, 16, 256)},
        ),
        (481, "L0B full", {"base": (16, 256, 256)}),
        (481, "L0C full", {"base": (256, 256, 16)}),
        (481, "bias table full", {"base": (16, 512, 16), "bias": True}),
    ],
)
def test_tiling(bugs: Any, code: int, sentence: str, change: dict[str, Any]) -> None:
    with pytest.raises(KernelError, match=f"T{code} .*{sentence}"):
        run(bugs, 0, fixed=True, tiling=dataclasses.replace(GOOD, **change))
    run(bugs, 0, fixed=True)


def test_a_batch_does_not_read_the_depths(bugs: Any) -> None:
    wide = dataclasses.replace(GOOD, base=(32, 32, 32), steps=(1, 1, 150, 150))
    run(bugs, 486, fixed=True, tiling=wide)


def test_doubles_that_a_tiling_leaves_out(bugs: Any) -> None:
    run(bugs, 0, fixed=True, tiling=dataclasses.replace(GOOD, doubles=(0, 0, 0)))
    wide = dataclasses.replace(GOOD, base=(256, 16, 128), doubles=(0, 0, 0))
    with pytest.raises(KernelError, match=r"T481 .*L0A full: .* dbL0A takes 131072 B"):
        run(bugs, 0, fixed=True, tiling=wide)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [({"k": 16}, "a row of A has 16 elements, .* 32"), ({"n": 16}, "a row of B has 16 .* 32")],
)
def test_share_wider_than_a_row(bugs: Any, change: dict[str, int], sentence: str) -> None:
    """Strict mode refuses a core's share that is wider than a row of A or B. In hardware mode, the
    load continues in the next row, as on the hardware."""
    tiling = dataclasses.replace(GOOD, **change)
    with pytest.raises(KernelError, match=f"T482 share wider than a row: {sentence}"):
        run(bugs, 0, fixed=True, tiling=tiling)
    with cannery.use(mode="hardware"):
        run(bugs, 0, fixed=True, tiling=tiling)


@pytest.mark.release
@pytest.mark.parametrize(
    ("form", "sentence"),
    [
        ("half, int8_t, float", "A2 and A3 have no such product"),
        ("half, half, int32_t", "A2 and A3 have no such product"),
        ("int8_t, int8_t, float", "A2 and A3 have no such product"),
    ],
)
def test_pairs_that_the_chip_lacks(compile_device: Compile, form: str, sentence: str) -> None:
    a, b, c = form.split(", ")
    with pytest.raises(CompileError, match=sentence):
        compile_device("matmul_pair", {"A_TYPE_": a, "B_TYPE_": b, "C_TYPE_": c})
