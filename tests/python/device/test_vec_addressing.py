# SPDX-License-Identifier: Apache-2.0
"""Tests random masks, strides and modes of vector instructions, and their limits."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import cannery

from .vector_machine import VectorMachine, operands_for, place, span
from .vector_model import BINARY, DTYPES, SCALAR, UNARY, Case, simulate

pytestmark = pytest.mark.slow

CHEAP = [
    *((op, dtype) for op in ("Add", "Max", "And") for dtype in BINARY[op][1]),
    *((op, dtype) for op in ("Abs", "Relu", "Not") for dtype in UNARY[op][1]),
    *((op, dtype) for op in ("Muls", "Mins") for dtype in SCALAR[op][1]),
    *(("Duplicate", dtype) for dtype in ("half", "uint32_t")),
]


def random_case(rng: np.random.Generator) -> Case:
    op, dtype = CHEAP[rng.integers(len(CHEAP))]
    lanes = 256 // DTYPES[dtype].itemsize
    form = ("mask_count", "mask_bits", "register")[rng.integers(3)]
    bits = [int(word) for word in rng.integers(0, 2**64, 2, dtype=np.uint64)]
    arguments: dict[str, Any] = {"low": bits[0], "high": bits[1] if lanes == 128 else 0}
    if form == "mask_count":
        arguments = {"low": int(rng.integers(0, lanes + 1))}
    counter = form != "mask_bits" and rng.random() < 0.3
    if counter:
        arguments = {"low": int(rng.integers(0, 4 * lanes))}
    repeats = int(rng.integers(0, 6))
    # The block stride of dst is not 0, because stride 0 is undefined inside a repeat.
    blk = (int(rng.integers(1, 4)), *(int(n) for n in rng.integers(0, 4, 2)))
    rep = tuple(int(n) for n in rng.integers(0, 20, 3))
    scalar = rng.integers(0, 256, DTYPES[dtype].itemsize, dtype=np.uint8).tobytes()
    return Case(
        op, dtype, form=form, repeats=repeats, blk=blk, rep=rep, counter=counter,
        scalar=scalar, **arguments,
    )  # fmt: skip


@pytest.mark.parametrize("seed", range(6))
def test_random_instructions(machine: VectorMachine, seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(100):
        case = random_case(rng)
        machine.check(case, operands_for(case, rng), rng)


@pytest.mark.parametrize("dtype", ["half", "float"])
def test_hardware_takes_the_limit_of_a_mask(
    machine: VectorMachine, rng: np.random.Generator, dtype: str
) -> None:
    lanes = 256 // DTYPES[dtype].itemsize
    case = Case("Add", dtype, form="mask_count", low=lanes, repeats=3)
    image, case = place(case, operands_for(case, rng), rng)
    want, _ = simulate(image, case)
    with cannery.use(mode="hardware"):
        for low in (lanes + 1, 2**40):
            got = machine.run(image, replace(case, low=low))
            np.testing.assert_array_equal(got, want)


def test_hardware_ignores_the_high_mask_of_32_bit_types(
    machine: VectorMachine, rng: np.random.Generator
) -> None:
    case = Case("Add", "int32_t", form="mask_bits", low=0xF0F0, repeats=2)
    image, case = place(case, operands_for(case, rng), rng)
    with cannery.use(mode="hardware"):
        got = machine.run(image, replace(case, high=5))
    np.testing.assert_array_equal(got, simulate(image, case)[0])


@pytest.mark.parametrize(
    ("form", "rep"),
    [
        pytest.param({"low": 65, "counter": True}, 16, id="counter"),
        pytest.param({"low": 1, "repeats": 2}, 16, id="mask"),
        pytest.param({"low": 64, "repeats": 2}, 16, id="full"),
    ],
)
def test_operands_may_end_with_the_last_element(
    machine: VectorMachine, rng: np.random.Generator, form: dict[str, Any], rep: int
) -> None:
    """An operand may end with its last active element: the call reads nothing after it."""
    case = Case("Abs", "float", form="mask_count", rep=(8, rep, 8), **form)
    image = rng.integers(0, 256, 2048, dtype=np.uint8)
    end = (span(case, 1) * 4 + 31) // 32 * 32
    machine.compare(image, replace(case, dst=0, src0=2048 - end))
    with pytest.raises(cannery.KernelError, match="T107"):
        machine.run(image, replace(case, src0=2048 - end + 32))
