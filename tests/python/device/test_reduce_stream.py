# SPDX-License-Identifier: Apache-2.0
"""The instruction stream (dump) of a reduction must contain the expected instructions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from .reduce_machine import ReduceMachine, place
from .reduce_model import Case

#: Instructions of the kernel beside the reduction.
OTHERS = ("DataCopy", "GET_TILING_DATA", "InitBuffer", "PipeBarrier", "TPipe")
FLAGS = [
    *("SetFlag V_S", "WaitFlag V_S"),
    *("SetFlag S_V", "WaitFlag S_V", "SetFlag S_MTE3", "WaitFlag S_MTE3"),
]


def stream(machine: ReduceMachine, case: Case, folder: Path) -> list[dict[str, Any]]:
    """Returns the instructions between the copies in and out, without what is beside them."""
    image, case = place(case, np.random.default_rng(3))
    dump = folder / "stream.jsonl"
    machine.kernel(1, image, np.zeros_like(image), tiling=case.pack(len(image) // 4), dump=dump)
    records = [json.loads(line) for line in dump.read_text().splitlines()[1:]]
    return [r for r in records if r["opcode"] not in OTHERS]


def names(records: list[dict[str, Any]]) -> list[str]:
    return [
        f"{r['opcode']} {r['flag']}" if "Flag" in r["opcode"] else f"{r['opcode']} {r['pipe']}"
        for r in records
    ]


def test_count_sum_ends_on_the_scalar_unit(reduce: ReduceMachine, tmp_path: Path) -> None:
    got = names(stream(reduce, Case("ReduceSum", "float", count=1000), tmp_path))
    assert got == ["ReduceSum V", *FLAGS[:2], "ReduceSum S", *FLAGS[2:]]


def test_masked_sum_takes_three_levels(reduce: ReduceMachine, tmp_path: Path) -> None:
    few = Case("ReduceSum", "float", form="mask_count", count=64, repeats=5)
    got = names(stream(reduce, few, tmp_path))
    assert got == [
        "ReduceSum V",
        "ReduceSum V",
        *FLAGS[:2],
        "ReduceSum S",
        "ReduceSum S",
        *FLAGS[2:],
    ]
    many = Case("ReduceSum", "float", form="mask_count", count=64, repeats=70)
    assert names(stream(reduce, many, tmp_path)) == ["ReduceSum V"] * 3


def test_extreme_with_index_of_one_repeat_has_no_flags(
    reduce: ReduceMachine, tmp_path: Path
) -> None:
    case = Case("ReduceMax", "half", count=100, index=True)
    assert names(stream(reduce, case, tmp_path)) == ["ReduceMax V"]
    case = Case("ReduceMax", "half", count=100)
    assert "SetFlag S_MTE3" in names(stream(reduce, case, tmp_path))


def test_ranges(reduce: ReduceMachine, tmp_path: Path) -> None:
    case = Case("WholeReduceMax", "float", form="mask_count", count=20, repeats=4, dst_rep=3)
    (record,) = stream(reduce, case, tmp_path)
    dst, src = record["ranges"]
    assert (dst["bytes"], dst["count"], dst["stride"]) == (8, 4, 24)
    assert (src["bytes"], src["count"], src["stride"]) == (80, 4, 256)
    assert (dst["write"], src["write"]) == (True, False)
    assert record["elements"] == 80
