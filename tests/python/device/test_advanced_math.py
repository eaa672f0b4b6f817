# SPDX-License-Identifier: Apache-2.0
"""Compares elementwise functions of one argument with NumPy: types, tails, overloads, limits."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cannery

from . import advanced_model as model
from .advanced_machine import (
    REUSE,
    TYPES,
    WITH_COUNT,
    WITH_TMP,
    AdvancedMachine,
    Array,
    Case,
    is_poison,
)  # fmt: skip
from .conftest import Compile

FOUR = (
    *("Tanh", "Sin", "Cos", "Tan", "Asin", "Acos", "Atan", "Sinh", "Cosh", "Asinh", "Acosh"),
    *("Atanh", "Erf", "Erfc", "Frac", "Trunc", "Sign", "Log2", "Sigmoid"),
)
COUNTED = ("Ceil", "Floor", "Round", "Lgamma", "Digamma", "ClampMax", "ClampMin", "Exp")
GELUS = ("Gelu", "FasterGelu", "FasterGeluV2")
OPS = (*FOUR, "Log", "Log10", *COUNTED, *GELUS, "Silu", "Swish")
#: Ranges of the tested arguments; other functions are tested from -12 to 12.
SPAN = {
    "Acosh": (1, 40), "Asin": (-1, 1), "Acos": (-1, 1), "Atanh": (-0.999, 0.999), "Sinh": (-9, 9),
    "Cosh": (-9, 9), "Log": (0, 50), "Log2": (0, 50), "Log10": (0, 50), "Sin": (-400, 400),
    "Cos": (-400, 400), "Tan": (-400, 400), "Erf": (-4, 4), "Erfc": (-4, 4), "Lgamma": (-20, 60),
    "Digamma": (-20, 60),
}  # fmt: skip
#: Scratch in bytes per element (half, float) from the toolkit's documentation. The smallest scratch
#: is for 256 B of elements.
BUFFERS = {
    "Tanh": (8, 4), "Sin": (16, 12), "Cos": (16, 12), "Tan": (20, 16), "Asin": (12, 8),
    "Acos": (12, 8), "Atan": (24, 20), "Sinh": (8, 4), "Cosh": (12, 8), "Asinh": (6, 12),
    "Acosh": (4, 4), "Atanh": (8, 4), "Erf": (16, 12), "Erfc": (32, 28), "Frac": (8, 0),
    "Trunc": (4, 4), "Sign": (6, 12), "Log2": (4, 0), "Sigmoid": (2, 4), "Ceil": (4, 4),
    "Floor": (4, 0), "Round": (2, 0), "Lgamma": (52, 32), "Digamma": (32, 28), "Exp": (16, 12),
    "Gelu": (12, 12), "FasterGelu": (12, 12), "FasterGeluV2": (12, 12),
}  # fmt: skip
LEAST = {
    "Log2": (256, 0),
    "Exp": (1024, 768),
    "ClampMax": (128, 64),
    "ClampMin": (128, 64),
} | dict.fromkeys(GELUS, (768, 768))
BREAKS_IN_PLACE = {
    ("Asin", 0), ("Asin", 1), ("Acos", 0), ("Acos", 1), ("Sign", 0), ("Sign", 1), ("Frac", 1),
    ("Silu", 0), ("Silu", 1), ("Swish", 0), ("Swish", 1), ("Digamma", 1),
}  # fmt: skip
DTYPES = ("half", "float")
FORMS = (0, WITH_TMP, WITH_COUNT, WITH_TMP | WITH_COUNT)


@pytest.fixture(scope="module")
def unit(compile_device: Compile) -> AdvancedMachine:
    return AdvancedMachine(
        compile_device("advanced_math", {f"OP_{op}": i for i, op in enumerate(OPS)})
    )


def case_of(
    op: str, dtype: str, count: int, form: int = WITH_TMP | WITH_COUNT, **more: Any
) -> Case:
    return Case(OPS.index(op), dtype, form, count, **more)


def least(op: str, dtype: str) -> int:
    column = DTYPES.index(dtype)
    if op in LEAST:
        return LEAST[op][column]
    return BUFFERS[op][column] * 256 // TYPES[dtype].itemsize


def numbers(op: str, dtype: str, count: int, rng: np.random.Generator) -> Array:
    low, high = SPAN.get(op, (-12, 12))
    return rng.uniform(low, high, count).astype(TYPES[dtype])


def stepwise(op: str, x: Array, case: Case) -> Array:
    """Computes the instructions of a call; each rounds to the type of `x`, or to float."""
    kind = np.float32 if case.n[:1] in ((1,), (3,)) else x.dtype.type
    wide = x.astype(kind)
    fast = case.n[:1] in ((2,), (3,))
    if op == "Log2":
        return np.log(x.astype(np.float64)).astype(np.float32) * np.float32(1.4426950408889634)
    if op == "Log10":
        return np.log(x.astype(np.float64)).astype(kind) * kind(0.43429448190325176)
    if op in ("ClampMax", "ClampMin"):
        bound = kind(case.scalar[0])
        return np.where((x < bound) if op == "ClampMax" else (x > bound), x, bound)
    functions = {
        "Sigmoid": lambda: model.sigmoid(wide, kind),
        "Silu": lambda: model.swish(wide, kind, 1.0),
        "Swish": lambda: model.swish(wide, kind, case.scalar[0]),
        "Gelu": lambda: model.gelu(wide, kind, fast),
        "FasterGelu": lambda: model.faster_gelu(wide, kind, fast),
        "FasterGeluV2": lambda: model.faster_gelu_v2(wide, kind, fast),
        "Exp": lambda: model.exp_taylor(x, case.n[0]),
    }
    return functions[op]()


def expected(op: str, x: Array, case: Case) -> tuple[Array, float]:
    """Returns the result, and by how many units in the last place it may differ."""
    with np.errstate(all="ignore"):
        if op in model.EXACT:
            return model.EXACT[op](x.astype(np.float64)).astype(x.dtype), 1.0
        if op in model.WHOLE:
            return model.WHOLE[op](x).astype(x.dtype), 0.0
        # The error of the twin's Exp is 1 unit at most, or 2 in Gelu; later instructions add to it.
        return stepwise(op, x, case).astype(x.dtype), 6.0


def agree(got: Array, want: Array, ulps: float, x: Array) -> None:
    nan = np.isnan(want)
    assert (np.isnan(got) == nan).all(), f"NaN of {x[np.isnan(got) != nan][:8]}"
    same = (got == want) | nan
    if ulps and not same.all():
        limits = np.finfo(got.dtype)
        wide, exact = got[~same].astype(np.float64), want[~same].astype(np.float64)
        unit = np.maximum(np.abs(exact), float(limits.tiny)) * float(limits.eps)
        off = np.abs(wide - exact) / unit
        assert (off <= ulps).all(), f"{x[~same][off > ulps][:4]}: {wide[off > ulps][:4]}"
    else:
        assert same.all(), f"{x[~same][:4]}: {got[~same][:4]}, expected {want[~same][:4]}"


def check(unit: AdvancedMachine, op: str, x: Array, case: Case, rng: np.random.Generator) -> None:
    tmp = max(least(op, case.dtype), 4096) if op in BUFFERS or op in LEAST else 0
    tmp = tmp if case.form & WITH_TMP else 0
    count = case.count if case.form & WITH_COUNT else x.size
    lost = [0] if case.form & REUSE else []
    got = unit.call(case, count * x.itemsize, [x], rng, tmp, lost=lost).view(x.dtype)
    agree(got, *expected(op, x[:count], case), x[:count])


def variants(op: str) -> list[dict[str, Any]]:
    if op in GELUS:
        return [{"n": (v,)} for v in range(4)]
    if op == "Exp":
        return [{"n": (level,)} for level in (0, 3, 10)]
    if op in ("ClampMax", "ClampMin", "Swish"):
        return [{"scalar": (1.5,)}, {"scalar": (-0.75,)}]
    return [{}]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("op", OPS)
def test_values(unit: AdvancedMachine, rng: np.random.Generator, op: str, dtype: str) -> None:
    """Values are right for counts with and without a tail, and in every overload."""
    for count in (1, 7, 64, 129, 1000):
        for more in variants(op):
            form = WITH_COUNT if op in ("Log", "Log10", "Silu", "Swish") else WITH_TMP | WITH_COUNT
            check(unit, op, numbers(op, dtype, count + 16, rng),
                  case_of(op, dtype, count, form, **more), rng)  # fmt: skip
    x = numbers(op, dtype, 96, rng)
    forms = (
        FORMS if op in FOUR else (WITH_COUNT,) if op not in ("Log", "Log10") else (0, WITH_COUNT)
    )
    for form in forms:
        for more in variants(op):
            check(unit, op, x, case_of(op, dtype, 80, form, **more), rng)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("op", OPS)
def test_special_values(
    unit: AdvancedMachine, rng: np.random.Generator, op: str, dtype: str
) -> None:
    limits = np.finfo(TYPES[dtype])
    sizes = [0, limits.smallest_subnormal, limits.tiny, 0.5, 1, 1.5, 2, 2.5, 3, 88, 100, 65504,
             limits.max, np.inf, np.nan]  # fmt: skip
    x = np.array([*sizes, *(-v for v in sizes), 0], TYPES[dtype])
    for more in variants(op):
        if op in GELUS or op == "Exp":
            x = x[np.abs(x) < 60000]  # the square of a larger number overflows in half
        case = case_of(op, dtype, x.size, WITH_COUNT, **more)
        check(unit, op, x, case, rng)


@given(
    st.sampled_from([op for op in model.EXACT if op not in ("Lgamma", "Digamma")]),
    st.lists(st.floats(width=32), min_size=1, max_size=40),
)
def test_any_float(unit: AdvancedMachine, op: str, values: list[float]) -> None:
    x = np.array(values, np.float32)
    check(unit, op, x, case_of(op, "float", x.size, WITH_COUNT), np.random.default_rng(1))


def test_every_half(unit: AdvancedMachine, rng: np.random.Generator) -> None:
    """Functions that round only once are right for all 65536 values of type half."""
    every = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    for op in model.EXACT:
        for part in np.split(every, 8):
            check(unit, op, part, case_of(op, "half", part.size, WITH_COUNT), rng)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("op", [op for op in OPS if op in BUFFERS or op in LEAST])
def test_scratch(unit: AdvancedMachine, rng: np.random.Generator, op: str, dtype: str) -> None:
    need = least(op, dtype)
    more: dict[str, Any] = {"n": (3,)} if op == "Exp" else {"scalar": (1.0,)}
    x = numbers(op, dtype, 64, rng)
    case = case_of(op, dtype, 64, **more)
    if need == 0:
        image, placed = unit.image(case, x.nbytes, [x], 256, rng)
        begin, size = placed.tmp
        assert (unit.run(image, placed)[begin:][:size] == image[begin:][:size]).all()
        return
    image, placed = unit.image(case, x.nbytes, [x], need, rng)
    begin, size = placed.tmp
    assert is_poison(unit.run(image, placed)[begin : begin + 64])
    unit.refused(
        "T700", f"{op} finds {need - 32} B in sharedTmpBuffer, it takes at least {need} B",
        case, x.nbytes, [x], rng, tmp=need - 32,
    )  # fmt: skip


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("op", OPS)
def test_in_place(unit: AdvancedMachine, rng: np.random.Generator, op: str, dtype: str) -> None:
    x = numbers(op, dtype, 128, rng)
    case = case_of(op, dtype, 128, WITH_COUNT, **variants(op)[-1])
    if (op, DTYPES.index(dtype)) in BREAKS_IN_PLACE:
        unit.refused("T702", f"{op} writes dst", case, x.nbytes, [x], rng, in_place=0)
        with cannery.use(mode="hardware"):
            assert is_poison(unit.call(case, x.nbytes, [x], rng, in_place=0))
        return
    got = unit.call(case, x.nbytes, [x], rng, in_place=0).view(x.dtype)
    agree(got, *expected(op, x, case), x)


def test_partial_overlap(unit: AdvancedMachine, rng: np.random.Generator) -> None:
    x = numbers("Tanh", "float", 128, rng)
    image, case = unit.image(case_of("Tanh", "float", 64, WITH_COUNT), 256, [x], 0, rng)
    begin, _ = case.src[0]
    with pytest.raises(cannery.KernelError, match="over its source srcTensor") as caught:
        unit.run(image, replace(case, dst=(begin + 32, 256)))
    assert caught.value.code == "T702"


@pytest.mark.parametrize(("op", "buffers"), [("Sin", 2), ("Cos", 2), ("Lgamma", 7), ("Digamma", 6)])
def test_reused_source(
    unit: AdvancedMachine, rng: np.random.Generator, op: str, buffers: int
) -> None:
    """For float, isReuseSource needs one buffer less and overwrites the source."""
    x = numbers(op, "float", 64, rng)
    case = case_of(op, "float", 64, WITH_TMP | WITH_COUNT | REUSE)
    image, placed = unit.image(case, 256, [x], buffers * 256, rng)
    after = unit.run(image, placed)
    begin, size = placed.src[0]
    assert is_poison(after[begin : begin + size])
    unit.refused("T702", "writes dst", case, 256, [x], rng, tmp=buffers * 256, in_place=0)
    check(unit, op, numbers(op, "half", 64, rng),
          case_of(op, "half", 64, WITH_TMP | WITH_COUNT | REUSE), rng)  # fmt: skip


def test_nothing_left_for_scratch(unit: AdvancedMachine, rng: np.random.Generator) -> None:
    x = np.zeros(23000, np.float32)
    unit.refused(
        "T700", r"behind the last buffer of the TPipe", case_of("Erfc", "float", 23000, WITH_COUNT),
        x.nbytes, [x], rng, tmp=196608 - 2 * 92160 - 1024,
    )  # fmt: skip


def test_operands(unit: AdvancedMachine, rng: np.random.Generator) -> None:
    """The calls check sizes, alignment and count of operands as single instructions do."""
    x = numbers("Tanh", "float", 64, rng)
    unit.refused("T107", "Tanh dstTensor covers 512 B", case_of("Tanh", "float", 128, WITH_COUNT),
                 256, [numbers("Tanh", "float", 128, rng)], rng)  # fmt: skip
    unit.refused("T107", "Tanh srcTensor covers 512 B", case_of("Tanh", "float", 128, WITH_COUNT),
                 512, [x], rng)  # fmt: skip
    image, case = unit.image(case_of("Tanh", "float", 8, WITH_COUNT), 64, [x], 0, rng)
    with pytest.raises(cannery.KernelError, match="multiple of 32") as caught:
        unit.run(image, replace(case, dst=(4, 32)))
    assert caught.value.code == "T104"
    nothing = unit.call(case_of("Tanh", "float", 0, WITH_COUNT), 64, [x], rng)
    assert nothing.size == 64
