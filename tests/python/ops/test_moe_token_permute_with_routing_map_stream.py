# SPDX-License-Identifier: Apache-2.0
"""Counts scalar reads and copies of probs in the stream of MoeTokenPermuteWithRoutingMap."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from ..selection import rest_slow
from .permute_cases import DTYPES, Call, any_bits, mask_of
from .streams import Record, stream

pytestmark = pytest.mark.twin_only("reads the instruction stream")


def call_of(tokens: int, experts: int, slots: int, hidden: int, name: str = "float16") -> Call:
    rng = np.random.default_rng(tokens + experts)
    dtype = DTYPES[name]
    return Call(
        any_bits(rng, (tokens, hidden), dtype),
        mask_of(rng, tokens, experts, slots),
        any_bits(rng, (tokens, experts), dtype),
    )


def scalar_reads(records: list[Record]) -> Counter[str]:
    return Counter(each["function"] for each in records if each["opcode"] == "GetValue")


def bytes_written(records: list[Record]) -> list[int]:
    """Returns the number of bytes of every copy to GM."""
    return [
        r["bytes"] * r["count"] * r["repeats"]
        for each in records
        if each["pipe"] == "MTE3" and each["opcode"] == "DataCopyPad"
        for r in each["ranges"]
        if r["write"]
    ]


@pytest.mark.slow
@pytest.mark.parametrize(("tokens", "experts", "slots"), [(960, 8, 2), (480, 128, 8), (96, 64, 64)])
def test_a_copied_row_takes_one_scalar_read(
    tokens: int, experts: int, slots: int, tmp_path: Path
) -> None:
    reads = scalar_reads(stream(call_of(tokens, experts, slots, 1024).run, tmp_path))
    assert reads["EndOfRow"] == 0
    assert reads["Scatter"] == tokens * slots
    # The other reads depend on the numbers of blocks, tiles and experts, not on tokens.
    rest = sum(reads.values()) - tokens * slots
    assert rest <= 48 * (3 * experts + 3 * 32 + 48)


@pytest.mark.parametrize(
    ("tokens", "experts", "waits"), [(64, 256, 0), (700, 256, 1), (3, 4100, 2)]
)
def test_blocks_wait_for_each_other_only_if_the_map_is_large(
    tokens: int, experts: int, waits: int, tmp_path: Path
) -> None:
    records = stream(call_of(tokens, experts, 2, 64).run, tmp_path)
    blocks = {each["block"] for each in records}
    found = Counter(each["block"] for each in records if each["opcode"] == "CrossCoreWait")
    assert all(found[block] == waits for block in blocks)


@pytest.mark.parametrize(("tokens", "touches"), [(3200, True), (1000, False)])
def test_pages_of_a_large_output_are_touched(tokens: int, touches: bool, tmp_path: Path) -> None:
    """MTE2 reads output rows before MTE3 stores them; each block has all pages of the output."""
    reads = scalar_reads(stream(call_of(tokens, 32, 8, 1024).run, tmp_path))
    assert (reads["Touch"] > 0) == touches
    pages = tokens * 8 * 2048 / 2**21
    assert reads["Touch"] < 48 * 4 * pages


@pytest.mark.parametrize("name", DTYPES)
def test_few_probs_are_written_one_by_one(name: str, tmp_path: Path) -> None:
    """A block has fewer routed tokens than experts, so a search for runs would take longer."""
    records = stream(call_of(8, 256, 8, 64, name).run, tmp_path)
    size = np.dtype(DTYPES[name]).itemsize
    assert bytes_written(records).count(size) == 64
    assert not [each for each in records if each["opcode"] == "TransDataTo5HD"]


@pytest.mark.parametrize(("hidden", "copies"), [(64, 2), (1, 2), (100, 2), (128, 2), (1024, 16)])
def test_short_rows_leave_in_one_run_per_expert_and_tile_of_tokens(
    hidden: int, copies: int, tmp_path: Path
) -> None:
    """48 blocks have 100 tokens each, 25 of them for each expert."""
    call = call_of(4800, 8, 2, hidden)
    call.probs = None
    written = bytes_written(stream(call.run, tmp_path))
    rows = 4800 * 2
    assert sum(written) >= rows * (hidden * 2 + 4)
    if hidden <= 256:
        assert len(written) <= 48 * (8 * copies + 8)
    else:
        assert len(written) >= rows


@pytest.mark.parametrize(
    ("tokens", "experts", "slots", "row_tiles"),
    [
        (4800, 8, 2, 1),
        pytest.param(4800, 32, 4, 1, marks=pytest.mark.release),
        pytest.param(9600, 8, 2, 2, marks=pytest.mark.release),
    ],
)
@pytest.mark.parametrize("name", rest_slow(DTYPES))
def test_probs_leave_in_one_run_per_expert_and_tile_of_tokens(
    tokens: int, experts: int, slots: int, row_tiles: int, name: str, tmp_path: Path
) -> None:
    call = call_of(tokens, experts, slots, 1024, name)
    copies = bytes_written(stream(call.run, tmp_path))
    call.probs = None
    others = bytes_written(stream(call.run, tmp_path))
    assert len(copies) - len(others) <= 48 * (experts * row_tiles + 1)
    assert sum(copies) - sum(others) == tokens * slots * np.dtype(DTYPES[name]).itemsize


def test_rows_of_different_lengths_are_searched(tmp_path: Path) -> None:
    call = call_of(96, 32, 4, 1024)
    call.mask[5] = False
    call.num_out_tokens = 96 * 4
    reads = scalar_reads(stream(call.run, tmp_path))
    assert 0 < reads["EndOfRow"] < 96 * 6
