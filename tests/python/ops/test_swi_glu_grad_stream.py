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
    assert opcodes["Cast"] == 4 * tiles  # a, b and g, and both results
    assert opcodes["Div"] == 2 * tiles
    assert opcodes["Mul"] == 3 * tiles


def gm_rows(each: Record) -> list[tuple[int, int, int]]:
    """Returns (bytes, count, stride) of the runs that a copy accesses in GM."""
    return [(r["bytes"], r["count"], r["stride"]) for r in each["ranges"] if r["memory"] == "GM"]


@pytest.mark.parametrize("name", DTYPES)
def test_rows_of_a_few_bytes_are_copied_in_one_run(name: str, tmp_path: Path) -> None:
    records = run(20000, 5, name, tmp_path)
    copies = [each for each in records if each["pipe"] in ("MTE2", "MTE3")]
    tiles = sum(each["opcode"] == "Exp" for each in records)
    moves = [each for each in copies if each["opcode"] == "DataCopyPad"]
    assert len(moves) == 3 * tiles
    assert all(count == 1 for each in moves for _, count, _ in gm_rows(each))


@pytest.mark.parametrize("cols", [1025, 511, 100])
def test_rows_of_one_load_do_not_share_a_block(cols: int, tmp_path: Path) -> None:
    records = run(97, cols, "float16", tmp_path)
    loads = [each for each in records if each["pipe"] == "MTE2" and each["opcode"] == "DataCopyPad"]
    rows = [run for each in loads for run in gm_rows(each)]
    assert any(count > 1 for _, count, _ in rows)
    for length, count, stride in rows:
        assert count == 1 or length % 32 == 0 or stride - length >= 32


@pytest.mark.parametrize("name", DTYPES)
def test_the_first_tile_begins_when_its_first_operand_is_there(name: str, tmp_path: Path) -> None:
    records = [each for each in run(128, 2048, name, tmp_path) if each["block"] == 0]
    loads = [i for i, each in enumerate(records) if each["opcode"] == "DataCopyPad"]
    sets = [
        i
        for i, each in enumerate(records)
        if each["opcode"] == "SetFlag" and each["pipe"] == "MTE2"
    ]
    assert loads[0] < sets[0] < loads[1]
