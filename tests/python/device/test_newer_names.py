# SPDX-License-Identifier: Apache-2.0
"""Tests names of newer and older toolkits, and newer names whose calls must be refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cannery

from .conftest import Compile

N = 64


@pytest.fixture(scope="module")
def kernel(compile_device: Compile) -> Any:
    return compile_device("newer_names")


def test_both_names_compute_the_same(kernel: Any, rng: np.random.Generator) -> None:
    x = rng.integers(-8, 8, N).astype(np.float32)
    out = np.zeros((5, N), np.float32)
    kernel(1, x, out, tiling_key=1)
    chosen = np.where(np.arange(N) % 2 == 1, np.float32(2), x)
    np.testing.assert_array_equal(out[0], chosen)
    np.testing.assert_array_equal(out[1], chosen)
    np.testing.assert_array_equal(out[2], np.cumsum(x))
    assert out[3, 0] == N / 2  # GatherMask with pattern 1 keeps every second element
    blocks = x.reshape(8, 8)
    groups = [blocks.max(1), blocks.min(1), blocks.sum(1)]
    np.testing.assert_array_equal(out[4, :24], np.concatenate(groups))
    np.testing.assert_array_equal(out[4, 24:40], [3] * 8 + list(chosen[8:16]))


def test_dumps_of_every_memory(kernel: Any, capfd: pytest.CaptureFixture[str]) -> None:
    x = np.array([7, 8, 9], np.float32)
    kernel(1, x, x.copy(), tiling_key=2)
    dumps = capfd.readouterr().out.split("DumpTensor: ")[1:]
    found = {}
    for dump in dumps:
        head, _, body = dump.partition("\nDumpHead")[0].partition("\n")
        fields = dict(field.split("=") for field in head.split(", "))
        found[int(fields["desc"])] = (fields["position"], body.strip())
    assert found[1] == ("GM", "[7.000000, 8.000000]")
    assert found[2] == ("L1", "[" + "1.500000, " * 16 + "2.500000]")
    assert found[3] == ("L1", "[2.500000]")
    assert found[4][0] == found[5][0] == "L0C"
    assert found[4][1] == found[5][1]


@pytest.mark.parametrize(
    ("key", "code", "sentence"),
    [
        (13, "T703", "TopK skips rows that are finished in TOPK_NORMAL only"),
        (14, "T103", "asc_dump_ubuf is given a pointer that is not into"),
    ],
)
def test_refused_by_name(kernel: Any, key: int, code: str, sentence: str) -> None:
    x = np.zeros(N, np.float32)
    with pytest.raises(cannery.KernelError, match=sentence) as caught:
        kernel(1, x, x.copy(), tiling_key=key)
    assert caught.value.code == code
