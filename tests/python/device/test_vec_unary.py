# SPDX-License-Identifier: Apache-2.0
"""Tests dst = op(src): types, forms, all values of type half, and error bounds of Exp and Ln."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from .vector_machine import VectorMachine, operands_for, place, values
from .vector_model import DTYPES, UNARY, Case
from .vector_shapes import shapes

ROWS = [(op, dtype) for op, (_, dtypes) in UNARY.items() for dtype in dtypes]
ALL_HALVES = np.arange(65536, dtype=np.uint16).view(np.float16)


@pytest.mark.parametrize(("op", "dtype"), ROWS)
def test_forms(machine: VectorMachine, rng: np.random.Generator, op: str, dtype: str) -> None:
    for shape in shapes(DTYPES[dtype].itemsize).values():
        case = Case(op, dtype, **shape)
        machine.check(case, operands_for(case, rng), rng)


@pytest.mark.parametrize(("op", "dtype"), ROWS)
def test_in_place(machine: VectorMachine, rng: np.random.Generator, op: str, dtype: str) -> None:
    case = Case(op, dtype, count=700)
    image, case = place(case, [values(dtype, 700, rng)], rng)
    machine.compare(image, replace(case, src0=0))


@pytest.mark.parametrize("op", [op for op, (_, dtypes) in UNARY.items() if "half" in dtypes])
def test_every_half(machine: VectorMachine, rng: np.random.Generator, op: str) -> None:
    for part in np.split(ALL_HALVES, 2):
        machine.check(Case(op, "half", count=len(part)), [np.zeros_like(part), part], rng)


def test_every_16_bit_complement(machine: VectorMachine, rng: np.random.Generator) -> None:
    numbers = np.arange(32768, dtype=np.uint16)
    for dtype in ("int16_t", "uint16_t"):
        part = numbers.view(DTYPES[dtype])
        machine.check(Case("Not", dtype, count=len(part)), [part, part], rng)


@pytest.mark.parametrize(
    ("low", "high"),
    [(-1.0, 1.0), (-90.0, 90.0), (-104.1, -87.0), (88.5, 89.0), (-1e-6, 1e-6)],
    ids=["near-0", "all", "denormal", "overflow", "tiny"],
)
def test_exp_is_within_half_a_unit(
    machine: VectorMachine, rng: np.random.Generator, low: float, high: float
) -> None:
    for _ in range(4):
        numbers = rng.uniform(low, high, 20000).astype(np.float32)
        machine.check(Case("Exp", "float", count=len(numbers)), [numbers, numbers], rng)


def test_random_bit_patterns(machine: VectorMachine, rng: np.random.Generator) -> None:
    for op, (_, dtypes) in UNARY.items():
        if "float" in dtypes:
            bits = rng.integers(0, 2**32, 20000, dtype=np.uint32).view(np.float32)
            machine.check(Case(op, "float", count=len(bits)), [bits, bits], rng)
