# SPDX-License-Identifier: Apache-2.0
"""Tests calls whose sharedTmpBuffer lies over a source. Such a call is right if the library reads
the source before it writes the scratch there, and must be refused otherwise (T701)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cannery

pytestmark = pytest.mark.twin_only("a card does not check the scratch")

SOURCE = """
#include "kernel_operator.h"
using namespace AscendC;

constexpr uint32_t kDst = 65536;

template <typename T, int32_t AXIS>
__aicore__ inline void Spread(GM_ADDR x, GM_ADDR y, uint32_t rows, uint32_t columns, uint32_t at,
                              uint32_t tmpBytes) {
    const uint32_t from = (AXIS == 0 ? columns : rows) * sizeof(T), bytes = (from + 31) / 32 * 32;
    const uint32_t to = (rows * columns * sizeof(T) + 31) / 32 * 32;
    LocalTensor<T> src(TPosition::VECIN, at, bytes / sizeof(T));
    LocalTensor<T> dst(TPosition::VECOUT, kDst, to / sizeof(T));
    LocalTensor<uint8_t> tmp(TPosition::VECCALC, 4096, tmpBytes);
    GlobalTensor<T> in, out;
    in.SetGlobalBuffer((__gm__ T*)x);
    out.SetGlobalBuffer((__gm__ T*)y);
    DataCopy(src, in, bytes / sizeof(T));
    PipeBarrier<PIPE_ALL>();
    const uint32_t dstShape[2] = {rows, columns};
    const uint32_t srcShape[2] = {AXIS == 0 ? 1 : rows, AXIS == 1 ? 1 : columns};
    BroadCast<T, 2, AXIS>(dst, src, dstShape, srcShape, tmp);
    PipeBarrier<PIPE_ALL>();
    DataCopy(out, dst, to / sizeof(T));
}

extern "C" __global__ __aicore__ void spread(GM_ADDR x, GM_ADDR y, uint32_t rows, uint32_t columns,
                                             uint32_t at, uint32_t tmpBytes) {
    if (TILING_KEY_IS(0)) {
        Spread<float, 0>(x, y, rows, columns, at, tmpBytes);
    } else if (TILING_KEY_IS(1)) {
        Spread<float, 1>(x, y, rows, columns, at, tmpBytes);
    } else if (TILING_KEY_IS(2)) {
        Spread<half, 1>(x, y, rows, columns, at, tmpBytes);
    } else if (TILING_KEY_IS(3)) {
        Spread<int8_t, 0>(x, y, rows, columns, at, tmpBytes);
    } else if (TILING_KEY_IS(4)) {
        Spread<int8_t, 1>(x, y, rows, columns, at, tmpBytes);
    }
}

extern "C" __global__ __aicore__ void curve(GM_ADDR x, GM_ADDR y, uint32_t count, uint32_t at,
                                            uint32_t tmpBytes) {
    LocalTensor<float> src(TPosition::VECIN, at, count), dst(TPosition::VECOUT, kDst, count);
    LocalTensor<uint8_t> tmp(TPosition::VECCALC, 4096, tmpBytes);
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float*)x);
    out.SetGlobalBuffer((__gm__ float*)y);
    DataCopy(src, in, count);
    PipeBarrier<PIPE_ALL>();
    if (TILING_KEY_IS(0)) {
        Tanh(dst, src, tmp, count);
    } else if (TILING_KEY_IS(1)) {
        Power(dst, src, src, tmp, count);
    }
    PipeBarrier<PIPE_ALL>();
    DataCopy(out, dst, count);
}
"""
TMP = 4096
KEYS = {
    (np.float32, 0): 0,
    (np.float32, 1): 1,
    (np.float16, 1): 2,
    (np.int8, 0): 3,
    (np.int8, 1): 4,
}


@pytest.fixture(scope="module")
def spread() -> Any:
    return cannery.compile_kernel(SOURCE, "spread")


def run(
    spread: Any, dtype: Any, axis: int, shape: tuple[int, int], at: int, tmp_bytes: int
) -> None:
    """Broadcasts along `axis` to `shape`. The source is `at` bytes behind the begin of the scratch,
    which has `tmp_bytes` bytes."""
    rows, columns = shape
    count = columns if axis == 0 else rows
    x = np.arange(1, count + 1).astype(dtype)
    padded = np.zeros(-(-count * x.itemsize // 32) * 32 // x.itemsize, dtype)
    padded[:count] = x
    y = np.zeros(-(-rows * columns * x.itemsize // 32) * 32 // x.itemsize, dtype)
    numbers = [np.uint32(each) for each in (rows, columns, TMP + at, tmp_bytes)]
    spread(1, padded, y, *numbers, tiling_key=KEYS[dtype, axis])
    want = np.broadcast_to(x if axis == 0 else x[:, None], shape)
    assert np.array_equal(y[: rows * columns].reshape(shape), want)


def refused(*arguments: Any) -> None:
    with pytest.raises(cannery.KernelError, match="where srcLocal lies") as caught:
        run(*arguments)
    assert caught.value.code == "T701"


def test_along_columns(spread: Any) -> None:
    """Brcb writes 256 B of scratch for each 32 B of float, so the source may be at the end."""
    run(spread, np.float32, 1, (64, 16), 2048 - 256, 2048)
    run(spread, np.float32, 1, (64, 16), 1568, 2048)  # repeat 6 writes up to 1792, where 7 reads
    refused(spread, np.float32, 1, (64, 16), 1536, 2048)
    refused(spread, np.float32, 1, (64, 16), 0, 2048)
    run(spread, np.float32, 1, (8, 16), 0, 2048)  # one repeat reads first
    run(spread, np.float16, 1, (64, 16), 1696, 2048)
    refused(spread, np.float16, 1, (64, 16), 1664, 2048)


def test_along_columns_in_several_parts(spread: Any) -> None:
    """With little scratch, the library writes it before it reads the last rows."""
    run(spread, np.float32, 1, (64, 16), 2048 - 256, 2048)
    refused(spread, np.float32, 1, (64, 16), 1024 - 256, 1024)
    run(
        spread, np.float32, 1, (64, 16), 1024 - 32, 1024
    )  # the first half of the rows is at the end


def test_along_ragged_columns(spread: Any) -> None:
    whole = 64 * 32 * 3
    run(spread, np.float32, 1, (64, 12), 2048 - 256, whole)
    run(spread, np.float32, 1, (64, 12), 4096, whole)
    refused(spread, np.float32, 1, (64, 12), 0, whole)
    refused(spread, np.float32, 1, (64, 12), whole // 2 - 256, whole // 2)


def test_along_rows(spread: Any) -> None:
    """A block of zeros at the begin of the scratch is all that the library writes there."""
    refused(spread, np.float32, 0, (7, 16), 0, 2048)
    run(spread, np.float32, 0, (7, 16), 32, 2048)


@pytest.mark.parametrize("axis", [0, 1])
def test_bytes(spread: Any, axis: int) -> None:
    """The library first casts the source to the begin of the scratch, then reads only the cast."""
    shape = (4, 256) if axis == 0 else (256, 32)
    run(spread, np.int8, axis, shape, 512, 32768)  # behind the cast
    run(spread, np.int8, axis, shape, 256, 32768)  # the last repeat writes there
    refused(spread, np.int8, axis, shape, 0, 32768)
    run(spread, np.int8, axis, (4, 64) if axis == 0 else (64, 32), 0, 32768)  # one repeat


def test_pedantic_refuses_every_overlap(spread: Any) -> None:
    with cannery.use(mode="pedantic"):
        refused(spread, np.float32, 1, (64, 16), 2048 - 256, 2048)


@pytest.mark.parametrize(("key", "function"), [(0, np.tanh), (1, lambda x: x**x)])
def test_other_calls(key: int, function: Any) -> None:
    """The page of Tanh forbids the overlap. That of Power does not, but Power reads its sources
    again after it has written the scratch."""
    kernel = cannery.compile_kernel(SOURCE, "curve")
    x = np.linspace(0.5, 2, 64, dtype=np.float32)
    y = np.zeros_like(x)
    kernel(1, x, y, np.uint32(64), np.uint32(2048), np.uint32(4096), tiling_key=key)
    np.testing.assert_allclose(y, function(x), rtol=1e-5, atol=1e-6)
    with pytest.raises(cannery.KernelError, match=r"where src\w* lies") as caught:
        kernel(1, x, y, np.uint32(64), np.uint32(TMP), np.uint32(4096), tiling_key=key)
    assert caught.value.code == "T701"
