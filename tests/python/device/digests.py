# SPDX-License-Identifier: Apache-2.0
"""Prints digests of the results of instructions on fixed random bit patterns. It is a separate
program, because a process chooses the host's instruction set only once."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

import cannery

from . import arithmetic_model, reduce_model, vector_model
from .arithmetic_model import ExtCase, ExtMachine
from .cast_model import PAIRS
from .conftest import DEVICE_KERNELS
from .cube_machine import DTYPES, CubeMachine, Program
from .reduce_machine import ReduceMachine
from .reduce_machine import place as place_reduction
from .test_arithmetic_ext import AXPY, SHIFTED, random_values
from .test_arithmetic_ext import PAIRS as FORMS
from .test_cast_full import ROWS
from .test_cube_mmad import operand, show
from .vector_machine import VectorMachine, operands_for, place
from .vector_model import BINARY, SCALAR, UNARY, Case
from .vector_shapes import shapes

COUNT = 5002  # no multiple of a vector length; even, because two int4b_t share a byte
Array = np.ndarray[Any, Any]
Results = Iterator[tuple[str, Array]]


def vector_cases() -> Iterator[Case]:
    """Yields a contiguous case of every instruction and type, and masked cases."""
    for table in (BINARY, UNARY, SCALAR):
        for op, (_, dtypes) in table.items():
            for dtype in dtypes:
                yield Case(op, dtype, count=9001, scalar=b"\x66\x2e\x45\x40")
                if op != "Axpy":
                    shape = shapes(2 if dtype in ("half", "int16_t", "uint16_t") else 4)["bits"]
                    yield Case(op, dtype, scalar=b"\x66\x2e\x45\x40", **shape)
    for (dst, src), modes in PAIRS.items():
        for mode in modes:
            yield Case("Cast", dst, src, count=9001, mode=mode)


def vector(kernel: Any) -> Results:
    machine = VectorMachine(kernel)
    for case in vector_cases():
        rng = np.random.default_rng(7)
        image, placed = place(case, operands_for(case, rng), rng)
        name = f"{case.op} {case.dtype} {case.src_dtype} {case.mode} {case.form}"
        yield name, machine.run(image, placed)


REDUCTIONS = (
    {"form": "mask_count", "count": 64, "repeats": 40},
    {"form": "mask_count", "count": 13, "repeats": 9, "src_blk": 2, "src_rep": 17},
    {"form": "register", "counter": True, "low": 999},
    {"form": "count", "count": 4321},
)


def reduce(kernel: Any) -> Results:
    machine = ReduceMachine(kernel)
    for op in reduce_model.OPS:
        for dtype in ("half", "float"):
            for number, shape in enumerate(REDUCTIONS):
                if shape["form"] == ("register" if op in reduce_model.STEPS else "count"):
                    continue
                index = op in ("ReduceMax", "ReduceMin")
                case = reduce_model.Case(op, dtype, index=index, **shape)
                image, case = place_reduction(case, np.random.default_rng(7))
                yield f"{op} {dtype} {number}", machine.run(image, case)


def arithmetic_cases() -> Iterator[ExtCase]:
    """Yields cases of compound arithmetic and of the conversions that vector_cases lacks."""

    def scalar(number: float, dtype: str) -> bytes:
        return np.array([number], arithmetic_model.TYPES[dtype]).tobytes()

    for op, dst, src in FORMS:
        yield ExtCase(op, dst, src, count=COUNT, deq=(1, 0.3125, 0))
    for dst, src in AXPY:
        yield ExtCase("Axpy", dst, src, count=COUNT, scalar=scalar(1.7, src))
    for op in ("ShiftLeft", "ShiftRight"):
        for dtype in SHIFTED:
            yield ExtCase(op, dtype, count=COUNT, scalar=scalar(5, dtype))
    for dst, src, mode in ROWS:
        for switches in (0, 3):
            yield ExtCase("Cast", dst, src, count=COUNT, mode=mode, saturation=switches)


def arithmetic(kernel: Any) -> Results:
    machine = ExtMachine(kernel)
    for case in arithmetic_cases():
        rng = np.random.default_rng(7)
        names = (case.dtype, case.src_name, case.src_name)
        image, placed = place(case, [random_values(name, COUNT, rng) for name in names], rng)
        name = f"{case.op} {case.dtype} {case.src_name} {case.mode} {case.saturation}"
        yield name, machine.run(image, placed)


def cube(kernel: Any) -> Results:
    machine = CubeMachine(kernel)
    for dtype in DTYPES:
        rng = np.random.default_rng(11)
        m, n, k = 37, 53, 70
        program = Program(np.zeros(32, np.uint8), m * n * 4)
        left, right = operand(dtype, (m, k), rng), operand(dtype, (k, n), rng)
        if dtype == "float":
            left, right = (rng.standard_normal(x.shape).astype(np.float32) for x in (left, right))
        program.operands(dtype, left, right)
        program.modes(hf32=False)
        program.mmad(dtype, (m, n, k))
        program.mmad(dtype, (m, n, k), start="kept")
        show(program, dtype, m, n)
        yield dtype, machine.run(program)


class Family(NamedTuple):
    """A family of instructions, which one kernel of the fixtures runs."""

    kernel: str
    ops: tuple[str, ...]  #: instructions, whose numbers are the macros OP_<name>
    results: Callable[[Any], Results]
    least: int  #: smallest number of results

    def compile(self) -> Any:
        defines = {f"OP_{op}": i for i, op in enumerate(self.ops)}
        return cannery.compile_kernel(DEVICE_KERNELS / f"{self.kernel}.cpp", self.kernel, defines)


FAMILIES = {
    "vector": Family("vector", tuple(vector_model.OPS), vector, 100),
    "reduce": Family("reduce", tuple(reduce_model.OPS), reduce, 80),
    "arithmetic": Family("arithmetic_ext", tuple(arithmetic_model.OPS), arithmetic, 100),
    "cube": Family("cube_machine", (), cube, len(DTYPES) - 1),
}


def show_digests(name: str) -> None:
    family = FAMILIES[name]
    results = family.results(family.compile())
    print(json.dumps({name: hashlib.sha256(out.tobytes()).hexdigest() for name, out in results}))
