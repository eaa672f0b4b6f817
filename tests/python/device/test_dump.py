# SPDX-License-Identifier: Apache-2.0
"""Double buffering must be visible in the dump of a launch, as text and as JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cannery

TILES, TILE_BYTES, BLOCKS = 4, 1024, 3
Record = dict[str, Any]


@pytest.fixture
def streams(kernels: Path, tmp_path: Path) -> tuple[list[str], list[Record], Record]:
    """Returns the lines of the text dump, the records of the JSON dump, and the totals of one
    launch of the kernel `add`."""
    kernel = cannery.compile_kernel(kernels / "add.cpp", "add")
    x = np.ones(BLOCKS * TILES * TILE_BYTES // 4, np.float32)
    for name in ("stream.txt", "stream.jsonl"):
        kernel(BLOCKS, x, x + 1, np.zeros_like(x), dump=tmp_path / name)
    stats = tmp_path / "stats.jsonl"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CANNERY_STATS", str(stats))
        kernel(BLOCKS, x, x + 1, np.zeros_like(x))
    records = [json.loads(line) for line in (tmp_path / "stream.jsonl").read_text().splitlines()]
    return (
        (tmp_path / "stream.txt").read_text().splitlines(),
        records,
        json.loads(stats.read_text()),
    )


def test_heads(streams: tuple[list[str], list[Record], Record]) -> None:
    text, records, _ = streams
    assert text[0].split() == [
        *("#", "launch", "add", "KERNEL_TYPE_AIV_ONLY", "blockDim", str(BLOCKS)),
        *("tilingKey", "0", "status", "0"),
    ]
    head = records[0]
    assert (head["launch"], head["block_dim"], head["status"]) == ("add", BLOCKS, 0)
    lines = [line for line in text if not line.startswith("#")]
    assert len(lines) == len(records) - 1
    for line, record in zip(lines, records[1:], strict=True):
        words = line.split()
        assert words[:5] == [
            *(str(record["block"]), record["core"], str(record["seq"])),
            *(record["pipe"], record["opcode"]),
        ]
        assert f"add.cpp:{record['line']} {record['function']}" in line


def test_program_order_of_every_block(streams: tuple[list[str], list[Record], Record]) -> None:
    _, records, _ = streams
    places = [(record["block"], record["seq"]) for record in records[1:]]
    assert places == sorted(places)
    for block in range(BLOCKS):
        assert [seq for b, seq in places if b == block] == list(
            range(sum(b == block for b, _ in places))
        )


def test_buffers_alternate(streams: tuple[list[str], list[Record], Record]) -> None:
    text, records, _ = streams
    for block in range(BLOCKS):
        for queue, opcode, write in (
            (0, "DataCopy", True),
            (1, "DataCopy", True),
            (2, "Add", True),
        ):
            slots = [
                r["buffer"]
                for record in records[1:]
                if record["block"] == block and record["opcode"] == opcode
                for r in record["ranges"]
                if r["queue"] == queue and r["write"] == write
            ]
            assert slots == [0, 1, 0, 1]
    copies = [line for line in text if " MTE2 DataCopy" in line and "[queue 0" in line]
    assert ["[queue 0 buffer 1]" in line for line in copies] == [False, True, False, True] * BLOCKS


def test_adds_read_what_was_copied(streams: tuple[list[str], list[Record], Record]) -> None:
    _, records, _ = streams
    add = next(record for record in records if record.get("opcode") == "Add")
    assert (add["pipe"], add["dtype"], add["elements"], add["repeats"]) == ("V", "float", 256, 4)
    assert [(r["write"], r["queue"], r["bytes"]) for r in add["ranges"]] == [
        *((True, 2, TILE_BYTES), (False, 0, TILE_BYTES), (False, 1, TILE_BYTES)),
    ]


def test_flags_pair_up_and_name_their_cause(
    streams: tuple[list[str], list[Record], Record],
) -> None:
    _, records, _ = streams
    pending: dict[tuple[int, str, int], int] = {}
    causes: dict[str, set[str]] = {}
    for record in records[1:]:
        if "flag" not in record:
            continue
        key = (record["block"], record["flag"], record["flag_id"])
        pending[key] = pending.get(key, 0) + (1 if record["flag_set"] else -1)
        assert pending[key] in (0, 1)
        source, _, target = record["flag"].partition("_")
        assert record["pipe"] == (source if record["flag_set"] else target)
        causes.setdefault(record["flag"], set()).add(record["cause"])
    assert not any(pending.values())
    assert set(causes) == {"MTE2_V", "V_MTE2", "V_MTE3", "MTE3_V"}
    assert causes["MTE2_V"] == {"EnQue", "DeQue"}
    assert {"FreeTensor", "AllocTensor"} <= causes["V_MTE2"]


def test_bytes_of_stream_and_registry_agree(
    streams: tuple[list[str], list[Record], Record],
) -> None:
    _, records, stats = streams
    total = {True: 0, False: 0}
    for record in records[1:]:
        for r in record["ranges"]:
            if r["memory"] == "GM":
                total[r["write"]] += r["bytes"] * r["count"] * r["repeats"]
    moved = BLOCKS * TILES * TILE_BYTES
    assert total == {True: moved, False: 2 * moved}
    assert stats["gm_read_bytes"] == stats["registry_read_bytes"] == 2 * moved
    assert stats["gm_write_bytes"] == stats["registry_write_bytes"] == moved
    counts = stats["instructions"]
    for pipe in ("V", "MTE2", "MTE3", "S"):
        assert counts[pipe] == sum(record["pipe"] == pipe for record in records[1:])


def test_places_name_the_tensor(streams: tuple[list[str], list[Record], Record]) -> None:
    _, records, _ = streams
    places = {
        (record["block"], r["place"])
        for record in records[1:]
        for r in record["ranges"]
        if r["memory"] == "GM"
    }
    offsets = sorted(place.rpartition("+")[2] for block, place in places if block == 1)
    start = TILES * TILE_BYTES
    assert offsets == sorted([f"0x{start + i * TILE_BYTES:x}" for i in range(TILES)] * 3)


def test_places_name_the_argument(kernels: Path, tmp_path: Path) -> None:
    kernel = cannery.compile_kernel(kernels / "add.cpp", "add")
    x = np.ones(1024, np.float32)
    dumps = []
    for _ in range(2):
        kernel(1, x, x.copy(), x.copy(), dump=tmp_path / "stream.txt")
        dumps.append((tmp_path / "stream.txt").read_text())
    assert dumps[0] == dumps[1]
    assert "read argument x+0x0" in dumps[0]


def test_failed_launch_is_dumped_up_to_the_failure(kernels: Path, tmp_path: Path) -> None:
    kernel = cannery.compile_kernel(kernels / "broken.cpp", "broken", {"BUG": 2})
    dump = tmp_path / "stream.jsonl"
    x = np.zeros(64, np.float32)
    with pytest.raises(cannery.KernelError):
        kernel(1, x, x.copy(), dump=dump)
    records = [json.loads(line) for line in dump.read_text().splitlines()]
    assert records[0]["status"] == 507035
    assert [r["opcode"] for r in records[1:] if r["pipe"] == "MTE2" and "flag" not in r] == [
        "DataCopy"
    ]
