# SPDX-License-Identifier: Apache-2.0
"""Tests `cannery run MoeInitRoutingV2Grad`: results are right, and traffic is near ideal."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from cannery import cases
from cannery.cli.app import app

from ..selection import rest_slow

OP = "moe_init_routing_v2_grad"


def run(*arguments: str, status: int = 0) -> Any:
    found = CliRunner().invoke(app, ["run", OP, *arguments, "--json"])
    assert found.exit_code == status, found.stdout
    return json.loads(found.stdout)


@pytest.mark.twin_only("counts the traffic of a launch")
@pytest.mark.parametrize(
    "attrs",
    [(), ("active_num=100",), ("drop_pad_mode=1",), ("drop_pad_mode=1", "experts=5")],
    ids=str,
)
def test_modes(attrs: tuple[str, ...]) -> None:
    options = [word for attr in attrs for word in ("--attr", attr)]
    document = run("--shape", "50,6,333", *options)
    assert document["ok"]
    assert [each["dtype"] for each in document["results"]] == ["float16", "bfloat16", "float32"]
    for result in document["results"]:
        moved = result["gm_read_bytes"] + result["gm_write_bytes"]
        assert moved <= 1.02 * result["ideal_bytes"]


@pytest.mark.slow
@pytest.mark.twin_only("counts the traffic of a launch")
def test_medium_moves_little_more_than_the_ideal() -> None:
    (result,) = run("--size", "medium", "--dtype", "bfloat16")["results"]
    assert result["ok"]
    assert result["ideal_bytes"] == 4096 * (8 * 2048 * 2 + 4 * 8 + 2048 * 2)
    moved = result["gm_read_bytes"] + result["gm_write_bytes"]
    assert result["ideal_bytes"] <= moved <= 1.01 * result["ideal_bytes"]
    assert result["gm_bytes_cross_checked"]


def test_ideal_bytes_count_no_skipped_row() -> None:
    workloads = cases.find(OP)
    case = workloads.custom((10, 4, 8), np.dtype(np.float32), {"active_num": 7})
    assert workloads.prepare(case, seed=1).ideal_bytes == 7 * 32 + 40 * 4 + 10 * 32
    case = workloads.custom((10, 4, 8), np.dtype(np.float32), {"drop_pad_mode": 1, "experts": 4})
    assert workloads.prepare(case, seed=1).ideal_bytes == 32 * 32 + 40 * 4 + 10 * 32


@pytest.mark.parametrize(
    ("arguments", "status", "word"),
    [
        (["--shape", "4,0,8"], 1, "topK is 0"),
        (["--shape", "4,2,0"], 1, "gradExpandedX has shape [8, 0]"),
        (["--attr", "active_num=-1", "--size", "small"], 1, "activeNum is -1"),
        (["--attr", "drop_pad_mode=2", "--size", "small"], 1, "dropPadMode is 2"),
        (["--attr", "drop_pad_mode=1", "--attr", "experts=0"], 2, "experts: expected 1 or more"),
        (["--shape", "4,8"], 2, "takes 3 extents, N,K,H"),
    ],
    ids=str,
)
def test_what_cannot_run_says_why(arguments: list[str], status: int, word: str) -> None:
    assert word in run(*arguments, status=status)["error"]["message"]


def stream(folder: Path, *arguments: str) -> list[dict[str, Any]]:
    """Returns the dump's records for block 0, one for each instruction."""
    path = folder / "stream.jsonl"
    run(*arguments, "--dump", str(path))
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    return [line for line in lines if "pipe" in line and line["block"] == 0]


def names(records: list[dict[str, Any]], pipe: str) -> Counter[str]:
    flags = ("SetFlag", "WaitFlag", "PipeBarrier")
    chosen = (each["opcode"] for each in records if each["pipe"] == pipe)
    return Counter(name for name in chosen if name not in flags)


@pytest.mark.twin_only("counts the traffic of a launch")
@pytest.mark.parametrize(
    ("slots", "columns", "additions"), rest_slow([(2, 8192, 1), (6, 2560, 3), (8, 2048, 3)], 2)
)
def test_a_token_takes_few_wide_instructions(
    tmp_path: Path, slots: int, columns: int, additions: int
) -> None:
    records = stream(tmp_path, "--shape", f"96,{slots},{columns}", "--dtype", "bfloat16")
    tiles = names(records, "MTE3")["DataCopyPad"]
    # Each tile has a Cast of all rows and a Cast of the sums; each Add halves the number of rows.
    # Duplicate clears both buffers once.
    assert names(records, "V") == {"Duplicate": 1, "Cast": 2 * tiles, "Add": additions * tiles}
    # One copy loads all indices of the block, and one copy loads two rows of a tile.
    assert names(records, "MTE2") == {"DataCopyPad": 1 + slots // 2 * tiles}


@pytest.mark.twin_only("counts the traffic of a launch")
def test_one_slot_takes_no_arithmetic(tmp_path: Path) -> None:
    records = stream(tmp_path, "--shape", "960,1,4096", "--dtype", "float16")
    assert names(records, "V") == {}


@pytest.mark.twin_only("counts the traffic of a launch")
def test_rows_of_the_next_tile_are_on_their_way_before_the_first_sum(tmp_path: Path) -> None:
    records = stream(tmp_path, "--shape", "96,8,2048", "--dtype", "bfloat16")
    first_sum = next(i for i, each in enumerate(records) if each["opcode"] == "Cast")
    assert names(records[:first_sum], "MTE2") == {"DataCopyPad": 1 + 2 * 4}
