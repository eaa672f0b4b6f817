# SPDX-License-Identifier: Apache-2.0
"""Compares reductions with a model: every API, type, mask form, order and stride."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from .reduce_machine import ReduceMachine, place
from .reduce_model import (
    ALIASES,
    EXTREMES,
    GROUPS,
    INDEX_VALUE,
    ONLY_INDEX,
    ONLY_VALUE,
    OPS,
    STEPS,
    VALUE_INDEX,
    Array,
    Case,
    simulate,
)

FLOATS = ("half", "float")
FULL = 2**64 - 1
LOW, HIGH = 0xA5A5_0F0F_FF00_0001, 0x8000_0000_0000_00F1
ONE_STEP = tuple(op for op in OPS if op not in STEPS)


def shapes(dtype: str) -> dict[str, dict[str, Any]]:
    lanes = 128 if dtype == "half" else 64
    high = HIGH if dtype == "half" else 0
    full = {"low": FULL, "high": FULL if dtype == "half" else 0}
    return {
        "full": {"form": "mask_count", "count": lanes, "repeats": 3},
        "many": {"form": "mask_count", "count": lanes, "repeats": 33},
        "partial": {"form": "mask_count", "count": 17, "repeats": 5},
        "one-element": {"form": "mask_count", "count": 1, "repeats": 2},
        "mask-0": {"form": "mask_count", "count": 0, "repeats": 5},
        "repeats-0": {"form": "mask_count", "count": lanes, "repeats": 0},
        "repeats-255": {"form": "mask_count", "count": lanes - 1, "repeats": 255},
        "bits": {"form": "mask_bits", "low": LOW, "high": high, "repeats": 4},
        "bits-full": {"form": "mask_bits", **full, "repeats": 2},
        "bits-0": {"form": "mask_bits", "repeats": 4},
        "high-bits": {"form": "mask_bits", "low": 1 << 63, "high": high, "repeats": 2},
        "dst-stride": {"form": "mask_count", "count": lanes, "repeats": 4, "dst_rep": 3},
        "dst-stride-0": {"form": "mask_count", "count": lanes, "repeats": 4, "dst_rep": 0},
        "block-stride": {
            "form": "mask_count", "count": lanes, "repeats": 2, "src_blk": 3, "src_rep": 24,
        },
        "row": {"form": "mask_count", "count": lanes, "repeats": 3, "src_blk": 0, "src_rep": 1},
        "same-source": {"form": "mask_bits", "low": LOW, "high": high, "repeats": 3, "src_rep": 0},
        "far": {"form": "mask_count", "count": lanes, "repeats": 2, "src_rep": 1000},
        "overlapping": {"form": "mask_count", "count": lanes, "repeats": 20, "src_rep": 1},
        "register": {"form": "register", "low": LOW, "high": high, "repeats": 3},
        "counter": {"form": "register", "counter": True, "low": 1000},
        "counter-even": {"form": "register", "counter": True, "low": 4 * lanes, "src_rep": 9},
        "counter-short": {"form": "register", "counter": True, "low": 3, "dst_rep": 2},
    }  # fmt: skip


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("op", ONE_STEP)
def test_forms(reduce: ReduceMachine, rng: np.random.Generator, op: str, dtype: str) -> None:
    for name, shape in shapes(dtype).items():
        if op == "RepeatReduceSum" and shape["form"] == "mask_bits":
            continue
        if op in ALIASES and name in ("repeats-255", "many"):
            continue
        reduce.check(Case(op, dtype, **shape), rng)


@pytest.mark.parametrize("order", [VALUE_INDEX, INDEX_VALUE, ONLY_VALUE, ONLY_INDEX])
@pytest.mark.parametrize("dtype", FLOATS)
def test_orders(reduce: ReduceMachine, rng: np.random.Generator, dtype: str, order: int) -> None:
    for op in (*EXTREMES, "ReduceRepeatMax", "ReduceRepeatMin"):
        for name in ("full", "bits", "dst-stride", "register", "counter"):
            reduce.check(Case(op, dtype, order=order, **shapes(dtype)[name]), rng)


def counts(dtype: str) -> list[int]:
    lanes = 128 if dtype == "half" else 64
    return [1, 2, lanes - 1, lanes, lanes + 1, 2 * lanes, 5 * lanes + 7, 65 * lanes, 67 * lanes + 3]


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("op", STEPS)
def test_counts(reduce: ReduceMachine, rng: np.random.Generator, op: str, dtype: str) -> None:
    for count in counts(dtype):
        for index in (False, True) if op != "ReduceSum" else (False,):
            reduce.check(Case(op, dtype, count=count, index=index), rng)
    reduce.check(Case(op, dtype, count=0), rng)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("op", STEPS)
def test_mask_forms(reduce: ReduceMachine, rng: np.random.Generator, op: str, dtype: str) -> None:
    lanes = 128 if dtype == "half" else 64
    high = HIGH if dtype == "half" else 0
    for shape in (
        {"form": "mask_count", "count": lanes, "repeats": 1},
        {"form": "mask_count", "count": lanes, "repeats": 2},
        {"form": "mask_count", "count": 9, "repeats": 40, "src_rep": 3},
        {"form": "mask_bits", "low": LOW, "high": high, "repeats": 7, "src_rep": 9},
        {"form": "mask_count", "count": lanes, "repeats": lanes + 5},
        {"form": "mask_count", "count": lanes, "repeats": 300, "src_rep": 1},
        {"form": "mask_count", "count": lanes, "repeats": 0},
        {"form": "mask_count", "count": 0, "repeats": 3},
        {"form": "mask_bits", "repeats": 3},
    ):
        for index in (False, True) if op != "ReduceSum" else (False,):
            reduce.check(Case(op, dtype, index=index, **shape), rng)


@pytest.mark.parametrize("dtype", FLOATS)
def test_sum_with_the_mask_register(
    reduce: ReduceMachine, rng: np.random.Generator, dtype: str
) -> None:
    reduce.check(Case("ReduceSum", dtype, form="register", low=LOW, high=0), rng)
    reduce.check(Case("ReduceSum", dtype, form="register", counter=True, low=999), rng)


def special(dtype: str) -> list[Array]:
    kind = np.dtype(np.float16 if dtype == "half" else np.float32)
    limits = np.finfo(kind)
    rows: list[list[float]] = [
        [0.0] * 5,
        [-0.0] * 5,
        [-0.0, 0.0, -0.0],
        [np.inf, 1.0],
        [-np.inf] * 4,
        [np.inf] * 4,
        [np.inf, -np.inf],
        [1.0, np.nan, 5.0, np.nan],
        [np.nan],
        [3.0, 3.0, -3.0, -3.0],
        [float(limits.max)] * 4,
        [float(limits.max)] * 2 + [-float(limits.max)] * 2,
        [float(limits.smallest_subnormal)] * 7,
        [float(limits.tiny), -float(limits.smallest_subnormal)],
        [1.0] + [float(limits.eps) / 2] * 9,
    ]
    return [np.array(row, kind) for row in rows]


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("op", [*GROUPS, "WholeReduceSum", *EXTREMES, *STEPS])
def test_special_values(
    reduce: ReduceMachine, rng: np.random.Generator, op: str, dtype: str
) -> None:
    for row in special(dtype):
        form = {"form": "mask_count", "count": len(row)}
        reduce.check(Case(op, dtype, index=op in STEPS[1:], **form), rng, row)
        if op in STEPS:
            long = np.tile(row, 130 * 2 // len(row) + 1)
            reduce.check(Case(op, dtype, count=len(long), index=op != "ReduceSum"), rng, long)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("op", ["ReduceMax", "ReduceMin"])
def test_ties_give_the_lowest_index(reduce: ReduceMachine, op: str, dtype: str) -> None:
    kind = np.dtype(np.float16 if dtype == "half" else np.float32)
    rng = np.random.default_rng(5)
    for count in (40, 700, 9000):
        source = rng.integers(0, 3, count).astype(kind)
        got = reduce.check(Case(op, dtype, count=count, index=True), rng, source)
        want = int(np.argmax(source) if op == "ReduceMax" else np.argmin(source))
        as_index = np.uint16 if dtype == "half" else np.uint32
        assert int(got[: 2 * kind.itemsize].view(as_index)[1]) == want


@pytest.mark.parametrize(("saturate", "want"), [(False, np.inf), (True, 35584.0)])
def test_documented_overflow(reduce: ReduceMachine, saturate: bool, want: float) -> None:
    """In the documentation's example, 60000 + 60000 overflows half before -30000 + 100 is added.

    The documentation gives 35604 with saturation. Here, -29900 and the sum are rounded to half."""
    source = np.array([60000, 60000, -30000, 100], np.float16)
    case = Case("BlockReduceSum", "half", form="mask_count", count=4, saturate=saturate)
    got = reduce.check(case, np.random.default_rng(1), source)
    assert got[:2].view(np.float16)[0] == np.float16(want)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("op", [*GROUPS, "WholeReduceSum", *EXTREMES, *STEPS])
def test_saturation(reduce: ReduceMachine, op: str, dtype: str) -> None:
    rng = np.random.default_rng(9)
    for row in special(dtype):
        long = np.tile(row, 300 // len(row))
        form = {"form": "mask_count", "count": min(len(row), 60)}
        reduce.check(Case(op, dtype, saturate=True, **form), rng, row)
        if op in STEPS:
            reduce.check(Case(op, dtype, count=len(long), saturate=True), rng, long)


@pytest.mark.parametrize("dtype", FLOATS)
def test_in_place(reduce: ReduceMachine, rng: np.random.Generator, dtype: str) -> None:
    """Operands may share a buffer, as they do in library calls."""
    for op in (*GROUPS, "WholeReduceSum", *EXTREMES):
        image, case = place(Case(op, dtype, **shapes(dtype)["many"]), rng)
        reduce.compare(image, replace(case, dst=case.src, dst_bytes=case.src_bytes))
    for op in STEPS:
        case = Case(op, dtype, count=3000)
        image, case = place(case, rng)
        reduce.compare(image, replace(case, work=case.src, work_bytes=case.src_bytes))
        reduce.compare(image, replace(case, dst=case.work, work=case.work))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("op", ["WholeReduceMax", "WholeReduceMin", "ReduceMax", "ReduceMin"])
def test_extreme_register(
    reduce: ReduceMachine, rng: np.random.Generator, op: str, dtype: str
) -> None:
    lanes = 128 if dtype == "half" else 64
    as_bits = np.uint16 if dtype == "half" else np.uint32
    case = Case(op, dtype, form="mask_count", count=lanes - 3, repeats=7, registers=1)
    image, case = place(case, rng)
    got = reduce.compare(image, case)
    every = Case("ReduceMax" if op.endswith("Max") else "ReduceMin", dtype, index=True)
    every = replace(case, op=every.op, index=True)
    want = simulate(image, every)[: 2 * case.kind.itemsize].view(as_bits)
    assert got[-16:].view(as_bits)[0] == want[0]
    if op.startswith("Whole"):
        assert got[-12:].view(np.uint32)[0] == want[1]


@pytest.mark.parametrize("dtype", FLOATS)
def test_sum_register(reduce: ReduceMachine, rng: np.random.Generator, dtype: str) -> None:
    as_bits = np.uint16 if dtype == "half" else np.uint32
    got = reduce.check(Case("ReduceSum", dtype, count=1234, registers=2), rng)
    result = got[: np.dtype(as_bits).itemsize].view(as_bits)[0]
    assert got[-16:].view(as_bits)[0] == result
    assert got[-12:].view(np.uint32)[0] == result


def test_mask_register_afterwards(reduce: ReduceMachine, rng: np.random.Generator) -> None:
    """Count forms leave a full mask; mask forms of ReduceSum leave the repeat count as mask."""

    def touched(case: Case) -> int:
        image, case = place(replace(case, registers=3), rng, np.zeros(512, np.float32))
        out = reduce.run(image, case)[case.src : case.src + 256].view(np.uint32)
        return sum(1 << i for i in range(64) if out[i] == 0x01010101)

    assert touched(Case("ReduceSum", "float", count=100)) == FULL
    full = {"form": "mask_count", "count": 64}
    assert touched(Case("ReduceSum", "float", repeats=5, **full)) == 5
    assert touched(Case("WholeReduceSum", "float", form="mask_count", count=7)) == 0x7F
    assert touched(Case("ReduceMax", "float", repeats=5, index=True, **full)) == 0x155


@given(
    dtype=st.sampled_from(FLOATS),
    op=st.sampled_from(ONE_STEP),
    low=st.integers(0, FULL),
    high=st.integers(0, FULL),
    repeats=st.integers(0, 12),
    strides=st.tuples(st.integers(0, 5), st.integers(0, 4), st.integers(0, 30)),
    order=st.integers(0, 3),
    seed=st.integers(0, 2**32 - 1),
)
def test_any_call(
    reduce: ReduceMachine,
    dtype: str,
    op: str,
    low: int,
    high: int,
    repeats: int,
    strides: tuple[int, int, int],
    order: int,
    seed: int,
) -> None:
    dst_rep, src_blk, src_rep = strides
    case = Case(op, dtype, form="register", low=low, high=high if dtype == "half" else 0)
    case = replace(case, repeats=repeats, dst_rep=dst_rep, src_blk=src_blk, src_rep=src_rep)
    if case.name in EXTREMES:
        case = replace(case, order=order)
    reduce.check(case, np.random.default_rng(seed))


@given(
    dtype=st.sampled_from(FLOATS),
    op=st.sampled_from(STEPS),
    count=st.integers(1, 9000),
    index=st.booleans(),
    seed=st.integers(0, 2**32 - 1),
)
def test_any_count(
    reduce: ReduceMachine, dtype: str, op: str, count: int, index: bool, seed: int
) -> None:
    index = index and op != "ReduceSum"
    reduce.check(Case(op, dtype, count=count, index=index), np.random.default_rng(seed))
