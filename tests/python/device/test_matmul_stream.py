# SPDX-License-Identifier: Apache-2.0
"""The instruction stream of Matmul must have the loads, products and flags of the tiling."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cannery

from . import matmul_model as mm
from .conftest import Compile
from .test_matmul_plain import FORMS, Machine

pytestmark = pytest.mark.slow

M, N, K = 128, 192, 256
BASE = (32, 64, 64)


@pytest.fixture(scope="session")
def kernel(compile_device: Compile) -> Any:
    return compile_device("matmul_plain")


def stream(kernel: Any, key: int, tiling: mm.Tiling, folder: Path) -> list[dict[str, Any]]:
    rng = np.random.default_rng(3)
    a, b = mm.draw(rng, (M, K), "half"), mm.draw(rng, (K, N), "half")
    dump = folder / "stream.jsonl"
    got = Machine(kernel, FORMS[key])(a, b, tiling, dump=dump)
    assert np.array_equal(got, mm.product(a, b).astype(got.dtype))
    return [json.loads(line) for line in dump.read_text().splitlines()[1:]]


def gm_bytes(records: list[dict[str, Any]], write: bool) -> int:
    """Returns the bytes of the operands, without the tiling data."""
    return sum(
        r["bytes"] * r["count"] * r["repeats"]
        for record in records
        for r in record["ranges"]
        if r["memory"] == "GM" and r["write"] == write and record["opcode"] != "GET_TILING_DATA"
    )


@pytest.mark.parametrize(
    ("steps", "buffers", "order", "reads_a", "reads_b"),
    [
        ((1, 1, 4, 4), (2, 2), 0, 3, 1),  # all of K in L1: reads B once, A per block column
        ((1, 3, 4, 4), (2, 1), 0, 1, 1),  # all of B in L1: reads A and B once
        ((1, 1, 4, 4), (2, 2), 1, 1, 4),  # iterateOrder 1: reads A once, B per block row
        ((4, 1, 4, 4), (1, 2), 1, 1, 1),
        ((1, 1, 2, 2), (2, 2), 0, 3, 4),  # half of K in L1: every block reads its A and B
    ],
)
@pytest.mark.parametrize("key", [0, 4])
def test_traffic_and_loads(
    kernel: Any,
    tmp_path: Path,
    key: int,
    steps: Any,
    buffers: Any,
    order: int,
    reads_a: int,
    reads_b: int,
) -> None:
    tiling = mm.Tiling(M, N, K, (M, N, K), BASE, steps, buffers, order, (2, 2, 1))
    records = stream(kernel, key, tiling, tmp_path)
    assert gm_bytes(records, False) == 2 * (reads_a * M * K + reads_b * K * N)
    assert gm_bytes(records, True) == M * N * (4 if key == 0 else 2)
    issued = Counter(record["opcode"] for record in records)
    blocks, depth = (M // BASE[0]) * (N // BASE[1]), K // BASE[2]
    assert issued["Mmad"] == blocks * depth
    assert issued["Fixpipe"] == blocks
    flags = Counter((r["flag"], r["flag_set"]) for r in records if r.get("flag"))
    assert {"MTE2_MTE1", "MTE1_MTE2", "MTE1_M", "M_MTE1", "M_FIX"} <= {name for name, _ in flags}
    for event in {name for name, _ in flags}:
        assert flags[event, True] == flags[event, False], event
    steps = [r for r in records if r["opcode"] in ("Mmad", "Fixpipe")]
    assert {(r["call"], r["call_seq"]) for r in steps} == {("IterateAll", steps[0]["call_seq"])}
    lines = {r["file"].rsplit("/", 1)[-1] for r in records if r["pipe"] != "S"}
    assert lines == {"matmul_plain.cpp"}, "instructions name the kernel's own line"


def test_same_stream_on_every_schedule(kernel: Any, tmp_path: Path) -> None:
    tiling = mm.Tiling(M, N, K, (64, 64, K), BASE, (1, 1, 2, 4), (2, 2), doubles=(2, 2, 2))
    streams = set()
    for threads, order in ((1, 0), (2, 0), (2, 9)):
        with cannery.use(threads=threads, core_order=order):
            records = stream(kernel, 0, tiling, tmp_path)
        streams.add(json.dumps([[r["opcode"], r.get("core"), r["seq"]] for r in records]))
    assert len(streams) == 1
