# SPDX-License-Identifier: Apache-2.0
"""Tests dumps of launches with many instructions: order, memory, time limit, and a full disk."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cannery

from ..processes import PEAK_MIB, run_code

pytestmark = pytest.mark.twin_only("a card has no record of a launch")

SOURCE = Path(__file__).parents[2] / "fixtures" / "kernels" / "device" / "repeated_adds.cpp"


@pytest.fixture(scope="module")
def kernel() -> Any:
    return cannery.compile_kernel(SOURCE, "repeated_adds")


def run(kernel: Any, blocks: int, elements: int, rounds: int, **options: Any) -> None:
    x = np.zeros(blocks * elements, np.float32)
    out = np.empty_like(x)
    kernel(blocks, x, out, elements, rounds, **options)
    assert (out == rounds).all()


def in_process(blocks: int, rounds: int, dump: Path, setup: str = "") -> str:
    """Runs the kernel in a new process, and returns the peak memory of this process in MiB."""
    done = run_code(
        f"""
import resource
import numpy as np
import cannery
kernel = cannery.compile_kernel({str(SOURCE)!r}, "repeated_adds")
{setup}
x = np.zeros({blocks} * 64, np.float32)
kernel({blocks}, x, np.empty_like(x), 64, {rounds}, dump={str(dump)!r})
print({PEAK_MIB})
"""
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("threads", [1, 2])
def test_the_instructions_of_each_core_stay_together(
    kernel: Any, tmp_path: Path, threads: int
) -> None:
    """The texts of these cores do not fit into the memory that a launch uses for them."""
    blocks, rounds = 40, 800
    with cannery.use(threads=threads, core_order=3):
        run(kernel, blocks, 64, rounds, dump=tmp_path / "all.jsonl")
    assert (tmp_path / "all.jsonl").stat().st_size > 16 << 20
    with (tmp_path / "all.jsonl").open() as file:
        assert json.loads(next(file))["launch"] == "repeated_adds"
        records = [json.loads(line) for line in file]
    places = [(each["block"], each["seq"]) for each in records]
    assert places == sorted(set(places))
    adds = [each["block"] for each in records if each["opcode"] == "Adds"]
    assert adds == [block for block in range(blocks) for _ in range(rounds)]
    assert list(tmp_path.iterdir()) == [tmp_path / "all.jsonl"]


def test_writing_a_dump_is_no_time_of_the_kernel(kernel: Any, tmp_path: Path) -> None:
    """The dump's checksums of values take far longer than the time limit. The kernel itself does
    not."""
    with cannery.use(timeout_s=0.1):
        run(kernel, 1, 8192, 20000, dump=tmp_path / "slow.txt", dump_values=1)


@pytest.mark.slow
def test_a_long_dump_takes_little_memory(tmp_path: Path) -> None:
    assert int(in_process(1, 1_500_000, tmp_path / "long.txt")) < 300, "MiB"


def test_a_disk_without_room_for_the_scratch_file(tmp_path: Path) -> None:
    limited = "resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))"
    with pytest.raises(AssertionError, match=r"T609 .*cut\.txt is incomplete.*File too large"):
        in_process(1, 10_000, tmp_path / "cut.txt", limited)
