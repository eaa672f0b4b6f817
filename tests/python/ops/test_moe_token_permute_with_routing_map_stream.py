# SPDX-License-Identifier: Apache-2.0
"""Counts scalar reads and copies of probs in the stream of MoeTokenPermuteWithRoutingMap."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

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


@pytest.mark.slow
@pytest.mark.parametrize(("tokens", "experts", "slots"), [(960, 8, 2), (480, 128, 8), (96, 64, 64)])
def test_a_row_of_k_experts_takes_k_and_two_scalar_reads(
    tokens: int, experts: int, slots: int, tmp_path: Path
) -> None:
    reads = scalar_reads(stream(call_of(tokens, experts, slots, 16).run, tmp_path))
    assert reads["EndOfRow"] == 0
    assert reads["Scatter"] == tokens * slots
    assert reads["FindRegular"] == 2 * tokens
    # The other reads depend on the numbers of blocks and experts, not on tokens.
    rest = sum(reads.values()) - tokens * (slots + 2)
    assert rest <= 48 * (3 * experts + 3 * 32 + 48)


def bytes_written(records: list[Record]) -> list[int]:
    """Returns the number of bytes of every copy to GM."""
    return [
        r["bytes"] * r["count"] * r["repeats"]
        for each in records
        if each["pipe"] == "MTE3" and each["opcode"] == "DataCopyPad"
        for r in each["ranges"]
        if r["write"]
    ]


@pytest.mark.parametrize(
    ("tokens", "experts", "slots", "row_tiles"),
    [
        (960, 8, 2, 1),
        pytest.param(4800, 32, 4, 1, marks=pytest.mark.release),
        pytest.param(9600, 8, 2, 2, marks=pytest.mark.release),
    ],
)
@pytest.mark.parametrize("name", DTYPES)
def test_probs_leave_in_one_run_per_expert_and_tile_of_tokens(
    tokens: int, experts: int, slots: int, row_tiles: int, name: str, tmp_path: Path
) -> None:
    call = call_of(tokens, experts, slots, 16, name)
    copies = bytes_written(stream(call.run, tmp_path))
    call.probs = None
    others = bytes_written(stream(call.run, tmp_path))
    assert len(copies) - len(others) <= 48 * experts * row_tiles
    assert sum(copies) - sum(others) == tokens * slots * np.dtype(DTYPES[name]).itemsize


def test_rows_of_different_lengths_are_searched(tmp_path: Path) -> None:
    call = call_of(96, 32, 4, 16)
    call.mask[5] = False
    call.num_out_tokens = 96 * 4
    reads = scalar_reads(stream(call.run, tmp_path))
    assert 0 < reads["EndOfRow"] < 96 * 6
