# SPDX-License-Identifier: Apache-2.0
"""Tests `cannery run NsaCompressGrad`: results are right, and `input` is read from GM only once.
Cube and vector cores may both read outputGrad, which is much smaller, and then have partial sums in
the workspace."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from cannery import cases
from cannery.cli.app import app

OP = "nsa_compress_grad"


def run(*arguments: str, status: int = 0) -> Any:
    found = CliRunner().invoke(app, ["run", OP, *arguments, "--json"])
    assert found.exit_code == status, found.stdout
    return json.loads(found.stdout)


def moved(result: Any) -> float:
    assert result["gm_bytes_cross_checked"]
    return float((result["gm_read_bytes"] + result["gm_write_bytes"]) / result["ideal_bytes"])


@pytest.mark.parametrize(
    "attrs",
    [(), ("sequences=7",), ("compress_block_size=128",), ("compress_stride=32",)],
    ids=str,
)
def test_attributes(attrs: tuple[str, ...]) -> None:
    options = [word for attr in attrs for word in ("--attr", attr)]
    if attrs == ("compress_stride=32",):
        options += ["--attr", "compress_block_size=48"]
    document = run("--shape", "1500,3,80", *options)
    assert document["ok"]
    assert [each["dtype"] for each in document["results"]] == ["float16", "bfloat16"]


@pytest.mark.twin_only("counts the traffic of a launch")
@pytest.mark.parametrize("soc", ["Ascend910B2", "Ascend910B4"])
def test_medium_moves_little_more_than_the_ideal(soc: str) -> None:
    (result,) = run("--size", "medium", "--dtype", "bfloat16", "--soc", soc)["results"]
    assert result["ok"]
    assert result["ideal_bytes"] == 2 * (2 * 8192 + 511) * 4 * 192 + 2 * 2 * 32 * 4
    assert 1 <= moved(result) <= 1.1


@pytest.mark.twin_only("counts the traffic of a launch")
@pytest.mark.parametrize(("shape", "attrs", "limit"), [
    ("4096,4,192", ("compress_block_size=128",), 1.2),
    ("2048,128,64", ("sequences=30",), 1.05),
    ("1024,32,256", (), 1.15),
])  # fmt: skip
def test_other_shapes_move_little_more(shape: str, attrs: tuple[str, ...], limit: float) -> None:
    options = [word for attr in attrs for word in ("--attr", attr)]
    (result,) = run("--shape", shape, "--dtype", "float16", *options)["results"]
    assert result["ok"]
    assert moved(result) <= limit


@pytest.mark.release
@pytest.mark.xdist_group("gigabytes")
@pytest.mark.parametrize("size", ["large", "heads"])
def test_large_sizes(size: str) -> None:
    (result,) = run("--size", size, "--dtype", "bfloat16")["results"]
    assert result["ok"]
    assert moved(result) <= 1.06


def test_sequences_have_nearly_equal_lengths() -> None:
    workloads = cases.find(OP)
    case = workloads.custom((100, 1, 16), np.dtype(np.float16), {"sequences": 3})
    prepared: Any = workloads.prepare(case, seed=0)
    assert prepared.ends == [33, 66, 100]
    # Each of the three sequences (33, 33 and 34 rows) has one window of 32 rows.
    assert prepared.ideal_bytes == 2 * (3 * 16 + 2 * 100 * 16 + 2 * 32) + 3 * 8


@pytest.mark.parametrize(("arguments", "status", "word"), [
    (["--shape", "100,1,24"], 1, "D = 24"),
    (["--size", "small", "--attr", "compress_stride=32"], 1, "compressStride is 32"),
    (["--size", "small", "--attr", "sequences=0"], 2, "sequences: expected 1 or more"),
    (["--shape", "100,16"], 2, "takes 3 extents, T,N,D"),
], ids=str)  # fmt: skip
def test_what_cannot_run_says_why(arguments: list[str], status: int, word: str) -> None:
    assert word in run(*arguments, status=status)["error"]["message"]
