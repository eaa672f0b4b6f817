# SPDX-License-Identifier: Apache-2.0
"""Tests the sums of NsaCompressGrad: how many start with a product, and the sign of zeros."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import cannery
from cannery.testing import normal

from .streams import Record, stream

HEADS, DIM = 2, 64  # the columns of a head are not split into parts


def sizes_of(block: int, stride: int) -> dict[str, int]:
    return {"compress_block_size": block, "compress_stride": stride}


def run(windows: int, block: int, stride: int, folder: Path) -> list[Record]:
    """Returns the vector instructions of a call with one sequence that the windows cover."""
    rng = np.random.default_rng(block + stride)
    rows = (windows - 1) * stride + block
    shapes: list[tuple[int, ...]] = [(windows, HEADS, DIM), (rows, HEADS, DIM), (block, HEADS)]
    inputs = [normal(rng, shape, np.float16) for shape in shapes]
    records = stream(lambda: cannery.nsa_compress_grad(*inputs, **sizes_of(block, stride)), folder)
    return [each for each in records if each["pipe"] == "V"]


def rows_of(records: list[Record], opcode: str, operand: str) -> int:
    """Counts the rows of 64 floats that instructions `opcode` write to `operand`."""
    return sum(
        r["bytes"] // 256
        for each in records
        if each["opcode"] == opcode
        for r in each["ranges"]
        if r["operand"] == operand and r["write"]
    )


def zero_rows(records: list[Record]) -> int:
    """Counts the rows of 64 floats of inputGrad that begin as zeros."""
    return rows_of(
        [each for each in records if each["function"] == "AddToInputGrad"], "Duplicate", "dst"
    )


@pytest.mark.twin_only("reads the instruction stream")
@pytest.mark.parametrize(
    ("block", "stride"), [(32, 16), (64, 32), (128, 64), (48, 32), (80, 64), (112, 64), (128, 112)]
)
def test_windows_of_up_to_two_strides_start_rows_with_a_product(
    block: int, stride: int, tmp_path: Path
) -> None:
    windows = 101
    vector = run(windows, block, stride, tmp_path)
    products = rows_of(vector, "Mul", "dst")
    zeros = zero_rows(vector)
    assert products == ((windows - 1) * stride + block) * HEADS  # one for the sum of each row
    assert zeros == 0
    # MulAddDst adds all products of weightGrad, and the later products of each inputGrad row.
    sums = rows_of(vector, "MulAddDst", "dst")
    assert sums == 2 * windows * block * HEADS - products


@pytest.mark.twin_only("reads the instruction stream")
def test_other_windows_start_from_zeros(tmp_path: Path) -> None:
    vector = run(9, 48, 16, tmp_path)
    opcodes = Counter(each["opcode"] for each in vector if each["function"] != "Prepare")
    assert opcodes["MulAddDst"] > 0
    assert opcodes["Mul"] == opcodes["Adds"] == 0
    assert zero_rows(vector) == HEADS * (8 * 16 + 48)


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
@pytest.mark.parametrize(("block", "stride"), [(32, 16), (64, 32), (48, 16), (48, 32), (80, 64)])
def test_a_sum_of_zeros_is_positive(name: str, block: int, stride: int) -> None:
    """If all products are -0.0, the sum is 0.0, because every sum also has a term 0.0."""
    dtype: Any = np.float16 if name == "float16" else ml_dtypes.bfloat16
    rows = 12 * stride + block
    dy = np.full((13, 3, 48), -0.0, dtype)
    x, weight = np.ones((rows, 3, 48), dtype), np.ones((block, 3), dtype)
    for gradient, factor in ((dy, weight), (-np.ones_like(dy), np.zeros_like(weight))):
        got, _ = cannery.nsa_compress_grad(gradient, x, factor, **sizes_of(block, stride))
        assert got.tobytes() == bytes(got.nbytes)
