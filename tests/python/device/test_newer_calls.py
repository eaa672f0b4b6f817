# SPDX-License-Identifier: Apache-2.0
"""Tests calls that are newer than CANN 8.1, next to the calls that they replace."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cannery
from cannery.compile.cores import BOTH, likely_cores

from .conftest import Compile

N = 64
VECTOR, PLACES, TOO_FAR, DUMPS, ASYNC = range(1, 6)


@pytest.fixture(scope="module")
def kernel(compile_device: Compile) -> Any:
    return compile_device("newer_calls")


def test_vector_and_scalar_calls(kernel: Any, rng: np.random.Generator) -> None:
    x = rng.uniform(-2, 2, (2, N)).astype(np.float32)
    out = np.zeros((5, N), np.float32)
    kernel(1, x, out, tiling_key=VECTOR)
    half = np.float32(0.5)
    want = np.maximum(x[0] * half + x[1], 0)
    np.testing.assert_array_equal(out[:2], [want, want])
    np.testing.assert_array_equal(out[2], np.where(np.arange(N) < 5, want, half))
    np.testing.assert_array_equal(out[3], np.where(np.arange(N) % 2 == 1, want, half))
    # Cast of a float to bfloat16_t drops bits; rounding to nearest would give 1.0078125.
    assert out[4, :3].tolist() == [1.0, 1.0, 3.0]


def test_buffers_at_places_of_the_kernel(kernel: Any, rng: np.random.Generator) -> None:
    x = rng.uniform(-2, 2, (2, N)).astype(np.float32)
    out = np.zeros((5, N), np.float32)
    kernel(1, x, out, tiling_key=PLACES)
    np.testing.assert_array_equal(out[:2], x)
    assert out[2, :5].tolist() == [512, 1024, 256, 4096, 0]


def test_a_place_beyond_the_end_is_refused(kernel: Any) -> None:
    x = np.zeros((2, N), np.float32)
    with pytest.raises(cannery.KernelError, match=r"T103 (.|\n)*InitBuffer"):
        kernel(1, x, np.zeros((5, N), np.float32), tiling_key=TOO_FAR)


def test_dumps_find_the_memory(kernel: Any, capfd: pytest.CaptureFixture[str]) -> None:
    x = np.array([7, 8], np.float32)
    kernel(1, x, x.copy(), tiling_key=DUMPS)
    found = {}
    for dump in capfd.readouterr().out.split("DumpTensor: ")[1:]:
        head, _, body = dump.partition("\nDumpHead")[0].partition("\n")
        fields = dict(field.split("=") for field in head.split(", "))
        found[int(fields["desc"])] = (fields["position"], body.strip())
    assert found[1] == ("GM", "[7.000000, 8.000000]")
    assert found[2] == ("L1", "[1.500000]")
    assert found[3][0] == "L0C"
    assert found[4] == ("UB", "[7]")


def test_async_chooses_the_core(kernel: Any) -> None:
    out = np.zeros(32, np.float32)
    kernel(1, out.copy(), out, tiling_key=ASYNC)
    assert out[[0, 16]].tolist() == [1, 2]


def test_async_needs_code_for_both_kinds_of_core() -> None:
    text = 'extern "C" __global__ __aicore__ void k(GM_ADDR x) {{ {}(x); }}'
    assert likely_cores(text.format("AscendC::Async<AscendC::EngineType::AIC, f>"), "k") == BOTH
    assert likely_cores(text.format("f"), "k") != BOTH
