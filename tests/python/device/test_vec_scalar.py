# SPDX-License-Identifier: Apache-2.0
"""Compares dst = src op scalar, Axpy and Duplicate with NumPy for every type and form."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from .vector_machine import VectorMachine, operands_for, place, values
from .vector_model import DTYPES, SCALAR, Case
from .vector_shapes import shapes

ROWS = [(op, dtype) for op, (_, dtypes) in SCALAR.items() for dtype in dtypes]


def scalars(dtype: str, rng: np.random.Generator) -> list[bytes]:
    kind = DTYPES[dtype]
    if kind.kind in "iu":
        info = np.iinfo(kind)
        chosen = [info.min, info.max, 0, 3, 2 if kind.kind == "u" else -1]
    else:
        chosen = [0.0, -0.0, np.inf, np.nan, -2.5, 1e-7, 0.1]
    return [np.array([value]).astype(kind).tobytes() for value in chosen]


@pytest.mark.parametrize(("op", "dtype"), ROWS)
def test_forms(machine: VectorMachine, rng: np.random.Generator, op: str, dtype: str) -> None:
    for shape in shapes(DTYPES[dtype].itemsize).values():
        if op == "Axpy" and "form" in shape:  # the model of Axpy has only the count form
            continue
        case = Case(op, dtype, scalar=scalars(dtype, rng)[-1], **shape)
        machine.check(case, operands_for(case, rng), rng)


@pytest.mark.parametrize(("op", "dtype"), ROWS)
def test_scalars(machine: VectorMachine, rng: np.random.Generator, op: str, dtype: str) -> None:
    for scalar in scalars(dtype, rng):
        case = Case(op, dtype, count=900, scalar=scalar)
        machine.check(case, operands_for(case, rng), rng)
        image, case = place(case, [values(dtype, 900, rng)], rng)
        machine.compare(image, replace(case, src0=0))


@pytest.mark.parametrize(
    "dtype", ["half", "bfloat16_t", "float", "int16_t", "uint16_t", "int32_t", "uint32_t"]
)
def test_duplicate(machine: VectorMachine, rng: np.random.Generator, dtype: str) -> None:
    for shape in shapes(DTYPES[dtype].itemsize).values():
        for scalar in scalars(dtype, rng):
            case = Case("Duplicate", dtype, scalar=scalar, **shape)
            machine.check(case, operands_for(case, rng), rng)
