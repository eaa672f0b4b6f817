# SPDX-License-Identifier: Apache-2.0
"""Compares Broadcast and BroadCast with NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cannery

from .advanced_machine import TYPES, WITH_TMP, AdvancedMachine, Array, Case, is_poison
from .conftest import Compile

DTYPES = (
    *("int8_t", "uint8_t", "half", "bfloat16_t", "int16_t"),
    *("uint16_t", "float", "int32_t", "uint32_t"),
)
ENOUGH = 65536


@pytest.fixture(scope="module")
def unit(compile_device: Compile) -> AdvancedMachine:
    return AdvancedMachine(compile_device("advanced_broadcast"))


def sources(dtype: str, count: int, rng: np.random.Generator) -> Array:
    raw = rng.integers(0, 256, count * TYPES[dtype].itemsize, dtype=np.uint8)
    return raw.view(TYPES[dtype])


def case_of(dtype: str, dst: tuple[int, ...], src: tuple[int, ...], axis: int, **more: Any) -> Case:
    return Case(dtype=dtype, n=(len(dst), axis, *dst, *src), **more)


def check(
    unit: AdvancedMachine, rng: np.random.Generator, dtype: str, dst: tuple[int, ...],
    src: tuple[int, ...], axis: int, op: int = 0, form: int = WITH_TMP, tmp: int = ENOUGH,
) -> None:  # fmt: skip
    values = sources(dtype, int(np.prod(src)), rng)
    size = int(np.prod(dst)) * values.itemsize
    case = case_of(dtype, dst, src, axis, op=op, form=form)
    got = unit.call(case, size, [values], rng, tmp if form & WITH_TMP else 0)
    want = np.ascontiguousarray(np.broadcast_to(values.reshape(src), dst))
    assert got.tobytes() == want.tobytes()


@pytest.mark.parametrize("op", [0, 1])
@pytest.mark.parametrize("form", [0, WITH_TMP])
@pytest.mark.parametrize("dtype", DTYPES)
def test_shapes(
    unit: AdvancedMachine, rng: np.random.Generator, dtype: str, form: int, op: int
) -> None:
    shapes: list[tuple[tuple[int, ...], tuple[int, ...], int]] = [
        ((96,), (96,), 0), ((77,), (1,), 0), ((7, 32), (1, 32), 0), ((1, 32), (1, 32), 0),
        ((5, 64), (5, 64), 1), ((9, 64), (9, 1), 1), ((40, 5), (40, 1), 1), ((3, 33), (3, 1), 1),
        ((6, 7), (1, 1), 1), ((300, 8), (300, 1), 1),
    ]  # fmt: skip
    for dst, src, axis in shapes:
        check(unit, rng, dtype, dst, src, axis, op, form)


@given(st.sampled_from(DTYPES), st.integers(1, 60), st.integers(1, 60), st.integers(0, 2**32 - 1))
def test_any_column(unit: AdvancedMachine, dtype: str, rows: int, columns: int, seed: int) -> None:
    check(unit, np.random.default_rng(seed), dtype, (rows, columns), (rows, 1), 1)


def least(size: int, rows: int, columns: int, axis: int) -> int:
    """Returns the number of scratch bytes that BroadCast requires. `size` is the size of an
    element."""
    wide = max(size, 2)
    casts = (-(-(rows if axis else columns) // 16) + -(-rows * columns // 16)) * 32
    need = 32 if axis == 0 else 32 // wide * 32
    if axis == 1 and columns * wide % 32:
        need += 32 // wide * -(-columns * wide // 32) * 32
    return need + (casts if size == 1 else 0)


@pytest.mark.parametrize("dtype", ["int8_t", "half", "float"])
@pytest.mark.parametrize(("axis", "columns"), [(0, 32), (1, 32), (1, 21)])
def test_least_scratch(
    unit: AdvancedMachine, rng: np.random.Generator, dtype: str, axis: int, columns: int
) -> None:
    dst, src = (17, columns), (1, columns) if axis == 0 else (17, 1)
    need = least(TYPES[dtype].itemsize, 17, columns, axis)
    check(unit, rng, dtype, dst, src, axis, tmp=need)
    values = sources(dtype, int(np.prod(src)), rng)
    case = case_of(dtype, dst, src, axis, form=WITH_TMP)
    unit.refused(
        "T700", f"BroadCast finds {need - 32} B in sharedTmpBuffer, it takes at least {need} B",
        case, 17 * columns * values.itemsize, [values], rng, tmp=need - 32,
    )  # fmt: skip


def test_scratch_becomes_poison(unit: AdvancedMachine, rng: np.random.Generator) -> None:
    case = case_of("float", (16, 8), (16, 1), 1, form=WITH_TMP)
    image, case = unit.image(case, 512, [sources("float", 16, rng)], 1024, rng)
    after = unit.run(image, case)
    begin, size = case.tmp
    assert is_poison(after[begin : begin + 512])
    assert (after[begin + 512 : begin + size] == image[begin + 512 : begin + size]).all()


def test_in_place_along_rows(unit: AdvancedMachine, rng: np.random.Generator) -> None:
    """BroadCast along axis 0 may write over its source row, as a public kernel does."""
    row = sources("float", 16, rng)
    padded = np.concatenate([row, np.zeros(6 * 16, np.float32)])
    case = case_of("float", (7, 16), (1, 16), 0, form=WITH_TMP)
    got = unit.call(case, padded.nbytes, [padded], rng, 256, in_place=0)
    assert (got.view(np.uint32).reshape(7, 16) == row.view(np.uint32)).all()


def test_in_place_along_columns(unit: AdvancedMachine, rng: np.random.Generator) -> None:
    values = sources("half", 256, rng)
    case = case_of("half", (16, 16), (16, 1), 1, form=WITH_TMP)
    layout: dict[str, Any] = {"tmp": 512, "in_place": 0}
    unit.refused(
        "T702", r"writes dstLocal at UB\+0x\w+ \(512 B\) over its source srcLocal",
        case, 512, [values], rng, **layout,
    )  # fmt: skip
    with cannery.use(mode="hardware"):
        assert is_poison(unit.call(case, 512, [values], rng, **layout))


def test_refusals(unit: AdvancedMachine, rng: np.random.Generator) -> None:
    values = sources("half", 64, rng)
    wrong = [
        (case_of("half", (4, 8), (1, 8), 0), r"rows of 8 elements, 16 B; the library copies"),
        (case_of("int8_t", (4, 8), (1, 8), 0), r"rows of 8 elements, 16 B as half"),
        (case_of("half", (4, 16), (4, 1), 0), r"axis 0 from \[4, 1\] .* has 4 there"),
        (case_of("half", (4, 16), (1, 16), 1), r"axis 1 from \[1, 16\] .* has 16 there"),
        (case_of("half", (4, 16), (3, 16), 0), r"from \[3, 16\] to \[4, 16\]"),
        (case_of("half", (4, 0), (4, 1), 1), r"from \[4, 1\] to \[4, 0\]"),
    ]
    for case, text in wrong:
        unit.refused("T703", text, case, 256, [values], rng)


def test_scratch_over_an_operand(unit: AdvancedMachine, rng: np.random.Generator) -> None:
    values = sources("float", 16, rng)
    case = case_of("float", (16, 8), (16, 1), 1, form=WITH_TMP)
    image, case = unit.image(case, 512, [values], 256, rng)
    overlapping = Case(**{**case.__dict__, "tmp": (case.dst[0] + 256, 512)})
    with pytest.raises(cannery.KernelError, match="where dstLocal lies") as caught:
        unit.run(image, overlapping)
    assert caught.value.code == "T701"
