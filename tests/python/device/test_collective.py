# SPDX-License-Identifier: Apache-2.0
"""Tests Hccl with one device, where each communication is a copy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cannery

from .conftest import Compile

pytestmark = pytest.mark.slow

N = 64
BLOCKS = 3


@pytest.fixture(scope="module")
def kernel(compile_device: Compile) -> Any:
    return compile_device("collective")


def launch(kernel: Any, key: int, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Returns the contents of the result buffer, and the numbers that each core stores."""
    out = np.arange(4 * N, dtype=np.float32) + 1000
    memory = np.full((BLOCKS + 1) * 16, 77, np.int32)
    skip = -memory.ctypes.data % 64 // 4
    notes = memory[skip : skip + BLOCKS * 16].reshape(BLOCKS, 16)
    kernel(BLOCKS, x, out, notes, tiling_key=key)
    return out, notes


@pytest.mark.parametrize("threads", ["1", "4"])
@pytest.mark.parametrize("key", range(1, 9))
def test_each_is_a_copy(
    kernel: Any, key: int, threads: str, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CANNERY_THREADS", threads)
    x = rng.standard_normal(4 * N).astype(np.float32)
    before = np.arange(4 * N, dtype=np.float32) + 1000
    expected = before.copy()
    if key <= 4:
        expected[: 3 * N] = x[: 3 * N]
    elif key == 5:
        expected[2 * N : 3 * N] = x[N : 2 * N]
    elif key == 7:
        expected.view(np.float16)[:7] = x.view(np.float16)[:7]
    elif key == 8:
        expected = x
    out, notes = launch(kernel, key, x)
    np.testing.assert_array_equal(out.view(np.uint32), expected.view(np.uint32))
    turns = 3 if key <= 4 else 1
    assert notes[:, :6].tolist() == [[0, 0, turns, -1, 0, 1]] * BLOCKS


def test_turns_are_committed_one_by_one(kernel: Any, rng: np.random.Generator) -> None:
    x = rng.standard_normal(4 * N).astype(np.float32)
    out, notes = launch(kernel, 10, x)
    np.testing.assert_array_equal(out[: 2 * N], x[: 2 * N])
    assert out[2 * N] == 1000 + 2 * N
    assert notes[:, :6].tolist() == [[-1, 0, 0, -1, -1, -1]] * BLOCKS


@pytest.mark.parametrize(
    ("key", "code", "sentence"),
    [
        (20, "T455", "Hccl Init with a context that GetHcclContext does not give"),
        (21, "T455", "Hccl AllReduce before Init"),
        (22, "T455", "Hccl GetWindowsInAddr; the twin is one device"),
        (23, "T455", "Hccl BatchWrite; the twin is one device"),
        (24, "T455", "AlltoAllV that sends one number of elements to itself and receives another"),
        (25, "T101", "AllReduce reads 4000 B"),
    ],
)
def test_refused_by_name(kernel: Any, key: int, code: str, sentence: str) -> None:
    with pytest.raises(cannery.KernelError, match=sentence) as caught:
        launch(kernel, key, np.zeros(4 * N, np.float32))
    assert caught.value.code == code


def test_one_kind_of_core_speaks(compile_device: Compile) -> None:
    both = compile_device("collective", {"BOTH_KINDS": 1})
    with pytest.raises(cannery.KernelError, match="Hccl communications from both kinds of core"):
        launch(both, 1, np.zeros(4 * N, np.float32))
