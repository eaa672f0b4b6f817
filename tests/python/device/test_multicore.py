# SPDX-License-Identifier: Apache-2.0
"""Tests several vector cores: atomics, barriers, flags, ordered sections and the data cache."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import cannery

ELEMS = 64
SOURCE = Path(__file__).parents[2] / "fixtures" / "kernels" / "device" / "multicore.cpp"

Run = Callable[..., np.ndarray]


@pytest.fixture(scope="module")
def kernel() -> cannery.compile.Kernel:
    return cannery.compile_kernel(SOURCE, "multicore")


@pytest.fixture
def run(kernel: cannery.compile.Kernel) -> Run:
    def call(key: int, blocks: int, a: np.ndarray, out: np.ndarray) -> np.ndarray:
        sync = np.zeros(64 * 64, np.int32)
        kernel(blocks, a, out, sync, tiling_key=key)
        return out

    return call


def rows(blocks: int, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((blocks, ELEMS)).astype(np.float32) * 100


@pytest.mark.parametrize("blocks", [1, 2, 7, 40, 48])
def test_float_atomics_add_in_block_order(run: Run, blocks: int) -> None:
    a = rows(blocks)
    want = np.full(ELEMS, 0.25, np.float32)
    for row in a:  # adds in float32, block after block
        want += row
    out = run(1, blocks, a, np.full((1, ELEMS), 0.25, np.float32))
    np.testing.assert_array_equal(out[0], want)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("seed", [0, 5, 77])
def test_float_atomics_do_not_depend_on_schedule(run: Run, threads: int, seed: int) -> None:
    a = rows(40, seed=3)
    want = run(1, 40, a, np.zeros((1, ELEMS), np.float32))
    with cannery.use(threads=threads, core_order=seed):
        got = run(1, 40, a, np.zeros((1, ELEMS), np.float32))
    np.testing.assert_array_equal(got, want)


def test_integer_atomics(run: Run) -> None:
    a = np.random.default_rng(2).integers(-(2**31), 2**31, (30, ELEMS), dtype=np.int64)
    a = a.astype(np.int32)
    out = np.tile(np.int32([5, 6]), (3, ELEMS // 2)).reshape(3, ELEMS).astype(np.int32)
    before = out.copy()
    run(2, 30, a, out)
    np.testing.assert_array_equal(out[0], np.maximum(before[0], a.max(axis=0)))
    np.testing.assert_array_equal(out[1], np.minimum(before[1], a.min(axis=0)))
    total = before[2].astype(np.int64) + a.astype(np.int64).sum(axis=0)
    np.testing.assert_array_equal(out[2], total.astype(np.uint64).astype(np.uint32).view(np.int32))


def test_store_configuration_is_the_same_mode(run: Run) -> None:
    a = rows(5)
    want = np.zeros(ELEMS, np.float32)
    for row in a:
        want += row
    out = run(3, 5, a, np.zeros((2, ELEMS), np.float32))
    np.testing.assert_array_equal(out, np.stack([want, np.full(ELEMS, 10, np.float32)]))


@pytest.mark.parametrize("key", [10, 11, 12], ids=["hard", "soft", "flags"])
@pytest.mark.parametrize("blocks", [1, 2, 20, 48])
@pytest.mark.parametrize("threads", [1, 2])
def test_barriers_order_every_core(run: Run, key: int, blocks: int, threads: int) -> None:
    a = rows(blocks)
    with cannery.use(threads=threads, core_order=9):
        out = run(key, blocks, a, np.zeros_like(a))
    np.testing.assert_array_equal(out, np.roll(a + np.float32(1), -1, axis=0))


@pytest.mark.parametrize("key", [10, 11, 12], ids=["hard", "soft", "flags"])
def test_more_blocks_than_cores_is_the_deadlock_of_the_chip(run: Run, key: int) -> None:
    a = rows(49)
    with pytest.raises(cannery.KernelError) as caught:
        run(key, 49, a, np.zeros_like(a))
    assert caught.value.code == "T301"
    assert caught.value.status == 507034
    assert "48" in str(caught.value)


def test_fewer_cores_on_a_smaller_chip(run: Run) -> None:
    a = rows(41)
    with cannery.use(soc="Ascend910B3"), pytest.raises(cannery.KernelError) as caught:
        run(10, 41, a, np.zeros_like(a))
    assert caught.value.code == "T301"
    with cannery.use(soc="Ascend910B3"):
        out = run(10, 40, a[:40], np.zeros_like(a[:40]))
    np.testing.assert_array_equal(out, np.roll(a[:40] + np.float32(1), -1, axis=0))


@pytest.mark.parametrize("blocks", [1, 3, 12])
@pytest.mark.parametrize("threads", [1, 2])
def test_ordered_section_runs_in_block_order(run: Run, blocks: int, threads: int) -> None:
    out = np.ones((1, ELEMS), np.float32)
    want = np.float32(1)
    for _ in range(3):
        for block in range(blocks):
            want = want * np.float32(2) + np.float32(block)
    with cannery.use(threads=threads, core_order=4):
        run(13, blocks, rows(1), out)
    np.testing.assert_array_equal(out, want)


def test_block_flags_pair_two_cores(run: Run) -> None:
    a = rows(1)
    out = run(14, 2, a, np.zeros((2, ELEMS), np.float32))
    np.testing.assert_array_equal(out, np.stack([a[0], a[0] * 2]))


def test_soft_barrier_wants_a_zeroed_workspace(kernel: cannery.compile.Kernel) -> None:
    a = rows(2)
    with pytest.raises(cannery.KernelError) as caught:
        kernel(2, a, np.zeros_like(a), np.full(4096, 3, np.int32), tiling_key=11)
    assert caught.value.code == "T319"


def test_flag_counters_hold_fifteen(run: Run) -> None:
    a = rows(2)
    run(42, 2, a, a.copy())
    with pytest.raises(cannery.KernelError) as caught:
        run(40, 2, a, a.copy())
    assert caught.value.code == "T317"
    with pytest.raises(cannery.KernelError) as caught:
        run(41, 2, a, a.copy())
    assert caught.value.code == "T301"


def ints(blocks: int) -> np.ndarray:
    return np.zeros((blocks, 16), np.int32)


def aligned_ints(count: int) -> np.ndarray:
    """Returns an array at a multiple of 64 B, so that 16 elements are one line of the cache."""
    memory = np.zeros(count + 16, np.int32)
    first = -memory.ctypes.data % 64 // 4
    return memory[first : first + count]


@pytest.mark.parametrize("key", [20, 21], ids=["by the kernel", "by its end"])
def test_scalar_writes_reach_memory_when_written_back(run: Run, key: int) -> None:
    out = aligned_ints(8 * 16)
    run(key, 8, rows(1), out)
    np.testing.assert_array_equal(out.reshape(8, 16)[:, 0], np.arange(8) + 7)
    np.testing.assert_array_equal(out.reshape(8, 16)[:, 1], np.arange(8) + 8)


# Keys 24 and 26 run with one block. Several blocks would write the same line, and the block that
# runs first would decide which error is reported.
@pytest.mark.parametrize(
    ("key", "blocks", "code", "word"),
    [
        pytest.param(
            *(27, 4, "T311", "before the next synchronisation"),
            marks=pytest.mark.hazards_off("to the checker it matters only when somebody reads"),
        ),
        (22, 4, "T313", "64 B"),
        (24, 1, "T311", "DataCopy"),
        (26, 1, "T312", "stale"),
        (31, 4, "T314", "SyncAll"),
        (32, 4, "T315", "half"),
    ],
)
def test_what_the_chip_loses_is_an_error(
    run: Run, key: int, blocks: int, code: str, word: str
) -> None:
    out = aligned_ints(64 * 16)
    with pytest.raises(cannery.KernelError) as caught:
        run(key, blocks, rows(blocks), out)
    assert caught.value.code == code
    assert word in str(caught.value)


@pytest.mark.hazards_off("copies what is still in the data cache")
def test_copies_do_not_look_into_the_data_cache(run: Run) -> None:
    out = aligned_ints(2 * ELEMS)
    run(23, 1, rows(1), out)
    assert out[0] == out[ELEMS] == 41
    out = aligned_ints(2 * ELEMS)
    with cannery.use(mode="hardware"):
        run(24, 1, rows(1), out)
    assert (out[0], out[ELEMS]) == (41, 0)


@pytest.mark.hazards_off("reads a stale line")
def test_stale_reads_see_the_old_value(run: Run) -> None:
    out = aligned_ints(2 * ELEMS)
    run(25, 1, rows(1), out)
    assert (out[0], out[ELEMS]) == (1, 1)
    out = aligned_ints(2 * ELEMS)
    with cannery.use(mode="hardware"):
        run(26, 1, rows(1), out)
    assert (out[0], out[ELEMS]) == (1, 0)


def test_sum_is_complete_after_the_barrier(run: Run) -> None:
    a = rows(6)
    want = np.zeros(ELEMS, np.float32)
    for row in a:
        want += row
    out = run(30, 6, a, np.zeros((7, ELEMS), np.float32))
    np.testing.assert_array_equal(out, np.tile(want, (7, 1)))
