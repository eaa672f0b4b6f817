# SPDX-License-Identifier: Apache-2.0
"""Compares dst = src0 op src1 with NumPy for every type and form."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from .vector_machine import VectorMachine, operands_for, place, values
from .vector_model import BINARY, DTYPES, Case
from .vector_shapes import shapes

ROWS = [(op, dtype) for op, (_, dtypes) in BINARY.items() for dtype in dtypes]


@pytest.mark.parametrize(("op", "dtype"), ROWS)
def test_forms(machine: VectorMachine, rng: np.random.Generator, op: str, dtype: str) -> None:
    for shape in shapes(DTYPES[dtype].itemsize).values():
        case = Case(op, dtype, **shape)
        machine.check(case, operands_for(case, rng), rng)


@pytest.mark.parametrize(("op", "dtype"), ROWS)
def test_in_place(machine: VectorMachine, rng: np.random.Generator, op: str, dtype: str) -> None:
    for target in ("src0", "src1"):
        case = Case(op, dtype, count=500)
        image, case = place(case, [values(dtype, 500, rng) for _ in range(3)], rng)
        machine.compare(image, replace(case, dst=getattr(case, target)))
    image, case = place(case, [values(dtype, 500, rng)], rng)
    machine.compare(image, replace(case, src0=0, src1=0))


@pytest.mark.parametrize("dtype", ["half", "float", "int32_t"])
def test_accumulates_with_stride_zero(
    machine: VectorMachine, rng: np.random.Generator, dtype: str
) -> None:
    """With dst = src1 and repeat stride 0, the call adds all repeats in their order."""
    lanes = 256 // DTYPES[dtype].itemsize
    case = Case("Add", dtype, form="mask_count", low=lanes, repeats=9, rep=(0, 8, 0))
    operands = [rng.standard_normal(n * lanes).astype(np.float32) * 8 for n in (1, 9)]
    image, case = place(case, [o.astype(DTYPES[dtype]) for o in operands], rng)
    machine.compare(image, replace(case, src1=case.dst))


def test_all_pairs_of_special_values(machine: VectorMachine, rng: np.random.Generator) -> None:
    for dtype in ("half", "float"):
        kind = DTYPES[dtype]
        limits = np.finfo(kind)
        special = [0.0, np.inf, np.nan, 1.0, 3.0, limits.max, limits.tiny]
        special += [limits.smallest_subnormal, limits.eps]
        column = np.array([s * sign for s in special for sign in (1, -1)]).astype(kind)
        a, b = (grid.ravel().copy() for grid in np.meshgrid(column, column))
        for op, (_, dtypes) in BINARY.items():
            if dtype in dtypes:
                machine.check(Case(op, dtype, count=len(a)), [np.zeros_like(a), a, b], rng)


def test_integers_wrap(machine: VectorMachine, rng: np.random.Generator) -> None:
    for dtype in ("int16_t", "int32_t"):
        info = np.iinfo(DTYPES[dtype])
        column = np.array([info.min, info.min + 1, -1, 0, 1, info.max - 1, info.max, 12345])
        a, b = (grid.ravel().astype(DTYPES[dtype]) for grid in np.meshgrid(column, column))
        for op in ("Add", "Sub", "Mul", "Max", "Min"):
            machine.check(Case(op, dtype, count=len(a)), [np.zeros_like(a), a, b], rng)
