# SPDX-License-Identifier: Apache-2.0
"""Finds bank conflicts and copies of an operator in its instruction stream."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from cannery.cli.stats import record

Record = dict[str, Any]
Range = dict[str, Any]

BLOCK = 32  # bytes that a bank reads per cycle
GROUPS = 16  # groups of banks; the next block is in the next group
BLOCKS_PER_REPEAT = 8


def stream(call: Callable[[], object], folder: Path) -> list[Record]:
    """Returns the instructions of one call from the dump, without the record of the launch."""
    dump = folder / "stream.jsonl"
    with record(dump):
        call()
    records = map(json.loads, dump.read_text(encoding="utf-8").splitlines())
    return [each for each in records if "launch" not in each]


def groups_of(operand: Range) -> npt.NDArray[np.int64]:
    """Returns the group of banks of each block that the operand reads, with a row for each repeat;
    -1 means no block."""
    assert (operand["count"], operand["repeats"]) == (1, 1)
    start = int(operand["place"].rpartition("+")[2], 16)
    blocks = np.arange(start // BLOCK, (start + operand["bytes"] - 1) // BLOCK + 1)
    groups = np.full(-(-blocks.size // BLOCKS_PER_REPEAT) * BLOCKS_PER_REPEAT, -1)
    groups[: blocks.size] = blocks % GROUPS
    return groups.reshape(-1, BLOCKS_PER_REPEAT)


def sources(each: Record) -> list[Range]:
    """Returns the source operands of a vector instruction, without its destination."""
    return [r for r in each["ranges"] if r["operand"].startswith("src")]


def binary(records: list[Record]) -> list[Record]:
    """Returns the vector instructions that have the two sources src0 and src1."""
    return [
        each
        for each in records
        if each["pipe"] == "V" and [r["operand"] for r in sources(each)] == ["src0", "src1"]
    ]


def repeats_in_conflict(each: Record) -> int:
    """Counts the repeats in which both sources of a binary instruction use the same group of
    banks."""
    first, second = (groups_of(operand) for operand in sources(each))
    same = (first[:, :, None] == second[:, None, :]) & (first[:, :, None] >= 0)
    return int(same.any((1, 2)).sum())


def stores(records: list[Record], name: str) -> list[Range]:
    """Returns the ranges of the copies that write to the output `name`."""
    return [
        r
        for each in records
        if each["pipe"] == "MTE3"
        for r in each["ranges"]
        if r["memory"] == "GM" and name in r["place"]
    ]
