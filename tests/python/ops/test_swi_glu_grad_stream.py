# SPDX-License-Identifier: Apache-2.0
"""Tests bank conflicts and numbers of instructions in the instruction stream of SwiGluGrad."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import cannery
from cannery.testing import normal

from .streams import Record, binary, repeats_in_conflict, stream

DTYPES = {"float16": np.float16, "bfloat16": ml_dtypes.bfloat16, "float32": np.float32}

pytestmark = pytest.mark.twin_only("reads the instruction stream")


def run(rows: int, cols: int, name: str, folder: Path) -> list[Record]:
    rng = np.random.default_rng(rows + cols)
    dtype = DTYPES[name]
    y_grad, x = normal(rng, (rows, cols), dtype), normal(rng, (rows, 2 * cols), dtype)
    return stream(lambda: cannery.swi_glu_grad(y_grad, x), folder)


# Shapes of a model, with a short last tile, with rows that are no multiple of 512 B (the size of
# all 16 groups of banks), and tiny shapes.
@pytest.mark.parametrize(
    ("rows", "cols"), [(128, 2048), (3, 28672), (50, 1100), (500, 17), (97, 3011), (1, 1)]
)
@pytest.mark.parametrize("name", DTYPES)
def test_no_two_sources_share_a_bank(rows: int, cols: int, name: str, tmp_path: Path) -> None:
    found = binary(run(rows, cols, name, tmp_path))
    assert found
    assert sum(map(repeats_in_conflict, found)) == 0


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_whole_tiles_are_converted_by_one_instruction_each_way(name: str, tmp_path: Path) -> None:
    records = run(64, 2048, name, tmp_path)
    opcodes = Counter(each["opcode"] for each in records if each["pipe"] == "V")
    tiles = opcodes["Exp"]
    assert opcodes["Cast"] == 2 * tiles
    assert opcodes["Div"] == 2 * tiles
    assert opcodes["Mul"] == 3 * tiles
