# SPDX-License-Identifier: Apache-2.0
"""Compares AscendDequant, AscendQuant and AscendAntiQuant with NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from .advanced_machine import (
    NUMBERS,
    TYPES,
    WITH_COUNT,
    WITH_TMP,
    AdvancedMachine,
    Array,
    Case,
    is_poison,
)  # fmt: skip
from .conftest import Compile

OPS = ("Dequant", "Quant", "AntiQuant")
BOTH = WITH_TMP | WITH_COUNT
ENOUGH = 65536
PAIRS = [
    ("half", "uint64_t"), ("float", "float"), ("float", "bfloat16_t"),
    ("bfloat16_t", "bfloat16_t"), ("bfloat16_t", "float"),
]  # fmt: skip


@pytest.fixture(scope="module")
def unit(compile_device: Compile) -> AdvancedMachine:
    return AdvancedMachine(
        compile_device("advanced_quant", {f"OP_{op}": i for i, op in enumerate(OPS)})
    )


# --- AscendDequant


def scales_of(dtype: str, count: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Returns the tensor of scales, and its values as float32."""
    values = rng.uniform(-0.01, 0.01, count).astype(np.float32)
    if dtype == "uint64_t":
        return values.view(np.uint32).astype(np.uint64) | np.uint64(0xABCD << 32), values
    return values.astype(TYPES[dtype]), values.astype(TYPES[dtype]).astype(np.float32)


def integers(count: int, rng: np.random.Generator) -> Array:
    raw = rng.integers(-(2**31), 2**31, count)
    return (raw >> rng.integers(0, 31, count)).astype(np.int32)


def product(src: Array, scale: Array, dtype: str) -> Array:
    with np.errstate(over="ignore"):
        return (src.astype(np.float32) * scale).astype(TYPES[dtype])


def dequant(
    dst: str, scale: str, kind: int, m: int, n: int, used: int, form: int = WITH_TMP,
    mode: int = 0, count: int = 0,
) -> Case:  # fmt: skip
    return Case(0, dst, form, count, (NUMBERS[scale], kind, m, n, used, mode))


def check_rows(
    unit: AdvancedMachine, rng: np.random.Generator, pair: tuple[str, str],
    shape: tuple[int, int, int], kind: int = 0, form: int = WITH_TMP,
) -> None:  # fmt: skip
    (dst, scale), (m, n, used) = pair, shape
    src = integers(m * n, rng)
    tensor, values = scales_of(scale, 1 if kind == 3 else used, rng)
    size = TYPES[dst].itemsize
    pitch = -(-n * size // 32) * 32 // size
    got = unit.call(dequant(dst, scale, kind, m, n, used, form, mode=1 - min(kind, 1)),
                    m * pitch * size, [src, tensor], rng, ENOUGH)  # fmt: skip
    rows = got.view(TYPES[dst]).reshape(m, pitch)[:, :used]
    want = product(src.reshape(m, n)[:, :used], values, dst)
    assert np.ascontiguousarray(rows).tobytes() == np.ascontiguousarray(want).tobytes()


@pytest.mark.parametrize("pair", PAIRS)
def test_dequant_rows(
    unit: AdvancedMachine, rng: np.random.Generator, pair: tuple[str, str]
) -> None:
    for shape in ((1, 8, 8), (3, 8, 5), (7, 24, 17), (4, 64, 64), (2, 2064, 2050), (5, 40, 33)):
        check_rows(unit, rng, pair, shape)
        if pair[1] != "uint64_t":
            for form in (0, WITH_TMP):
                check_rows(unit, rng, pair, shape, 3, form)


@given(st.sampled_from(PAIRS), st.integers(1, 9), st.integers(1, 9), st.data())
def test_any_dequant(
    unit: AdvancedMachine, pair: tuple[str, str], m: int, blocks: int, data: st.DataObject
) -> None:
    used = data.draw(st.integers(1, blocks * 8))
    seed = data.draw(st.integers(0, 2**32 - 1))
    check_rows(unit, np.random.default_rng(seed), pair, (m, blocks * 8, used))


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("form", [0, WITH_TMP])
def test_dequant_by_count(
    unit: AdvancedMachine, rng: np.random.Generator, form: int, pair: tuple[str, str]
) -> None:
    """Each row is as long as the scale tensor, but the last row may be shorter."""
    dst, scale = pair
    size = TYPES[dst].itemsize
    n, rows = 16, 6
    src = integers(rows * n, rng)
    tensor, values = scales_of(scale, n, rng)
    want = product(src, np.tile(values, rows), dst)
    for kind, count in ((2, rows * n), (1, rows * n), (1, 3 * n + 5), (1, 7)):
        case = dequant(dst, scale, kind, 0, 0, 0, form, count=count)
        got = unit.call(case, count * size, [src, tensor], rng, ENOUGH if form else 0)
        assert got.tobytes() == want[:count].tobytes()


def test_dequant_single_row(unit: AdvancedMachine, rng: np.random.Generator) -> None:
    """The shape {1, m * n, n} means m rows, unless `mode` is 1."""
    src = integers(64, rng)
    tensor, values = scales_of("float", 16, rng)
    case = dequant("float", "float", 0, 1, 64, 16)
    got = unit.call(case, 256, [src, tensor], rng, ENOUGH).view(np.float32)
    assert (got == product(src, np.tile(values, 4), "float")).all()
    case = dequant("float", "float", 0, 1, 64, 16, mode=1)
    got = unit.call(case, 256, [src, tensor], rng, ENOUGH)
    assert (got.view(np.float32)[:16] == product(src[:16], values, "float")).all()
    assert is_poison(got[64:])


def test_dequant_refusals(unit: AdvancedMachine, rng: np.random.Generator) -> None:
    src = integers(96, rng)
    tensor, _ = scales_of("float", 24, rng)
    for m, n, used in ((2, 12, 12), (2, 16, 0), (2, 16, 17), (2, 0, 0)):
        unit.refused("T703", f"m {m}, n {n}, calCount {used}",
                     dequant("float", "float", 0, m, n, used), 512, [src, tensor], rng)  # fmt: skip
    unit.refused("T703", "of 96 of 96 elements by 20 scales", dequant("float", "float", 2, 0, 0, 0),
                 384, [src, tensor[:20]], rng)  # fmt: skip
    unit.refused("T703", "of 97 of 96", dequant("float", "float", 1, 0, 0, 0, count=97), 384,
                 [src, tensor], rng)  # fmt: skip
    unit.refused("T107", "deqScale", dequant("float", "float", 0, 2, 32, 32), 512, [src, tensor],
                 rng, tmp=4096)  # fmt: skip
    need = (24 + 24 + 8 + 64) * 4
    unit.refused("T700", f"at least {need} B", dequant("float", "float", 0, 4, 24, 24), 384,
                 [src, tensor], rng, tmp=need - 32)  # fmt: skip


# --- AscendQuant


def quantised(x: Array, scale: Any, offset: Any) -> Array:
    with np.errstate(all="ignore"):
        steps = x.astype(np.float16) * np.float16(scale) + np.float16(offset)
        whole = np.rint(steps.astype(np.float32))
        return np.clip(np.nan_to_num(whole, nan=0), -128, 127).astype(np.int8)


def quant(dtype: str, count: int, n: tuple[int, ...], form: int, *scalar: float) -> Case:
    return Case(1, dtype, form, count, n, scalar)


@pytest.mark.parametrize("dtype", ["half", "float"])
@pytest.mark.parametrize("form", [0, WITH_TMP, WITH_COUNT, BOTH])
def test_quant(unit: AdvancedMachine, rng: np.random.Generator, form: int, dtype: str) -> None:
    x = rng.uniform(-9, 9, 192).astype(TYPES[dtype])
    x[:6] = [0.5, 1.5, 2.5, -0.5, np.inf, -np.inf]
    tmp = ENOUGH if form & WITH_TMP else 0
    count = 160 if form & WITH_COUNT else 192
    for scale, offset in ((1.0, 0.0), (13.7, -2.3), (1000.0, 5.0)):
        case = quant(dtype, count, (0,), form, scale, offset)
        got = unit.call(case, count, [x], rng, tmp).view(np.int8)
        assert (got == quantised(x[:count], scale, offset)).all()
    scales, offsets = (rng.uniform(-9, 9, 32).astype(TYPES[dtype]) for _ in range(2))
    lost = [1, 2] if dtype == "float" else []
    rows = x[:count].reshape(-1, 32)
    for kind, want in ((1, quantised(rows, scales, np.float16(3.5))),
                       (2, quantised(rows, scales, offsets))):  # fmt: skip
        case = quant(dtype, count, (kind, 32, 32), form, 0.0, 3.5)
        got = unit.call(case, count, [x, scales, offsets], rng, tmp, lost=lost[:kind])
        assert (got.view(np.int8).reshape(-1, 32) == want).all()


def test_quant_costs_float_factors(unit: AdvancedMachine, rng: np.random.Generator) -> None:
    """AscendQuant converts float scales and offsets to half in place, so the floats are lost."""
    x, scales = np.ones(64, np.float32), np.ones(32, np.float32)
    image, case = unit.image(
        quant("float", 64, (2, 32, 32), BOTH), 64, [x, scales, scales], 512, rng
    )
    after = unit.run(image, case)
    for begin, size in case.src[1:]:
        assert is_poison(after[begin : begin + size])


def test_quant_config(unit: AdvancedMachine, rng: np.random.Generator) -> None:
    """Sizes in AscendQuantConfig replace the sizes that the call passes."""
    x = rng.uniform(-9, 9, 96).astype(np.float16)
    scales, offsets = (rng.uniform(-9, 9, 32).astype(np.float16) for _ in range(2))
    case = quant("half", 96, (2, 32, 32, 1), BOTH)
    got = unit.call(case, 64, [x, scales, offsets], rng, 512).view(np.int8)
    assert (got.reshape(2, 32) == quantised(x[:64].reshape(2, 32), scales, offsets)).all()
    case = quant("half", 96, (0, 0, 0, 2), WITH_TMP, 2.0, 1.0)
    got = unit.call(case, 64, [x], rng, 512).view(np.int8)
    assert (got == quantised(x[:64], 2.0, 1.0)).all()


def test_quant_refusals(unit: AdvancedMachine, rng: np.random.Generator) -> None:
    x, factors = np.ones(192, np.float16), np.ones(64, np.float16)
    for scales, offsets, count in ((0, 0, 192), (64, 32, 192), (48, 48, 192), (32, 32, 80)):
        unit.refused("T703", f"of {count} elements with {scales} scales and {offsets} offsets",
                     quant("half", count, (2, scales, offsets), BOTH), 192, [x, factors, factors],
                     rng, tmp=512)  # fmt: skip
    unit.refused("T700", "at least 512 B", quant("half", 192, (0,), BOTH, 1.0, 0.0), 192, [x], rng,
                 tmp=480)  # fmt: skip


# --- AscendAntiQuant


def anti(
    dst: str, src: str, kind: int, transposed: bool, k: int, shape: tuple[int, int],
    form: int = WITH_TMP, carried: int = 0,
) -> Case:  # fmt: skip
    numbers = (NUMBERS[src], kind, int(transposed), k, *shape, carried)
    return Case(2, dst, form, 0, numbers)


def packed(values: Array, src: str) -> Array:
    if src == "int8_t":
        return values.astype(np.int8)
    low, high = values.reshape(-1, 2).T.astype(np.uint8) & 15
    return (low | high << 4).astype(np.uint8)


def restored(x: Array, offset: Any, scale: Any, dst: str) -> Array:
    """Computes (x + offset) * scale, with broadcast factors; None means no offset."""
    work = np.float16 if dst == "half" else np.float32
    value = x.astype(work)
    if offset is not None:
        value = value + np.asarray(offset).astype(work)
    with np.errstate(over="ignore"):
        return (value * np.asarray(scale).astype(work)).astype(TYPES[dst])


ANTI = [(dst, src) for dst in ("half", "bfloat16_t") for src in ("int8_t", "int4b_t")]


@pytest.mark.parametrize(("dst", "src"), ANTI)
@pytest.mark.parametrize("transposed", [False, True])
def test_antiquant(
    unit: AdvancedMachine, rng: np.random.Generator, dst: str, src: str, transposed: bool
) -> None:
    rows, columns = 6, 128
    limit = 128 if src == "int8_t" else 8
    x = rng.integers(-limit, limit, (rows, columns))
    factors = [rng.uniform(-3, 3, max(rows, columns)).astype(TYPES[dst]) for _ in range(2)]
    count, k = (rows, columns) if transposed else (columns, rows)
    shape = (rows, 1) if transposed else (1, columns)
    scale, offset = (f[:count] for f in factors)
    spread = (lambda f: f[:, None]) if transposed else (lambda f: f)
    size = rows * columns * 2
    sources = [packed(x.reshape(-1), src), scale, offset]
    for kind, want in (
        (0, restored(x, spread(offset), spread(scale), dst)),
        (1, restored(x, None, spread(scale), dst)),
        (2, restored(x, offset[0], scale[0], dst)),
        (3, restored(x, None, scale[0], dst)),
    ):
        forms = [(WITH_TMP, 0), (WITH_TMP, 1)] + ([(0, 1)] if kind in (0, 2) else [])
        for form, carried in forms:
            case = anti(dst, src, kind, transposed, k, shape, form, carried)
            got = unit.call(case, size, sources, rng, ENOUGH if form else 0)
            assert got.tobytes() == want.tobytes(), (kind, form)


@pytest.mark.parametrize("dst", ["half", "bfloat16_t"])
def test_antiquant_groups(unit: AdvancedMachine, rng: np.random.Generator, dst: str) -> None:
    """Without an offset, each group of rows may have its own scales."""
    x = rng.integers(-128, 128, (12, 64))
    scale = rng.uniform(-3, 3, (3, 64)).astype(TYPES[dst])
    case = anti(dst, "int8_t", 1, False, 12, (3, 64))
    got = unit.call(case, 12 * 64 * 2, [packed(x, "int8_t"), scale], rng, ENOUGH)
    assert got.tobytes() == restored(x, None, np.repeat(scale, 4, 0), dst).tobytes()


def test_antiquant_refusals(unit: AdvancedMachine, rng: np.random.Generator) -> None:
    x, factors = np.ones(768, np.int8), np.ones(128, np.float16)
    for case, text in (
        (anti("half", "int8_t", 0, False, 5, (1, 128)), "whole number of K"),
        (anti("half", "int8_t", 0, False, 32, (1, 24)), "multiple of 32 B"),
        (anti("half", "int8_t", 0, False, 6, (2, 128)), "one group"),
        (anti("half", "int8_t", 1, False, 6, (0, 0)), r"\[groups, N\]"),
        (anti("half", "int8_t", 1, False, 6, (4, 128)), r"\[groups, N\]"),
        (anti("half", "int8_t", 0, True, 128, (0, 0)), r"\[N, 1\]"),
        (anti("half", "int8_t", 0, True, 128, (6, 2)), r"\[N, 1\]"),
    ):
        unit.refused("T703", text, case, 1536, [x, factors, factors], rng, tmp=4096)
    need = (2 * 128 + 64 * 6) * 4
    case = anti("bfloat16_t", "int8_t", 0, False, 6, (1, 128))
    unit.refused(
        "T700", f"at least {need} B", case, 1536, [x, factors, factors], rng, tmp=need - 32
    )
    unit.refused("T700", "at least 1024 B", anti("bfloat16_t", "int8_t", 2, False, 6, (0, 0)), 1536,
                 [x, factors, factors], rng, tmp=992)  # fmt: skip
