# SPDX-License-Identifier: Apache-2.0
"""Compares ReduceSum, ReduceMean, ReduceProd and so on by pattern with simple models."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cannery

from .conftest import Compile

SUM, MEAN, MAX, MIN, PRODUCT, ANY, ALL = range(7)
FIRST_AXIS, REUSE, NO_BUFFER, NOT_PADDED = 1, 2, 4, 8
#: Rows of one block, of one repeat and of several; powers of two, and not; many rows.
SHAPES = [
    (1, 1),
    (1, 128),
    (3, 5),
    (8, 8),
    (9, 40),
    (4, 64),
    (5, 65),
    (7, 200),
    (16, 512),
    (260, 72),
]


@pytest.fixture(scope="module")
def kernel(compile_device: Compile) -> Any:
    return compile_device("reduce_pattern")


def lower_power(n: int) -> int:
    return 1 << (n.bit_length() - 1)


def scratch(shape: tuple[int, int], size: int, which: int, form: int) -> int:
    """The sizes that the toolkit's host functions return."""
    first, last = shape
    if size == 1 and not form & FIRST_AXIS:
        return -(-last // 32) * 64 + first * 32
    if which == PRODUCT and not form & FIRST_AXIS:
        power = lower_power(last)
        width = power // 2 if power == last and first > 1 else power
        return 256 if form & REUSE else (max(width, 8) + first * 8) * 4 + 256
    if form & REUSE:
        return 0
    if form & FIRST_AXIS:
        power = lower_power(first)
        rows = power // 2 if power == first and first > 1 else power
        return int(rows * -(-last * size // 32) * 32)
    if which in (SUM, MEAN):
        power = lower_power(last)
        return 0 if last <= 64 else first * (power // 2 if power == last else power) * 4
    row = last * size
    return 0 if row <= 32 else first * (32 if row < 256 else 256)


def run(kernel: Any, which: int, x: np.ndarray, form: int, room: int | None = None) -> np.ndarray:
    size = x.dtype.itemsize
    need = scratch(x.shape, size, which, form) if room is None else room
    y = np.full(x.shape[1] if form & FIRST_AXIS else x.shape[0], np.nan, x.dtype)
    buffer = max(-(-need // 32) * 32, 32)
    kernel(1, x, y, np.array([which, *x.shape, form, buffer, size, 0, 0], np.uint32))
    return y


def tree(values: np.ndarray) -> np.ndarray:
    """Adds neighbours along the last axis until one sum is left."""
    while values.shape[-1] > 1:
        values = values[..., ::2] + values[..., 1::2]
    return values[..., 0]


def model_sum(x: np.ndarray, form: int) -> np.ndarray:
    if form & FIRST_AXIS:
        half = lower_power(len(x))
        rows = x[:half].copy()
        rows[: len(x) - half] += x[half:]
        while len(rows) > 1:
            rows = rows[: len(rows) // 2] + rows[len(rows) // 2 :]
        return rows[0]
    last = x.shape[1]
    if last <= 64:
        return tree(np.pad(x, ((0, 0), (0, 64 - last))))
    width = lower_power(last)
    width = width // 2 if width == last else width
    rows = x[:, :width].copy()
    rows[:, : last - width] += x[:, width:]
    return tree(rows)


def model_product(x: np.ndarray, form: int) -> np.ndarray:
    """Multiplies halves of the axis, after what is beyond a power of two."""
    x = x.copy() if form & FIRST_AXIS else x.T.copy()
    half = lower_power(len(x))
    x[: len(x) - half] *= x[half:]
    while half > 1:
        half //= 2
        x[:half] *= x[half : 2 * half]
    return x[0]


@pytest.mark.parametrize("form", [0, FIRST_AXIS, REUSE, REUSE | FIRST_AXIS])
def test_products(kernel: Any, rng: np.random.Generator, form: int) -> None:
    for shape in SHAPES:
        x = rng.uniform(0.9, 1.1, shape).astype(np.float32)
        np.testing.assert_array_equal(
            run(kernel, PRODUCT, x, form), model_product(x, form), str(shape)
        )


@pytest.mark.parametrize("form", [0, FIRST_AXIS, REUSE, REUSE | FIRST_AXIS])
def test_flags(kernel: Any, rng: np.random.Generator, form: int) -> None:
    axis = 0 if form & FIRST_AXIS else 1
    for shape in [*SHAPES, (70, 16), (19, 33), (3, 32)]:
        for dtype in (np.float32, np.uint8):
            some = np.zeros(shape, dtype)
            some.flat[rng.integers(0, some.size, 1 + some.size // 50)] = 1
            np.testing.assert_array_equal(run(kernel, ANY, some, form), some.max(axis), str(shape))
            most = 1 - some
            np.testing.assert_array_equal(run(kernel, ALL, most, form), most.min(axis), str(shape))


@pytest.mark.parametrize("form", [0, FIRST_AXIS, REUSE, REUSE | FIRST_AXIS])
def test_results(kernel: Any, rng: np.random.Generator, form: int) -> None:
    for shape in SHAPES:
        x = rng.standard_normal(shape).astype(np.float32)
        want = model_sum(x, form)
        np.testing.assert_array_equal(run(kernel, SUM, x, form), want, str(shape))
        share = np.float32(1) / np.float32(shape[0 if form & FIRST_AXIS else 1])
        np.testing.assert_array_equal(run(kernel, MEAN, x, form), want * share, str(shape))
        axis = 0 if form & FIRST_AXIS else 1
        for dtype in (np.float32, np.float16):
            y = x.astype(dtype)
            np.testing.assert_array_equal(run(kernel, MAX, y, form), y.max(axis), str(shape))
            np.testing.assert_array_equal(run(kernel, MIN, y, form), y.min(axis), str(shape))


def test_the_rest_of_ub_is_scratch(kernel: Any, rng: np.random.Generator) -> None:
    x = rng.standard_normal((6, 100)).astype(np.float32)
    for form in (NO_BUFFER, NO_BUFFER | FIRST_AXIS):
        np.testing.assert_array_equal(run(kernel, SUM, x, form, 32), model_sum(x, form))
        flags = (x > 2).astype(np.uint8)
        any_of = flags.max(0 if form & FIRST_AXIS else 1)
        np.testing.assert_array_equal(run(kernel, ANY, flags, form, 32), any_of)


def test_refused(kernel: Any) -> None:
    x = np.ones((6, 100), np.float32)
    with pytest.raises(cannery.KernelError, match=r"T703 .*ReduceSum of 6 rows.*srcInnerPad false"):
        run(kernel, SUM, x, NOT_PADDED)
    with pytest.raises(cannery.KernelError, match=r"T700 .*ReduceMax finds 32 B, .* 1536 B"):
        run(kernel, MAX, x, 0, 32)
    with pytest.raises(cannery.KernelError, match=r"T700 (.|\n)*GetReduceMeanMaxMinTmpSize"):
        run(kernel, MEAN, x, FIRST_AXIS, 32)
    with pytest.raises(cannery.KernelError, match=r"T700 .*ReduceProd finds 256 B, .* 704 B"):
        run(kernel, PRODUCT, x, 0, 256)
    with pytest.raises(cannery.KernelError, match=r"T703 .*ReduceAny of rows of 20 uint8_t"):
        run(kernel, ANY, np.ones((2, 20), np.uint8), 0)
    x = np.zeros((2, 20), np.uint8)
    x[0, 15] = x[1, 16] = 1
    with cannery.use(mode="hardware"):  # the library's code leaves out the elements from 16 on
        np.testing.assert_array_equal(run(kernel, ANY, x, 0), [1, 0])
