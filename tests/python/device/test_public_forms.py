# SPDX-License-Identifier: Apache-2.0
"""Tests kernels that use APIs as template arguments, with raw pointers, and as builtins."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cannery

from .conftest import Compile

FLOATS, INTEGERS, POINTERS, NO_EVENT, NO_SET, NOT_LOCAL, SCALARS, PIPE, ASSERT = range(9)
BYPASS, DIRTY, ODD, BEYOND = range(9, 13)
N = 64


@pytest.fixture(scope="module")
def kernel(compile_device: Compile) -> Any:
    return compile_device("public_forms")


@pytest.mark.slow
def test_functions_of_floats(kernel: Any, rng: np.random.Generator) -> None:
    a, b = x = rng.uniform(0.1, 4, (2, N)).astype(np.float32)
    out = np.zeros((22, N), np.float32)
    kernel(1, x, out, tiling_key=FLOATS)
    some, bits = np.arange(N) < 5, np.isin(np.arange(N), [0, 2, 4])
    three, zero, old = np.float32(3), np.float32(0), np.float32(-1)
    expected = [
        a + b,
        np.maximum(a + b, zero),
        a / b,
        np.maximum(a, b),
        np.minimum(a, b),
        a * b,
        a - b,
        np.maximum(a - b, zero),
        np.where(some, a - b, old),
        np.where(bits, a * b, old),
        np.abs(a),
        np.exp(a),
        np.log(a),
        1 / a,
        np.maximum(a, zero),
        1 / np.sqrt(a),
        np.sqrt(a),
        a + three,
        np.where(a > 0, a, a * three),
        np.maximum(a, three),
        np.minimum(a, three),
        a * three,
    ]
    np.testing.assert_allclose(out, np.stack(expected), rtol=1e-6, atol=1e-7)


def test_functions_of_integers(kernel: Any, rng: np.random.Generator) -> None:
    a, b = x = rng.integers(-(2**15), 2**15, (2, N)).astype(np.int16)
    out = np.zeros((3, N), np.int16)
    kernel(1, x, out, tiling_key=INTEGERS)
    np.testing.assert_array_equal(out, np.stack([a & b, a | b, ~a]))


@pytest.mark.hazards_off("what goes through raw pointers no tensor has written; shows filler")
def test_raw_pointers(kernel: Any, rng: np.random.Generator) -> None:
    x = rng.integers(0, 2**15, 256).astype(np.uint16)
    out = np.zeros(1024, np.uint16)
    kernel(1, x, out, tiling_key=POINTERS)
    rows = x.copy()
    rows[255] = out[255]  # the padding after 510 B of data
    np.testing.assert_array_equal(out[:256], rows)
    np.testing.assert_array_equal(out[256:272], x[:16])
    np.testing.assert_array_equal(out[512:768], rows.reshape(16, 16).T.ravel())
    np.testing.assert_array_equal(out[768:1023], rows[:255])
    assert out[1023] == x[0]


@pytest.mark.hazards_off("two cores hand words over by polling, past the caches")
def test_around_the_data_cache(kernel: Any) -> None:
    out = np.zeros(16, np.int32)
    kernel(2, out, out, tiling_key=BYPASS)
    assert out[:2].tolist() == [100, 101]
    assert out.view(np.int16)[4:6].tolist() == [101, 100]


def test_scalars_and_copied_pipe(kernel: Any) -> None:
    out = np.full(16, 9, np.int32)
    kernel(1, np.full(16, 30, np.int32), out, tiling_key=SCALARS)
    assert out.tolist() == [35, 7, 0, 1, 32, 16, 13, 34] + [9] * 8


@pytest.mark.parametrize(
    ("key", "message"),
    [
        (NO_EVENT, "T304 no such event: set_flag from pipe"),
        (NO_SET, "T303"),
        (PIPE, "T223 .*the first has 1 buffers, the second 0"),
        (ASSERT, "T442 .*block_num == 2, two blocks, not 1"),
        (DIRTY, "T311 (.|\n)*ReadGmByPassDCache reads"),
        (ODD, "T104 .*ReadGmByPassDCache"),
        (BEYOND, "T102 .*ReadGmByPassDCache"),
        (NOT_LOCAL, "T103 .*DataCopyPadUB2GMImpl"),
    ],
)
def test_refused(kernel: Any, key: int, message: str) -> None:
    memory = np.zeros(1024, np.float16)  # large, so that no array follows the output
    with pytest.raises(cannery.KernelError, match=message):
        kernel(1, memory[:8], memory[512:520], tiling_key=key)


BYTES = """
#include "kernel_operator.h"
extern "C" __global__ __aicore__ void bytes(GM_ADDR x, GM_ADDR y) {
    AscendC::TPipe pipe;
    AscendC::TBuf<AscendC::TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 128);
    AscendC::GlobalTensor<uint8_t> from, to;
    from.SetGlobalBuffer(x, 128);
    to.SetGlobalBuffer(y, 64);
    auto local = buffer.Get<uint8_t>();
    AscendC::DataCopy(local, from, 128);
    AscendC::PipeBarrier<PIPE_ALL>();
    AscendC::And(local, local, local[64], 16);
    AscendC::PipeBarrier<PIPE_ALL>();
    AscendC::DataCopy(to, local, 64);
}
"""


def test_and_of_bytes_counts_16_bit_elements(rng: np.random.Generator) -> None:
    x = rng.integers(0, 256, 128).astype(np.uint8)
    y = np.zeros(64, np.uint8)
    cannery.compile_kernel(BYTES, "bytes")(1, x, y)
    want = x[:64].copy()
    want[:32] &= x[64:96]
    np.testing.assert_array_equal(y, want)
