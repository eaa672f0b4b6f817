# SPDX-License-Identifier: Apache-2.0
"""Tests `cannery run MoeTokenPermuteWithRoutingMap`: right results and nearly ideal traffic."""

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

OP = "moe_token_permute_with_routing_map"


def run(*arguments: str, status: int = 0) -> Any:
    found = CliRunner().invoke(app, ["run", OP, *arguments, "--json"])
    assert found.exit_code == status, found.stdout
    return json.loads(found.stdout)


@pytest.mark.twin_only("counts the traffic of a launch")
@pytest.mark.parametrize(
    "attrs", [(), ("probs=false",), ("drop_and_pad=true",), ("drop_and_pad=true", "probs=false")]
)
def test_modes(attrs: tuple[str, ...]) -> None:
    options = [word for attr in attrs for word in ("--attr", attr)]
    document = run("--shape", "500,30,3,999", *options)
    assert document["ok"]
    assert [each["dtype"] for each in document["results"]] == ["float16", "bfloat16", "float32"]
    limit = 2 if "drop_and_pad=true" in attrs else 1.1
    for result in document["results"]:
        moved = result["gm_read_bytes"] + result["gm_write_bytes"]
        assert moved <= limit * result["ideal_bytes"]


@pytest.mark.twin_only("counts the traffic of a launch")
def test_medium_moves_little_more_than_the_ideal() -> None:
    (result,) = run("--size", "medium", "--dtype", "bfloat16")["results"]
    assert result["ok"]
    rows = 4096 * 8
    side = 4096 * 128 * 3 + rows * (2 + 4)
    assert result["ideal_bytes"] == (4096 + rows) * 2048 * 2 + side
    moved = result["gm_read_bytes"] + result["gm_write_bytes"]
    # Every block reads the counters of all blocks, so that it need not wait for a second phase.
    counters = 48 * 48 * 128 * 4
    assert result["ideal_bytes"] <= moved <= 1.01 * result["ideal_bytes"] + counters
    assert result["gm_bytes_cross_checked"]


@pytest.mark.twin_only("counts the traffic of a launch")
def test_padding_costs_no_more_than_reading_every_row_again() -> None:
    arguments = ("--size", "medium", "--dtype", "bfloat16", "--attr", "drop_and_pad=true")
    (result,) = run(*arguments)["results"]
    assert result["ok"]
    assert result["gm_read_bytes"] + result["gm_write_bytes"] <= 2 * result["ideal_bytes"]


def test_ideal_bytes_of_a_result_that_is_rounded_down() -> None:
    workloads = cases.find(OP)
    attrs = {"drop_and_pad": True, "probs": False}
    case = workloads.custom((10, 4, 3, 8), np.dtype(np.float32), attrs)
    # The call asks for 10 * 3 = 30 rows; for 4 experts, the operator rounds down to 28.
    assert workloads.prepare(case, seed=1).ideal_bytes == (10 + 28) * 32 + 40 + 28 * 4


@pytest.mark.parametrize(
    ("arguments", "status", "word"),
    [
        (["--shape", "4,600,513,8"], 1, "at most 512"),
        (["--shape", "4,3,5,8"], 2, "5 experts for a token, but there are 3"),
        (["--shape", "4,8"], 2, "takes 4 extents, T,E,k,H"),
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


@pytest.mark.slow
@pytest.mark.twin_only("counts the traffic of a launch")
def test_vector_instructions_do_not_grow_with_slots(tmp_path: Path) -> None:
    """Each kind of vector instruction must not become more frequent with more slots for a token."""
    counts = []
    for slots in (2, 20):
        arguments = ("--shape", f"384,512,{slots},64", "--dtype", "bfloat16")
        records = stream(tmp_path, *arguments, "--attr", "probs=false")
        counts.append(names(records, "V"))
    few, many = counts
    assert few.keys() == many.keys()
    assert all(many[name] <= few[name] for name in many)
    for each in counts:
        assert each["Add"] < 110
        assert each["GatherMask"] == 2 * each["CompareScalar"]  # two for each tile of the map


@pytest.mark.twin_only("counts the traffic of a launch")
def test_a_row_comes_once_and_leaves_once_per_slot(tmp_path: Path) -> None:
    arguments = ("--shape", "480,64,6,4096", "--dtype", "float16", "--attr", "probs=false")
    records = stream(tmp_path, *arguments)
    stores = names(records, "MTE3")["DataCopyPad"]
    # 10 rows with 6 slots each. Up to 5 more copies store counters and results of the scan.
    assert 10 * 6 <= stores <= 10 * 6 + 5
