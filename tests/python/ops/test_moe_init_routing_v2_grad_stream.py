# SPDX-License-Identifier: Apache-2.0
"""Tests bank conflicts, additions and copies in the instruction stream of MoeInitRoutingV2Grad."""

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


def run(
    tokens: int, slots: int, cols: int, name: str, folder: Path, kept: float = 1
) -> list[Record]:
    rng = np.random.default_rng(tokens + slots + cols)
    rows = normal(rng, (1, tokens * slots, cols), DTYPES[name])
    index = rng.permutation(tokens * slots).astype(np.int32)
    index[rng.random(index.size) >= kept] = -1
    return stream(
        lambda: cannery.moe_init_routing_v2_grad(rows, index, slots, drop_pad_mode=1), folder
    )


# Shapes of models; odd and even numbers of rows per token; many rows per token; and rows that are
# no multiple of 512 B, the size of all 16 groups of banks.
@pytest.mark.parametrize(
    ("tokens", "slots", "cols"),
    [
        *[(50, 8, 2048), (48, 2, 4096), (3, 6, 7168)],
        *[(97, slots, 128) for slots in (2, 3, 4, 5, 6, 7, 9, 11, 14, 15)],
        *[(2, 10, 7168), (2, 57, 7168), (2, 90, 300)],
        *[(100, 3, 17), (30, 7, 40), (5, 9, 7169), (60, 64, 16)],
    ],
)
@pytest.mark.parametrize("name", DTYPES)
def test_no_two_sources_share_a_bank(
    tokens: int, slots: int, cols: int, name: str, tmp_path: Path
) -> None:
    found = binary(run(tokens, slots, cols, name, tmp_path, kept=0.9))
    assert found
    assert sum(map(repeats_in_conflict, found)) == 0


@pytest.mark.parametrize("name", DTYPES)
def test_a_step_of_eight_slots_is_three_additions(name: str, tmp_path: Path) -> None:
    records = run(50, 8, 2048, name, tmp_path)
    opcodes = Counter((each["pipe"], each["opcode"]) for each in records)
    tiles = opcodes["MTE3", "DataCopyPad"]
    assert opcodes["V", "Add"] == 3 * tiles
    assert opcodes["V", "Cast"] == (0 if name == "float32" else 2 * tiles)
    assert opcodes["V", "Duplicate"] == len({each["block"] for each in records})


@pytest.mark.parametrize(("slots", "cols"), [(2, 64), (8, 64), (8, 2048), (7, 40)])
def test_one_copy_loads_two_slots(slots: int, cols: int, tmp_path: Path) -> None:
    records = run(200, slots, cols, "float16", tmp_path)
    blocks = len({each["block"] for each in records})
    found = Counter((each["pipe"], each["opcode"]) for each in records)["MTE2", "DataCopyPad"]
    assert found - blocks == 200 * (slots - slots // 2)  # each block loads its indices once


@pytest.mark.parametrize("slots", [1, 8])
def test_skipped_slots_are_not_loaded(slots: int, tmp_path: Path) -> None:
    records = run(200, slots, 3000, "float16", tmp_path, kept=0)
    blocks = len({each["block"] for each in records})
    opcodes = Counter((each["pipe"], each["opcode"]) for each in records)
    assert opcodes["MTE2", "DataCopyPad"] == blocks  # the indices
    assert opcodes["V", "Add"] == opcodes["V", "Cast"] == 0


@pytest.mark.parametrize("name", DTYPES)
def test_a_single_slot_needs_no_vector_instruction(name: str, tmp_path: Path) -> None:
    records = run(200, 1, 1000, name, tmp_path)
    assert not [each for each in records if each["pipe"] == "V"]


@pytest.mark.parametrize("slots", [1, 2, 8])
def test_rows_that_share_a_block_do_not_follow_each_other(slots: int, tmp_path: Path) -> None:
    """A row waits for the row before it if both have bytes in the same 32 B of GM."""
    rng = np.random.default_rng(slots)
    grad = normal(rng, (200 * slots, 33), np.dtype(np.float32))
    index = np.arange(200 * slots, dtype=np.int32)
    records = stream(lambda: cannery.moe_init_routing_v2_grad(grad, index, slots), tmp_path)
    copies = [each for each in records if (each["pipe"], each["opcode"]) == ("MTE2", "DataCopyPad")]
    rows = [r for each in copies for r in each["ranges"] if r["memory"] == "GM"]
    loads = [r for r in rows if r["bytes"] == 33 * 4]
    assert len(loads) == 200 * slots
    assert all(r["count"] == 1 for r in loads)  # neighbours are loaded by a copy each


def test_neighbouring_slots_that_do_not_exist_are_filled_together(tmp_path: Path) -> None:
    records = run(200, 1, 16, "float16", tmp_path, kept=0)
    opcodes = Counter((each["pipe"], each["opcode"]) for each in records)
    assert opcodes["V", "Duplicate"] == opcodes["MTE3", "DataCopyPad"]
