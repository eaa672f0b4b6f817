# SPDX-License-Identifier: Apache-2.0
"""Compares CreateVecIndex, ArithProgression, Brcb and Copy with NumPy."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cannery

from .conftest import Compile
from .rearrange_machine import Array, Case, RearrangeMachine, new_image, put, same
from .vector_model import read, write
from .vector_shapes import HIGH_BITS, LOW_BITS

OPS = ("CreateVecIndex", "ArithProgression", "Arange", "Brcb", "Copy")
NUMBERS = ("half", "float", "int16_t", "int32_t")
DTYPES = ("half", "bfloat16_t", "int16_t", "uint16_t", "float", "int32_t", "uint32_t")
SRC, SIZE = 98304, 180224


@pytest.fixture(scope="module")
def unit(compile_device: Compile) -> RearrangeMachine:
    return RearrangeMachine(
        compile_device("fill", {f"OP_{op}": i for i, op in enumerate(OPS)}), OPS
    )


def refused(unit: RearrangeMachine, image: Array, case: Case, code: str) -> None:
    with pytest.raises(cannery.KernelError) as caught:
        unit.run(image, case)
    assert caught.value.code == code, str(caught.value)


def bits_of(dtype: str, value: float) -> bytes:
    return np.array([value]).astype(Case("", dtype).type).tobytes()


def grown(first: Array, total: int, step: Any) -> Array:
    """Returns copies of `first`, up to `total` elements. Each copy adds `step` to the last one."""
    rows = [first]
    while len(rows) * first.size < total:
        rows.append((rows[-1] + first.dtype.type(step)).astype(first.dtype))
    return np.concatenate(rows)[:total]


# --- CreateVecIndex


def indices(case: Case, total: int) -> Array:
    """Returns first, first + 1, ... with the rounding of the library's instructions."""
    block, kind = 32 // case.type.itemsize, case.type
    first = np.frombuffer(case.scalar, kind)[0].astype(np.float32)
    start = (first + np.arange(block, dtype=np.float32)).astype(kind)
    return grown(grown(start, case.lanes, block), total, case.lanes)


@pytest.mark.parametrize("dtype", NUMBERS)
def test_index_count(unit: RearrangeMachine, rng: np.random.Generator, dtype: str) -> None:
    for first in (0, 5, -300):
        for count in (0, 1, 8, 9, 16, 63, 64, 65, 128, 129, 333, 3000):
            case = Case("CreateVecIndex", dtype, count=count, scalar=bits_of(dtype, first))
            image = new_image(rng, SIZE)
            want = image.copy()
            written = max(count, 32 // case.type.itemsize) if count else 0
            put(want, 0, indices(case, written))
            same(unit.run(image, case), want)


@pytest.mark.parametrize("dtype", NUMBERS)
def test_index_masks(unit: RearrangeMachine, rng: np.random.Generator, dtype: str) -> None:
    lanes = Case("", dtype).lanes
    high = HIGH_BITS if lanes == 128 else 0
    forms: list[dict[str, Any]] = [
        {"form": "mask_count", "low": lanes, "repeats": 5},
        {"form": "mask_count", "low": 23, "repeats": 3, "blk": (2, 1, 1), "rep": (17, 8, 8)},
        {"form": "mask_count", "low": 16, "repeats": 1},
        {"form": "mask_count", "low": 0, "repeats": 5},
        {"form": "mask_count", "low": lanes, "repeats": 0},
        {"form": "mask_bits", "low": LOW_BITS, "high": high, "repeats": 4},
        {"form": "mask_bits", "low": LOW_BITS, "high": high, "repeats": 2, "blk": (3, 1, 1),
         "rep": (25, 8, 8)},
        {"form": "mask_bits", "low": 1, "repeats": 0},
    ]  # fmt: skip
    for form in forms:
        case = Case("CreateVecIndex", dtype, scalar=bits_of(dtype, 7), **form)
        image = new_image(rng, SIZE)
        want = image.copy()
        for repeat, elements in case.active():
            if elements.size:
                numbers = indices(case, (repeat + 1) * lanes)[repeat * lanes + elements]
                write(want, case.places(0, repeat, elements), numbers)
        same(unit.run(image, case), want)


def test_index_refused(unit: RearrangeMachine, rng: np.random.Generator) -> None:
    image = new_image(rng, SIZE)
    far = Case("CreateVecIndex", "int32_t", count=64, scalar=np.int32(2**24 + 1).tobytes())
    refused(unit, image, far, "T428")
    refused(unit, image, replace(far, scalar=b"", count=SIZE), "T107")
    refused(unit, image, replace(far, scalar=b"", count=-1), "T402")
    refused(unit, image, replace(far, scalar=b"", form="mask_count", low=65), "T403")
    small = replace(far, scalar=b"", form="mask_count", low=5, dst=SRC)
    refused(unit, image, small, "T429")
    with cannery.use(mode="hardware"):
        want = image.copy()
        numbers = image[SRC - 32 : SRC - 12].view(np.int32).astype(np.int64) + 8
        put(want, SRC, numbers.astype(np.int32))
        same(unit.run(image, small), want)


# --- ArithProgression


def progression(case: Case) -> Array:
    block, kind = 32 // case.type.itemsize, case.type
    first, step = np.frombuffer(case.scalar, kind)[0], np.frombuffer(case.step, kind)[0]
    i = np.arange(block)
    if kind.kind == "i":
        start = (int(first) + int(step) * i).astype(kind)
    else:
        start = (np.float32(first) + np.float32(step) * i.astype(np.float32)).astype(kind)
    if case.count <= block:
        return start[: case.count]
    by_block, by_repeat = (np.float32(step) * np.float32(n) for n in (block, case.lanes))
    total = (case.count + block - 1) // block * block
    with np.errstate(over="ignore"):
        return grown(grown(start, case.lanes, kind.type(by_block)), total, kind.type(by_repeat))


@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize(("first", "step"), [(0, 1), (-3, 2), (100, 7), (1, 0), (50, -2)])
def test_progression(
    unit: RearrangeMachine, rng: np.random.Generator, dtype: str, first: int, step: int
) -> None:
    fraction = 0.37 if dtype in ("half", "float") and step == 7 else 0.0
    for op in ("ArithProgression", "Arange"):
        for count in (0, 1, 8, 9, 16, 17, 64, 65, 127, 128, 130, 1003):
            case = Case(op, dtype, count=count, scalar=bits_of(dtype, first + fraction))
            case = replace(case, step=bits_of(dtype, step + fraction))
            image = new_image(rng, SIZE)
            want = image.copy()
            put(want, 0, progression(case))
            same(unit.run(image, case), want)


def test_progression_refused(unit: RearrangeMachine, rng: np.random.Generator) -> None:
    case = Case("ArithProgression", "float", count=-1)
    refused(unit, new_image(rng, SIZE), case, "T402")
    refused(unit, new_image(rng, SIZE), replace(case, count=64, dst=4), "T104")


# --- Brcb


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    ("repeats", "blk", "rep"), [(1, 1, 8), (9, 1, 8), (255, 1, 8), (3, 2, 16), (4, 5, 1), (0, 1, 8)]
)
def test_brcb(
    unit: RearrangeMachine, rng: np.random.Generator, dtype: str, repeats: int, blk: int, rep: int
) -> None:
    case = Case("Brcb", dtype, repeats=repeats, blk=(blk, 1, 1), rep=(rep, 8, 8), src0=SRC)
    image = new_image(rng, SIZE)
    want = image.copy()
    size = case.type.itemsize
    for i in range(8 * repeats):
        to = (i // 8 * rep + i % 8 * blk) * 32
        want[to : to + 32] = np.tile(image[SRC + i * size : SRC + (i + 1) * size], 32 // size)
    same(unit.run(image, case), want)


def test_brcb_refused(unit: RearrangeMachine, rng: np.random.Generator) -> None:
    image = new_image(rng, SIZE)
    case = Case("Brcb", "half", src0=SRC)
    refused(unit, image, replace(case, blk=(0, 1, 1)), "T426")
    refused(unit, image, replace(case, dst=SRC), "T405")
    refused(unit, image, replace(case, src0=SRC + 16), "T104")
    refused(unit, image, replace(case, dst=SIZE - 224), "T107")


# --- Copy


def copied(image: Array, case: Case) -> Array:
    out = image.copy()
    active = list(case.active())
    if case.counter:  # `low` counts per repeat in Copy, but in total in other calls
        active = [(repeat, np.arange(case.low)) for repeat in range(case.repeats)]
    for repeat, elements in active:
        if elements.size:
            taken = read(image, case.places(1, repeat, elements), case.type)
            write(out, case.places(0, repeat, elements), taken)
    return out


@pytest.mark.parametrize("dtype", DTYPES)
def test_copy(unit: RearrangeMachine, rng: np.random.Generator, dtype: str) -> None:
    lanes = Case("", dtype).lanes
    bits = {"low": LOW_BITS, "high": HIGH_BITS if lanes == 128 else 0}
    forms: list[dict[str, Any]] = [
        {"form": "mask_count", "low": lanes, "repeats": 8},
        {"form": "mask_count", "low": 8, "repeats": 18, "rep": (1, 8, 8)},
        {"form": "mask_count", "low": lanes, "repeats": 3, "blk": (2, 5, 1), "rep": (20, 300, 8)},
        {"form": "mask_count", "low": lanes, "repeats": 2, "blk": (1, 0, 1), "rep": (8, 0, 8)},
        {"form": "mask_bits", **bits, "repeats": 4, "rep": (9, 17, 8)},
        {"form": "register", **bits, "repeats": 2},
        {"form": "mask_count", "low": lanes, "repeats": 0},
        {"form": "mask_count", "low": 144, "counter": True, "blk": (1, 8, 1)},
        {"form": "mask_count", "low": 13, "counter": True, "repeats": 5, "rep": (3, 9, 8)},
        {"form": "register", "low": 400, "counter": True, "repeats": 2, "rep": (60, 50, 8)},
    ]
    for form in forms:
        case = Case("Copy", dtype, src0=SRC, **form)
        image = new_image(rng, SIZE)
        same(unit.run(image, case), copied(image, case))


def test_copy_refused(unit: RearrangeMachine, rng: np.random.Generator) -> None:
    image = new_image(rng, SIZE)
    case = Case("Copy", "float", "mask_count", low=64, src0=SRC)
    refused(unit, image, replace(case, rep=(4096, 8, 8)), "T427")
    refused(unit, image, replace(case, low=65), "T403")
    refused(unit, image, replace(case, dst=SRC + 32, repeats=2), "T405")
    refused(unit, image, replace(case, dst=16), "T104")
    with cannery.use(mode="hardware"):
        wrapped = replace(case, repeats=2, rep=(4096 + 8, 8, 8))
        same(unit.run(image, wrapped), copied(image, replace(wrapped, rep=(8, 8, 8))))


@settings(max_examples=40)
@given(data=st.data())
def test_copy_any(unit: RearrangeMachine, data: st.DataObject) -> None:
    draw = data.draw
    small = st.integers(0, 9)
    case = Case(
        "Copy", draw(st.sampled_from(DTYPES)), "mask_bits", repeats=draw(small), src0=SRC,
        low=draw(st.integers(0, 2**64 - 1)), blk=(draw(st.integers(1, 5)), draw(small), 1),
        rep=(draw(st.integers(40, 90)), draw(small), 8),
    )  # fmt: skip
    image = new_image(np.random.default_rng(draw(st.integers(0, 2**32))), SIZE)
    same(unit.run(image, case), copied(image, case))
