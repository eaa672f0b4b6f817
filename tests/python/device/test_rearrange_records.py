# SPDX-License-Identifier: Apache-2.0
"""The dump must show every range of bytes that Select and GatherMask access."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from . import compare_model, test_gather
from .conftest import Compile
from .rearrange_machine import Array, Case, new_image, put


def records(
    compile_device: Compile, name: str, ops: tuple[str, ...], case: Case, image: Array, dump: Path
) -> list[dict[str, Any]]:
    kernel = compile_device(name, {f"OP_{op}": i for i, op in enumerate(ops)})
    kernel(1, image, np.empty_like(image), tiling=case.pack(ops, image.nbytes // 4), dump=dump)
    return [json.loads(line) for line in dump.read_text().splitlines()[1:]]


def ranges(record: dict[str, Any]) -> dict[str, tuple[int, ...]]:
    """Returns for each operand: is it written?, start, bytes of a range, count and distance."""
    found: dict[str, tuple[int, ...]] = {}
    for r in record["ranges"]:
        assert r["operand"] not in found
        assert r["repeats"] == 1
        place = int(r["place"].removeprefix("UB+"), 16)
        found[r["operand"]] = (r["write"], place, r["bytes"], r["count"], r["stride"])
    return found


def test_select(compile_device: Compile, rng: np.random.Generator, tmp_path: Path) -> None:
    case = Case("Select", "half", mode=2, count=300, src0=8192, src1=16384, sel=24576)
    image = new_image(rng, 32768)
    dump = tmp_path / "d.jsonl"
    seen = records(compile_device, "compare", compare_model.OPS, case, image, dump)
    by_name = {record["opcode"]: record for record in seen}
    assert ranges(by_name["Duplicate"]) == {"scratch": (True, 188416, 128, 1, 0)}
    assert ranges(by_name["SetCmpMask"]) == {"src": (False, 188416, 16, 1, 0)}
    assert ranges(by_name["Select"]) == {
        "dst": (True, 0, 600, 1, 0),
        "src0": (False, 8192, 600, 1, 0),
        "src1": (False, 16384, 600, 1, 0),
        "selMask": (False, 24576, 38, 1, 0),
    }
    assert {by_name[step]["call"] for step in ("Duplicate", "SetCmpMask", "Select")} == {"Select"}
    assert (by_name["Select"]["repeats"], by_name["Select"]["elements"]) == (3, 300)
    # The library waits for each step; this form of the call also ends with a barrier.
    steps = [record["opcode"] for record in seen if record.get("call") == "Select"]
    barrier = "PipeBarrier"
    assert steps == ["Duplicate", barrier, "SetCmpMask", barrier, "Select", barrier]


def test_gather_mask(compile_device: Compile, rng: np.random.Generator, tmp_path: Path) -> None:
    case = Case("GatherMask", "float", low=100, repeats=2, rep=(8, 16, 1), dst=16384, src1=4096)
    case = Case(**{**case.__dict__, "sel": 29984})
    image = new_image(rng, 32768)
    put(image, 4096, np.full(64, 0x99, np.uint8))
    dump = tmp_path / "d.jsonl"
    seen = records(compile_device, "gather", test_gather.OPS, case, image, dump)
    (record,) = [r for r in seen if r["opcode"] == "GatherMask"]
    # In dst, the elements that a repeat selects follow the elements of the previous repeat.
    assert ranges(record) == {
        "dst": (True, 16384, 400, 1, 0),
        "src0": (False, 0, 400, 2, 512),
        "src1Pattern": (False, 4096, 13, 2, 32),
    }
    assert record["elements"] == 200
