# SPDX-License-Identifier: Apache-2.0
"""Compares Compare, CompareScalar, Compares and the CMPMASK register with NumPy."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cannery

from .compare_model import OPS, compare, compare_register
from .conftest import Compile
from .rearrange_machine import Array, Case, RearrangeMachine, new_image, put, same
from .vector_machine import values

SRC0, SRC1, SIZE = 8192, 69632, 130048


#: Pairs of type and mode. The hardware compares int32_t only for equality.
PAIRS = [(dtype, mode) for dtype in ("half", "float") for mode in range(6)] + [("int32_t", 2)]


@pytest.fixture(scope="module")
def unit(compile_device: Compile) -> RearrangeMachine:
    return RearrangeMachine(
        compile_device("compare", {f"OP_{op}": i for i, op in enumerate(OPS)}), OPS
    )


def image_for(case: Case, rng: np.random.Generator) -> Array:
    """Returns bytes for UB with two sources of special values; every third pair is equal."""
    image = new_image(rng, SIZE)
    size = case.type.itemsize
    a = values(case.dtype, (SRC1 - SRC0) // size, rng)
    b = values(case.dtype, (SIZE - SRC1) // size // 8 * 8, rng)
    b[::3] = a[: b[::3].size * 3 : 3][: b[::3].size] if a.size >= b.size else b[::3]
    put(image, SRC0, a)
    put(image, SRC1, b)
    return image


def scalars(dtype: str) -> list[bytes]:
    if dtype == "int32_t":
        return [np.int32(v).tobytes() for v in (0, -5, 2**31 - 1)]
    kind = np.float16 if dtype == "half" else np.float32
    return [kind(v).tobytes() for v in (0.0, -0.0, 1.0, np.nan, np.inf, -np.inf)]


SHAPES = [
    {"count": 0},
    {"count": 128},
    {"count": 1280},
    {"count": 12800},
    {"form": "mask_count", "low": 17, "repeats": 5},
    {"form": "mask_bits", "low": 5, "repeats": 3, "rep": (1, 9, 16)},
    {"form": "mask_count", "repeats": 255, "rep": (8, 0, 1)},
    {"form": "mask_count", "low": 64, "repeats": 0},
    {"form": "mask_bits", "repeats": 3, "blk": (2, 3, 2), "rep": (8, 24, 17)},
    {"form": "mask_count", "repeats": 4, "blk": (1, 0, 1), "rep": (8, 8, 0)},
]


@pytest.mark.parametrize(("dtype", "mode"), PAIRS)
def test_compare(unit: RearrangeMachine, rng: np.random.Generator, dtype: str, mode: int) -> None:
    for shape in SHAPES:
        case = Case("Compare", dtype, mode=mode, src0=SRC0, src1=SRC1, **shape)
        image = image_for(case, rng)
        same(unit.run(image, case), compare(image, case))


@pytest.mark.parametrize(("dtype", "mode"), PAIRS)
def test_scalar(unit: RearrangeMachine, rng: np.random.Generator, dtype: str, mode: int) -> None:
    case = Case("CompareScalar", dtype, mode=mode, src0=SRC0)
    image = image_for(case, rng)
    for scalar in scalars(dtype):
        for shape in SHAPES[1:6]:
            one = replace(case, scalar=scalar, **shape)
            same(unit.run(image, one), compare(image, one))
        alias = replace(case, op="Compares", scalar=scalar, count=256)
        same(unit.run(image, alias), compare(image, alias))


@pytest.mark.parametrize("dtype", ["half", "float"])
def test_special_pairs(unit: RearrangeMachine, rng: np.random.Generator, dtype: str) -> None:
    kind = np.float16 if dtype == "half" else np.float32
    limits = np.finfo(kind)
    column = [0.0, 1.0, np.inf, np.nan, limits.max, limits.tiny, limits.smallest_subnormal, 3.0]
    every = np.array([s * v for v in column for s in (1, -1)], kind)
    a, b = (grid.ravel() for grid in np.meshgrid(every, every))
    image = new_image(rng, SIZE)
    put(image, SRC0, a)
    put(image, SRC1, b)
    for mode in range(6):
        case = Case("Compare", dtype, mode=mode, count=a.size, src0=SRC0, src1=SRC1)
        same(unit.run(image, case), compare(image, case))


@pytest.mark.parametrize("dtype", ["half", "float"])
@pytest.mark.parametrize(
    "shape",
    [
        {"form": "mask_count", "low": 64},
        {"form": "mask_count", "low": 17},
        {"form": "mask_count", "low": 0},
        {"form": "mask_bits", "low": 0xF0F0_0000_1234_0001, "high": 0},
        {"form": "mask_bits", "low": 2**64 - 1, "blk": (1, 2, 3)},
        {"form": "register", "low": 0x3333, "high": 0},
        {"form": "register", "low": 20, "counter": True},
        {"form": "register", "low": 64, "counter": True},
    ],
)
def test_register(
    unit: RearrangeMachine, rng: np.random.Generator, dtype: str, shape: dict[str, object]
) -> None:
    for mode in range(6):
        case = Case("Register", dtype, mode=mode, src0=SRC0, src1=SRC1, **shape)  # type: ignore[arg-type]
        image = image_for(case, rng)
        same(unit.run(image, case), compare_register(image, case))


def test_register_half_uses_all_128_bits(unit: RearrangeMachine, rng: np.random.Generator) -> None:
    case = Case("Register", "half", "mask_count", low=100, mode=0, src0=SRC0, src1=SRC1)
    image = image_for(case, rng)
    same(unit.run(image, case), compare_register(image, case))


@settings(max_examples=40)
@given(data=st.data())
def test_any_strides(unit: RearrangeMachine, data: st.DataObject) -> None:
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    draw = data.draw
    case = Case(
        "Compare", draw(st.sampled_from(["half", "float"])), "mask_count", draw(st.integers(0, 5)),
        repeats=draw(st.integers(0, 20)), src0=SRC0, src1=SRC1, low=draw(st.integers(0, 64)),
        blk=(1, draw(st.integers(0, 9)), draw(st.integers(0, 9))),
        rep=(draw(st.integers(0, 255)), draw(st.integers(0, 40)), draw(st.integers(0, 40))),
    )  # fmt: skip
    image = image_for(case, rng)
    same(unit.run(image, case), compare(image, case))


def test_the_tail_is_an_error_in_strict_mode_and_stays_uncompared_otherwise(
    unit: RearrangeMachine, rng: np.random.Generator
) -> None:
    for dtype, count in (("half", 200), ("float", 63)):
        case = Case("Compare", dtype, count=count, src0=SRC0, src1=SRC1)
        image = image_for(case, rng)
        with pytest.raises(cannery.KernelError, match="round the count up") as caught:
            unit.run(image, case)
        assert caught.value.code == "T420"
        with cannery.use(mode="hardware"):
            same(unit.run(image, case), compare(image, case))


def test_int32_compares_for_equality_only(unit: RearrangeMachine, rng: np.random.Generator) -> None:
    for op in ("Compare", "CompareScalar"):
        case = Case(
            op, "int32_t", count=64, mode=1, src0=SRC0, src1=SRC1, scalar=np.int32(5).tobytes()
        )
        image = image_for(case, rng)
        with pytest.raises(cannery.KernelError, match=re.escape("CMPMODE::GT")) as caught:
            unit.run(image, case)
        assert caught.value.code == "T421"
        with cannery.use(mode="hardware"):
            same(unit.run(image, case), compare(image, case))


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"mode": 6}, "T421"),
        ({"count": 2**20}, "T402"),
        ({"dst": 8}, "T104"),
        ({"src0": 4}, "T104"),
        ({"dst": SRC0 + 1024, "count": 1280}, "T405"),
        ({"src1": SIZE - 32}, "T107"),
    ],
)
def test_refused(
    unit: RearrangeMachine, rng: np.random.Generator, change: dict[str, int], code: str
) -> None:
    case = Case("Compare", "float", **{"src0": SRC0, "src1": SRC1, "count": 128, **change})  # type: ignore[arg-type]
    with pytest.raises(cannery.KernelError) as caught:
        unit.run(new_image(rng, SIZE), case)
    assert caught.value.code == code
