# SPDX-License-Identifier: Apache-2.0
"""Compares CumSum, Pad, UnPad and DropOut with NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cannery

from .advanced_machine import TYPES, WITH_TMP, AdvancedMachine, Array, Case, is_poison
from .conftest import Compile

OPS = ("CumSum", "Pad", "UnPad", "DropOut")
ENOUGH = 65536
PADDED = ("int16_t", "uint16_t", "half", "int32_t", "uint32_t", "float")


@pytest.fixture(scope="module")
def unit(compile_device: Compile) -> AdvancedMachine:
    return AdvancedMachine(
        compile_device("advanced_misc", {f"OP_{op}": i for i, op in enumerate(OPS)})
    )


def case_of(op: str, dtype: str, n: tuple[int, ...], form: int = WITH_TMP, **more: Any) -> Case:
    return Case(OPS.index(op), dtype, form, 0, n, **more)


# --- CumSum


def running(x: Array, last: bool) -> Array:
    """Computes running sums along the last or the first axis in float32; rounds each sum once."""
    total = x.astype(np.float32).copy()
    view = total.T if last else total
    for i in range(1, len(view)):
        view[i] = view[i - 1] + view[i]
    return (total + np.float32(0)).astype(x.dtype)


def check_sums(
    unit: AdvancedMachine, rng: np.random.Generator, dtype: str, shape: tuple[int, int],
    variant: int, form: int = WITH_TMP,
) -> None:  # fmt: skip
    x = rng.uniform(-3, 3, shape).astype(TYPES[dtype])
    old = rng.uniform(-3, 3, shape[1]).astype(TYPES[dtype])
    case = case_of("CumSum", dtype, (*shape, variant), form)
    image, case = unit.image(case, x.nbytes, [x, old], ENOUGH if form else 0, rng)
    after = unit.run(image, case)
    got, row = (
        after[b : b + s].view(x.dtype) for b, s in (case.dst, case.src[1])
    )  # fmt: skip
    want = running(x, variant >= 2)
    assert (got.reshape(shape) == want).all()
    assert (row == (want[-1] if variant in (1, 3) else old)).all()


@pytest.mark.parametrize("dtype", ["half", "float"])
@pytest.mark.parametrize("variant", range(4))
@pytest.mark.parametrize("form", [0, WITH_TMP])
def test_sums(
    unit: AdvancedMachine, rng: np.random.Generator, form: int, variant: int, dtype: str
) -> None:
    for shape in ((1, 16), (5, 16), (16, 32), (33, 48)):
        check_sums(unit, rng, dtype, shape, variant, form)


@given(st.sampled_from(["half", "float"]), st.integers(1, 20), st.integers(1, 5), st.integers(0, 3))
def test_any_sums(unit: AdvancedMachine, dtype: str, rows: int, blocks: int, variant: int) -> None:
    rng = np.random.default_rng(rows * 100 + blocks)
    check_sums(unit, rng, dtype, (rows, blocks * 32 // TYPES[dtype].itemsize), variant)


def test_sum_refusals(unit: AdvancedMachine, rng: np.random.Generator) -> None:
    x = np.ones(512, np.float16)
    for rows, columns in ((4, 24), (4, 0), (0, 16)):
        unit.refused("T703", f"CumSum of {rows} rows of {columns} elements of 2 B",
                     case_of("CumSum", "half", (rows, columns, 0)), 1024, [x, x], rng)  # fmt: skip
    for variant, need in ((0, 8 * 32 * 4), (3, 16 * 32 * 6)):
        case = case_of("CumSum", "half", (8, 32, variant))
        unit.call(case, 512, [x, x], rng, need, lost=[1])
        unit.refused("T700", f"at least {need} B", case, 512, [x, x], rng, tmp=need - 32)
    unit.refused("T107", "lastRowTensor", case_of("CumSum", "half", (8, 32, 1)), 512, [x, x[:16]],
                 rng, tmp=ENOUGH)  # fmt: skip


def test_sum_in_place(unit: AdvancedMachine, rng: np.random.Generator) -> None:
    x = rng.uniform(-3, 3, (8, 16)).astype(np.float32)
    for variant, last in ((0, False), (2, True)):
        case = case_of("CumSum", "float", (8, 16, variant))
        got = unit.call(case, x.nbytes, [x, x[0]], rng, ENOUGH, in_place=0).view(np.float32)
        assert (got.reshape(8, 16) == running(x, last)).all()


# --- Pad and UnPad


def rows_of(dtype: str, shape: tuple[int, int], rng: np.random.Generator) -> Array:
    raw = rng.integers(0, 256, (shape[0], shape[1] * TYPES[dtype].itemsize), dtype=np.uint8)
    return raw.view(TYPES[dtype])


@pytest.mark.parametrize("dtype", PADDED)
@pytest.mark.parametrize("form", [0, WITH_TMP])
def test_pad(unit: AdvancedMachine, rng: np.random.Generator, form: int, dtype: str) -> None:
    size = TYPES[dtype].itemsize
    block = 32 // size
    value = np.array([7]).astype(TYPES[dtype])
    for height, width, left in ((3, 2 * block - 3, 1), (5, block - 1, 0), (1, block + 2, 2)):
        right = -(width + left) % block
        x = rows_of(dtype, (height, width), rng)
        case = case_of("Pad", dtype, (height, width, width, left, right, 7), form)
        out = height * (width + left + right) * size
        got = unit.call(case, out, [x], rng, ENOUGH if form else 0)
        want = np.concatenate(
            [np.tile(value, (height, left)), x, np.tile(value, (height, right))], 1
        )
        assert got.tobytes() == want.tobytes()


def test_pad_of_aligned_rows(unit: AdvancedMachine, rng: np.random.Generator) -> None:
    """Pad of aligned rows fills only the columns after the valid ones and needs no scratch."""
    x = rows_of("half", (4, 32), rng)
    got = unit.call(case_of("Pad", "half", (4, 32, 29, 0, 2, 5), 0), x.nbytes, [x], rng)
    want = x.copy()
    want[:, 29:31] = 5
    assert got.tobytes() == want.tobytes()


@pytest.mark.parametrize("dtype", PADDED)
@pytest.mark.parametrize("form", [0, WITH_TMP])
def test_unpad(unit: AdvancedMachine, rng: np.random.Generator, form: int, dtype: str) -> None:
    size = TYPES[dtype].itemsize
    width = 64 // size
    x = rows_of(dtype, (5, width), rng)
    for right in (1, 3, width - 1):
        case = case_of("UnPad", dtype, (5, width, 0, 0, right), form)
        got = unit.call(case, 5 * (width - right) * size, [x], rng)
        assert got.tobytes() == np.ascontiguousarray(x[:, : width - right]).tobytes()


def test_pad_refusals(unit: AdvancedMachine, rng: np.random.Generator) -> None:
    x = rows_of("half", (4, 64), rng)
    wrong = [
        ("Pad", (4, 15, 15, 0, 2, 0), "ends at the next multiple of 32 B"),
        ("Pad", (4, 15, 15, 1, 16, 0), "ends at the next multiple of 32 B"),
        ("Pad", (4, 32, 32, 0, 1, 0), "spare columns"),
        ("Pad", (4, 32, 30, 1, 1, 0), "only the right side"),
        ("Pad", (4, 32, 30, 0, 3, 0), "spare columns"),
        ("UnPad", (4, 15, 0, 0, 1), "rows are a multiple of 32 B"),
        ("UnPad", (4, 32, 0, 0, 16), "what is left of them is none"),
        ("UnPad", (4, 32, 0, 0, 32), "what is left of them is none"),
    ]
    for op, n, text in wrong:
        unit.refused("T703", text, case_of(op, "half", n), 512, [x], rng, tmp=ENOUGH)
    unit.refused("T700", "at least 1024 B", case_of("Pad", "half", (4, 15, 15, 0, 1, 0)), 128, [x],
                 rng, tmp=992)  # fmt: skip


# --- DropOut


def dropped(x: Array, times: Array, keep: float) -> Array:
    kind = x.dtype.type
    with np.errstate(all="ignore"):
        return (x * times.astype(kind)) * kind(np.float32(1) / np.float32(keep))


@pytest.mark.parametrize("dtype", ["half", "float"])
@pytest.mark.parametrize("mode", range(6))
def test_dropout(unit: AdvancedMachine, rng: np.random.Generator, mode: int, dtype: str) -> None:
    rows, columns = 6, 96
    x = rng.uniform(-3, 3, (rows, columns)).astype(TYPES[dtype])
    keep = rng.integers(0, 2, (rows, columns)).astype(np.uint8)
    bits = np.packbits(keep, 1, "little")
    gap = rng.integers(0, 256, (rows, 128), dtype=np.uint8)
    if mode in (2, 3, 5):
        mask = keep if mode == 2 else bits
    else:
        mask = gap
        mask[:, : (bits if mode == 4 else keep).shape[1]] = bits if mode == 4 else keep
    case = case_of("DropOut", dtype, (rows, columns, mask.shape[1], mode), scalar=(0.8,))
    lost = [1] if mode in (0, 1, 4) else []
    for form in (0, WITH_TMP):
        for in_place in (None, 0):
            got = unit.call(
                Case(**{**case.__dict__, "form": form}), x.nbytes, [x, mask], rng,
                ENOUGH if form else 0, in_place, lost,
            )  # fmt: skip
            want = dropped(x, keep, 0.8)
            assert (got.view(x.dtype).reshape(x.shape) == want).all()


def test_dropout_chooses_or_multiplies(unit: AdvancedMachine, rng: np.random.Generator) -> None:
    """A mask of bytes is a factor, so NaN * 0 is NaN. With a mask of bits, a dropped NaN is 0."""
    x = np.array([1.0, np.nan, 3.0, np.inf] * 8, np.float32)
    mask = np.array([2, 0, 1, 0] * 8, np.uint8)
    case = case_of("DropOut", "float", (1, 32, 32, 0), scalar=(0.5,))
    got = unit.call(case, 128, [x, mask], rng, ENOUGH).view(np.float32)
    assert np.array_equal(got, np.array([4, np.nan, 6, np.nan] * 8), equal_nan=True)
    bits = np.packbits(mask != 0, bitorder="little")
    case = case_of("DropOut", "float", (1, 32, 4, 0), scalar=(0.5,))
    got = unit.call(case, 128, [x, bits], rng, ENOUGH).view(np.float32)
    assert np.array_equal(got, np.array([2, 0, 6, 0] * 8))


def test_dropout_refusals(unit: AdvancedMachine, rng: np.random.Generator) -> None:
    x, mask = np.ones(192, np.float16), np.ones(512, np.uint8)
    for n in ((2, 33, 64, 1), (2, 32, 40, 1), (2, 96, 64, 1), (2, 24, 32, 4), (0, 32, 32, 0)):
        unit.refused("T703", f"of {n[0]} rows of {n[1]} elements with {n[2]} B",
                     case_of("DropOut", "half", n, scalar=(1.0,)), 384, [x, mask], rng)  # fmt: skip
    case = case_of("DropOut", "half", (2, 32, 32, 2), scalar=(1.0,))
    unit.refused("T700", "at least 512 B", case, 384, [x, mask], rng, tmp=480)


def test_spoiled_mask(unit: AdvancedMachine, rng: np.random.Generator) -> None:
    x, mask = np.ones(64, np.float16), np.ones(128, np.uint8)
    case = case_of("DropOut", "half", (2, 32, 64, 1), scalar=(1.0,))
    image, case = unit.image(case, 128, [x, mask], ENOUGH, rng)
    begin, size = case.src[1]
    assert is_poison(unit.run(image, case)[begin : begin + size])
    with cannery.use(mode="hardware"):
        assert is_poison(unit.run(image, case)[begin : begin + size])


def test_register_not_prepared(unit: AdvancedMachine, rng: np.random.Generator) -> None:
    """With isInitBitMode, DropOut copies CMPMASK to dropped elements, so it must be 0 (T704)."""
    x = rng.uniform(1, 3, 64).astype(np.float32)
    keep = rng.integers(0, 2, 64).astype(np.uint8)
    bits = np.packbits(keep, bitorder="little")
    case = case_of("DropOut", "float", (1, 64, 8, 5, 1), scalar=(1.0,))
    unit.refused("T704", r"CMPMASK, which holds 0x\w{32}", case, 256, [x, bits], rng, tmp=512)
    with cannery.use(mode="hardware"):
        got = unit.call(case, 256, [x, bits], rng, 512).view(np.float32)
    assert (got == np.where(keep, x, np.tile(x[:4], 16))).all()
    for prepared in (2, 3):  # DropOutBitModeInit with and without scratch
        case = case_of("DropOut", "float", (1, 64, 8, 5, prepared), scalar=(1.0,))
        got = unit.call(case, 256, [x, bits], rng, 512).view(np.float32)
        assert np.array_equal(got, x * keep)
