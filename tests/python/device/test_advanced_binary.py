# SPDX-License-Identifier: Apache-2.0
"""Compares the advanced API's elementwise functions of two arguments with NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cannery

from . import advanced_model as model
from .advanced_machine import (
    TYPES,
    WITH_COUNT,
    WITH_TMP,
    AdvancedMachine,
    Array,
    Case,
    is_poison,
)  # fmt: skip
from .conftest import Compile

OPS = ("SwiGLU", "GeGLU", "ReGlu", "Fmod", "Power", "Axpy", "AxpyMixed", "Xor")
BOTH = WITH_TMP | WITH_COUNT
FORMS = (0, WITH_TMP, WITH_COUNT, BOTH)
ENOUGH = 32768
#: Smallest scratch in bytes for each function and type.
LEAST = {
    ("SwiGLU", "half"): 1536, ("GeGLU", "half"): 1024, ("ReGlu", "half"): 1536,
    ("ReGlu", "bfloat16_t"): 1536, ("Fmod", "half"): 2048, ("Fmod", "float"): 256,
    ("Axpy", "half"): 1024, ("AxpyMixed", "half"): 1024, ("Xor", "int16_t"): 256,
    ("Xor", "uint16_t"): 256, ("SwiGLU", "float"): 0, ("GeGLU", "float"): 0, ("ReGlu", "float"): 0,
}  # fmt: skip


@pytest.fixture(scope="module")
def unit(compile_device: Compile) -> AdvancedMachine:
    return AdvancedMachine(
        compile_device("advanced_binary", {f"OP_{op}": i for i, op in enumerate(OPS)})
    )


def case_of(op: str, dtype: str, count: int, form: int = BOTH, **more: Any) -> Case:
    return Case(OPS.index(op), dtype, form, count, **more)


def once(values: Array, dtype: str) -> Array:
    with np.errstate(all="ignore"):
        return values.astype(TYPES[dtype])


def expected(op: str, dtype: str, a: Array, b: Array, beta: float) -> Array:
    """Computes the result in float32 and rounds it once to `dtype`."""
    x, y, one = a.astype(np.float32), b.astype(np.float32), np.float32(1)
    with np.errstate(all="ignore"):
        if op == "SwiGLU":
            return once(x * (y / (np.exp(y * np.float32(-beta)) + one)), dtype)
        if op == "GeGLU":
            inner = (y * y + np.float32(22.363860002236)) * y * np.float32(-0.0713548162726)
            return once(x * (y / (np.exp(inner) + one)), dtype)
        if op == "ReGlu":
            return once(x * np.maximum(y, np.float32(0)), dtype)
        if op == "Fmod":
            return once(x - np.trunc(x / y) * y, dtype)
        return a ^ b


def near(got: Array, want: Array, tolerance: float) -> None:
    g, w = got.astype(np.float64), want.astype(np.float64)
    same = (g == w) | (np.isnan(g) & np.isnan(w))
    with np.errstate(all="ignore"):
        close = np.abs(g - w) <= tolerance * np.abs(w)
    assert (same | close).all(), f"{g[~(same | close)][:4]}, expected {w[~(same | close)][:4]}"


KINDS = [
    ("SwiGLU", "half"), ("SwiGLU", "float"), ("GeGLU", "half"), ("GeGLU", "float"),
    ("ReGlu", "half"), ("ReGlu", "bfloat16_t"), ("ReGlu", "float"), ("Fmod", "half"),
    ("Fmod", "float"), ("Xor", "int16_t"), ("Xor", "uint16_t"),
]  # fmt: skip


def draw(dtype: str, count: int, rng: np.random.Generator) -> Array:
    if dtype in ("int16_t", "uint16_t"):
        return rng.integers(0, 1 << 16, count).astype(np.uint16).view(TYPES[dtype])
    return rng.uniform(-9, 9, count).astype(TYPES[dtype])


@pytest.mark.parametrize(("op", "dtype"), KINDS)
def test_values(unit: AdvancedMachine, rng: np.random.Generator, op: str, dtype: str) -> None:
    tolerance = 3e-7 if dtype == "float" and op in ("SwiGLU", "GeGLU") else 0.0
    tolerance = 1e-3 if dtype == "half" and op in ("SwiGLU", "GeGLU") else tolerance
    for count in (1, 17, 64, 500):
        forms = FORMS if op != "ReGlu" else (WITH_COUNT, BOTH)
        for form in forms:
            a, b = draw(dtype, count, rng), draw(dtype, count, rng)
            if form & WITH_COUNT:
                a, b = np.concatenate([a, a[:16]]), np.concatenate([b, b[:16]])
            case = case_of(op, dtype, count, form, scalar=(1.25,))
            tmp = ENOUGH if form & WITH_TMP else 0
            got = unit.call(case, count * a.itemsize, [a, b], rng, tmp).view(a.dtype)
            near(got, expected(op, dtype, a, b, 1.25)[:count], tolerance)


@pytest.mark.parametrize("dtype", ["half", "float"])
def test_special_values(unit: AdvancedMachine, rng: np.random.Generator, dtype: str) -> None:
    sizes = np.array([0.0, 0.5, 1.0, 3.0, 60000.0, np.inf, np.nan])
    both = np.concatenate([sizes, -sizes])
    a, b = (v.reshape(-1).astype(TYPES[dtype]) for v in np.meshgrid(both, both))
    for op in ("SwiGLU", "GeGLU", "ReGlu", "Fmod"):
        case = case_of(op, dtype, a.size, scalar=(1.0,))
        got = unit.call(case, a.nbytes, [a, b], rng, ENOUGH).view(a.dtype)
        near(got, expected(op, dtype, a, b, 1.0), 1e-3 if dtype == "half" else 3e-7)


@pytest.mark.parametrize("dtype", ["half", "float"])
@pytest.mark.parametrize("side", [0, 1, 2])
def test_power(unit: AdvancedMachine, rng: np.random.Generator, side: int, dtype: str) -> None:
    kind = TYPES[dtype]
    bases = np.array([0.0, 0.25, 1.0, 1.5, 7.0, np.inf, np.nan])
    exponents = np.array([0.0, 0.5, 1.0, 2.0, 3.0, 2.5, 1000.0, np.inf, np.nan])
    x, y = np.meshgrid(np.concatenate([bases, -bases]), np.concatenate([exponents, -exponents]))
    x, y = x.reshape(-1).astype(kind), y.reshape(-1).astype(kind)
    numbers = (
        [np.float32(v) for v in (0.0, -0.0, 2.0, -3.0, 0.5, np.inf)] if side else [np.float32(0)]
    )
    for number in numbers:
        sources = [x, y] if side == 0 else [y if side == 2 else x]
        base = np.full_like(y, number) if side == 2 else x
        exponent = np.full_like(x, number) if side == 1 else y
        with np.errstate(all="ignore"):
            want = np.power(base.astype(np.float64), exponent.astype(np.float64)).astype(kind)
        for form in FORMS:
            case = case_of("Power", dtype, x.size, form, n=(side,), scalar=(float(number),))
            got = unit.call(case, x.nbytes, sources, rng, ENOUGH if form & WITH_TMP else 0)
            near(got.view(kind), want, 1e-3 if dtype == "half" else 1.2e-7)
            signed = (want == 0) & (got.view(kind) == 0)
            assert (np.signbit(got.view(kind)) == np.signbit(want))[signed].all()


@given(st.floats(0, 2.0**100, width=32), st.floats(-60, 60, width=32))
def test_any_power(unit: AdvancedMachine, base: float, exponent: float) -> None:
    x, y = np.full(8, base, np.float32), np.full(8, exponent, np.float32)
    case = case_of("Power", "float", 8, WITH_COUNT)
    got = unit.call(case, 32, [x, y], np.random.default_rng(1)).view(np.float32)
    with np.errstate(all="ignore"):
        want = np.power(x.astype(np.float64), y.astype(np.float64)).astype(np.float32)
    tiny = np.abs(want) < np.finfo(np.float32).tiny
    near(got[~tiny], want[~tiny], 1.2e-7)
    assert (np.abs(got[tiny]) < np.finfo(np.float32).tiny).all()


def test_integer_power(unit: AdvancedMachine, rng: np.random.Generator) -> None:
    """Integer Power wraps its result to 32 bits; a negative exponent gives 1, -1 or 0."""
    edges = np.array([0, 1, -1, 2, -2, 3, 10, -7, 46341, 2**31 - 1, -(2**31)], np.int32)
    x = np.concatenate([np.repeat(edges, edges.size), rng.integers(-30, 30, 71).astype(np.int32)])
    y = np.concatenate([np.tile(edges, edges.size), rng.integers(-5, 40, 71).astype(np.int32)])
    want = np.array([model.int_power(int(a), int(b)) for a, b in zip(x, y, strict=True)], np.int32)
    for form in FORMS:
        case = case_of("Power", "int32_t", x.size, form)
        got = unit.call(case, x.nbytes, [x, y], rng, ENOUGH if form & WITH_TMP else 0)
        assert (got.view(np.int32) == want).all()
    case = case_of("Power", "int32_t", x.size, n=(1,), scalar=(5.0,))
    got = unit.call(case, x.nbytes, [x], rng, ENOUGH).view(np.int32)
    assert (got == [model.int_power(int(a), 5) for a in x]).all()


@pytest.mark.parametrize(
    ("op", "dtype"), [("Axpy", "half"), ("Axpy", "float"), ("AxpyMixed", "half")]
)
def test_axpy(unit: AdvancedMachine, rng: np.random.Generator, op: str, dtype: str) -> None:
    kind = np.float32 if op == "AxpyMixed" else TYPES[dtype]
    for count in (1, 33, 300):
        src, old = draw(dtype, count, rng), rng.uniform(-9, 9, count).astype(kind)
        scalar = np.float32(TYPES[dtype].type(1.7))
        case = case_of(op, dtype, count, scalar=(1.7,))
        got = unit.call(case, old, [src], rng, ENOUGH).view(kind)
        want = old.astype(np.float32) + src.astype(np.float32) * scalar
        near(got, want.astype(kind), 1e-6 if kind == np.float32 else 0.0)


@pytest.mark.parametrize(("op", "dtype"), LEAST)
def test_scratch(unit: AdvancedMachine, rng: np.random.Generator, op: str, dtype: str) -> None:
    need = LEAST[op, dtype]
    a, b = draw(dtype, 64, rng), draw(dtype, 64, rng)
    size = 256 if op == "AxpyMixed" else a.nbytes
    case = case_of(op, dtype, 64, scalar=(1.0,))
    if need == 0:
        unit.call(case, size, [a, b], rng, 32)
        return
    image, placed = unit.image(case, size, [a, b], need, rng)
    begin = placed.tmp[0]
    assert is_poison(unit.run(image, placed)[begin : begin + 64])
    unit.refused("T700", f"it takes at least {need} B", case, size, [a, b], rng, tmp=need - 32)


@pytest.mark.parametrize(
    ("dtype", "side", "need"),
    [("half", 0, 2048), ("half", 1, 2048), ("float", 0, 1280), ("float", 2, 1536),
     ("int32_t", 0, 1536), ("int32_t", 1, 1792)],
)  # fmt: skip
def test_power_scratch(
    unit: AdvancedMachine, rng: np.random.Generator, dtype: str, side: int, need: int
) -> None:
    x = np.ones(64, TYPES[dtype])
    case = case_of("Power", dtype, 64, n=(side,), scalar=(1.0,))
    unit.call(case, x.nbytes, [x, x], rng, need)
    unit.refused("T700", f"at least {need} B", case, x.nbytes, [x, x], rng, tmp=need - 32)


@pytest.mark.parametrize(("op", "dtype"), [*KINDS, ("Power", "half"), ("Power", "float")])
@pytest.mark.parametrize("source", [0, 1])
def test_in_place(
    unit: AdvancedMachine, rng: np.random.Generator, op: str, dtype: str, source: int
) -> None:
    a, b = draw(dtype, 64, rng), draw(dtype, 64, rng)
    case = case_of(op, dtype, 64, scalar=(1.0,))
    layout: dict[str, Any] = {"tmp": ENOUGH, "in_place": source}
    if dtype in ("half", "bfloat16_t"):
        apart = unit.call(case, a.nbytes, [a, b], rng, ENOUGH)
        assert (unit.call(case, a.nbytes, [a, b], rng, **layout) == apart).all()
        return
    unit.refused("T702", f"{op} writes dstTensor", case, a.nbytes, [a, b], rng, **layout)
    with cannery.use(mode="hardware"):
        assert is_poison(unit.call(case, a.nbytes, [a, b], rng, **layout))
