# SPDX-License-Identifier: Apache-2.0
"""Compares Mmad with NumPy: types, tails, initial values of C, rounding, HF32, sparse operands."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from .conftest import Compile
from .cube_machine import DTYPES, CubeMachine, Program
from .cube_model import TYPES, Array, ceil, hf32, to_bytes, zn
from .fixpipe_model import Out

FEW = settings(max_examples=25, deadline=None)


@pytest.fixture(scope="module")
def machine(compile_device: Compile) -> CubeMachine:
    return CubeMachine(compile_device("cube_machine"))


def operand(dtype: str, shape: tuple[int, int], rng: np.random.Generator) -> Array:
    """Returns random numbers whose products and sums are exact in float64, or random integers."""
    if dtype == "int4b_t":
        return rng.integers(-8, 8, shape).astype(np.int8)
    if dtype == "int8_t":
        return rng.integers(-128, 128, shape).astype(np.int8)
    if dtype == "float":
        return (rng.integers(-2000, 2001, shape) / 16).astype(np.float32)
    return rng.uniform(-4, 4, shape).astype(TYPES[dtype])


def kind_of(dtype: str) -> str:
    return "int32_t" if dtype in ("int8_t", "int4b_t") else "float"


def show(program: Program, dtype: str, m: int, n: int) -> None:
    program.fixpipe(Out(kind_of(dtype), kind_of(dtype), n, m, n))


def limits(dtype: str) -> tuple[int, int]:
    """Returns the limit of m and n, and the limit of k; larger operands would not fit into L0."""
    return (130, {"half": 160, "bfloat16_t": 160, "float": 90}.get(dtype, 260))


@FEW
@given(data=st.data(), dtype=st.sampled_from(DTYPES), seed=st.integers(0, 999))
def test_products(machine: CubeMachine, data: st.DataObject, dtype: str, seed: int) -> None:
    most, deep = limits(dtype)
    m = data.draw(st.integers(1, most), "m")
    n = data.draw(st.integers(1, most), "n")
    k = data.draw(st.integers(1, deep), "k")
    rng = np.random.default_rng(seed)
    program = Program(np.zeros(32, np.uint8), m * n * 4)
    program.operands(dtype, operand(dtype, (m, k), rng), operand(dtype, (k, n), rng))
    program.mmad(dtype, (m, n, k))
    program.mmad(dtype, (m, n, k), start="kept")
    show(program, dtype, m, n)
    machine.check(program)


@pytest.mark.parametrize("dtype", DTYPES)
def test_large_product(machine: CubeMachine, rng: np.random.Generator, dtype: str) -> None:
    m, n, k = {"float": (128, 256, 64), "int4b_t": (128, 256, 256)}.get(dtype, (128, 256, 128))
    program = Program(np.zeros(32, np.uint8), m * n * 4)
    program.operands(dtype, operand(dtype, (m, k), rng), operand(dtype, (k, n), rng))
    program.mmad(dtype, (m, n, k))
    show(program, dtype, m, n)
    machine.check(program)


@pytest.mark.parametrize("k", [33, 36, 44])
def test_k_aligned_to_pairs_of_fractals(
    machine: CubeMachine, rng: np.random.Generator, k: int
) -> None:
    program = Program(np.zeros(32, np.uint8), 40 * 20 * 4)
    left, right = operand("float", (40, k), rng), operand("float", (k, 20), rng)
    program.operands("float", left, right, align=True)
    program.mmad("float", (40, 20, k), align=True)
    show(program, "float", 40, 20)
    machine.check(program)


@pytest.mark.parametrize(
    ("dtype", "kind"), [("half", 0), ("half", 1), ("bfloat16_t", 0), ("float", 1), ("int8_t", 2)]
)
def test_bias_table(machine: CubeMachine, rng: np.random.Generator, dtype: str, kind: int) -> None:
    bias = rng.integers(-50, 50, 96)
    stored = {0: np.float32, 1: np.float16, 2: np.int32}[kind]
    program = Program(bias.astype(stored), 30 * 80 * 4)
    program.copy_in(1024, 0, 96 * np.dtype(stored).itemsize)
    program.to_table(kind, 64, 1024, 96 * 4)
    program.operands(dtype, operand(dtype, (30, 40), rng), operand(dtype, (40, 80), rng))
    program.mmad(dtype, (30, 80, 40), start="table", bias=128)
    show(program, dtype, 30, 80)
    machine.check(program)


def test_start_from_another_matrix(machine: CubeMachine, rng: np.random.Generator) -> None:
    program = Program(np.zeros(32, np.uint8), 2 * 32 * 32 * 4)
    program.operands("half", operand("half", (32, 48), rng), operand("half", (48, 32), rng))
    program.mmad("half", (32, 32, 48))
    program.mmad("half", (32, 32, 48), c=65536, start="other", bias=0)
    program.fixpipe(Out("float", "float", 32, 32, 32), src=65536)
    program.fixpipe(Out("float", "float", 32, 32, 32), dst=4096)
    machine.check(program)


def test_integers_saturate_when_added(machine: CubeMachine) -> None:
    left = np.full((16, 1000), -128, np.int8)
    program = Program(np.zeros(32, np.uint8), 16 * 32 * 4)
    right = np.repeat(np.array([[-128, 127]], np.int8), 1000, 0).repeat(16, 1)
    program.operands("int8_t", left, right)
    program.mmad("int8_t", (16, 32, 1000))
    for _ in range(140):
        program.mmad("int8_t", (16, 32, 1000), start="kept")
    show(program, "int8_t", 16, 32)
    got = machine.check(program).view(np.int32)
    assert {got.max(), got.min()} == {2**31 - 1, -(2**31)}


def fma(a: float, b: float, c: float) -> np.float32:
    """Returns a * b + c with one rounding to float32, ties to even."""
    exact = Fraction(float(a)) * Fraction(float(b)) + Fraction(float(c))
    near = np.float32(float(exact))  # rounded twice, so the next float32 may be nearer to `exact`
    steps = [np.nextafter(near, np.float32(s) * np.inf) for s in (-1, 1)]
    best = min([near, *steps], key=lambda f: abs(Fraction(float(f)) - exact))
    tied = [f for f in [near, *steps] if abs(Fraction(float(f)) - exact) == abs(
        Fraction(float(best)) - exact)]  # fmt: skip
    return next((f for f in tied if f.view(np.uint32) % 2 == 0), best)


@pytest.mark.parametrize("dtype", ["half", "bfloat16_t", "float"])
def test_one_rounding_per_step(machine: CubeMachine, rng: np.random.Generator, dtype: str) -> None:
    """Mmad adds along k and rounds only the sums, so a product may exceed the range of float."""
    kind = TYPES[dtype]
    left = rng.standard_normal((4, 20)).astype(kind)
    right = (rng.standard_normal((20, 5)) * 2.0 ** rng.integers(-9, 9, (20, 5))).astype(kind)
    if dtype != "half":
        left[0, :2], right[:2, 0] = [2.0**100, 2.0**100], [-(2.0**27), 2.0**28]
        left[1] = 0
        left[1, :2], right[:2, 1] = [2.0**-75, 2.0**-75], [1.5 * 2.0**-75, 1.25 * 2.0**-74]
    program = Program(np.zeros(32, np.uint8), 4 * 5 * 4)
    program.operands(dtype, left, right)
    program.lines += [[10, DTYPES.index(dtype), 0, 0, 0, 4, 5, 20, 0, 0, 1] + [0] * 29]
    program.lines += [[21, 0, 0, 0, 0, 5, 4, 16, 5, 0, 0, 0, 1] + [0] * 6 + [1] + [0] * 20]
    got = machine.run(program).view(np.float32).reshape(4, 5)
    want = np.zeros((4, 5), np.float32)
    for i, j in np.ndindex(4, 5):
        for k in range(20):
            want[i, j] = fma(left[i, k], right[k, j], want[i, j])
    assert got.tobytes() == want.tobytes()


@pytest.mark.filterwarnings("ignore:invalid value encountered")
def test_infinities_and_nan(machine: CubeMachine) -> None:
    left = np.zeros((16, 16), np.float16)
    left[0, 0], left[1, 0], left[2, :2], left[3, 0] = np.inf, -np.inf, [np.inf, -np.inf], np.nan
    for keep in (True, False):
        program = Program(np.zeros(32, np.uint8), 16 * 16 * 4)
        program.operands("half", left, np.ones((16, 16), np.float16))
        program.modes(keep_inf=keep)
        program.mmad("half", (16, 16, 16))
        program.fixpipe(Out("float", "float", 16, 16, 16))
        got = machine.run(program).view(np.float32).reshape(16, 16)
        top = np.inf if keep else np.finfo(np.float32).max
        nan = np.uint32(0x7FC00000).view(np.float32) if keep else np.float32(0)
        want = np.zeros((16, 16), np.float32)
        want[:4] = np.array([top, -top, nan, nan], np.float32)[:, None]
        assert got.tobytes() == want.tobytes()


@pytest.mark.parametrize("to_zero", [False, True])
@pytest.mark.parametrize("newer", [False, True])
def test_hf32(machine: CubeMachine, rng: np.random.Generator, to_zero: bool, newer: bool) -> None:
    left = rng.standard_normal((20, 24)).astype(np.float32)
    left[0, :3] = np.array([0x3F800800, 0x3F801800, 0xBF800801], np.uint32).view(np.float32)
    right = rng.standard_normal((24, 40)).astype(np.float32)
    program = Program(np.zeros(32, np.uint8), 20 * 40 * 4)
    program.operands("float", left, right)
    program.modes(hf32=True, to_zero=to_zero, newer=newer)
    program.mmad("float", (20, 40, 24))
    show(program, "float", 20, 40)
    machine.check(program)
    assert hf32(left[0, :2].copy(), True)[0] == 1.0


def kept_of_four(k: int, n: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Returns a sparse operand: two random numbers of every four along k, and index fields."""
    kept = rng.integers(-128, 128, (k // 2, n)).astype(np.int8)
    index = np.zeros((k // 2, n), np.uint8)
    for i, j in np.ndindex(k // 4, n):
        low, high = sorted(rng.choice(4, 2, replace=False))
        index[2 * i : 2 * i + 2, j] = low, high - 1
    kept[2, 0], kept[3, 0] = 0, 0
    index[2:4, 0] = 1, 0  # both fields select position 1, which is allowed if a value is 0
    return kept, index


@pytest.mark.parametrize(("m", "n", "k"), [(16, 16, 64), (40, 50, 192), (1, 32, 64)])
def test_sparse(machine: CubeMachine, rng: np.random.Generator, m: int, n: int, k: int) -> None:
    kept, index = kept_of_four(k, n, rng)
    image = np.zeros(k // 64 * ceil(n, 16) * 512, np.int8)
    image[zn(k // 2, n, 32)] = kept
    fields = np.zeros(image.size, np.uint8)
    fields[zn(k // 2, n, 32)] = index
    fields = fields.reshape(-1, 4)
    packed = (fields << np.arange(0, 8, 2, dtype=np.uint8)).sum(1).astype(np.uint8)
    program = Program(np.concatenate([image.view(np.uint8), packed]), m * n * 4)
    left = operand("int8_t", (max(m, 2), k), rng)  # Mmad reads a single row as a vector
    program.operands("int8_t", left, operand("int8_t", (k, 16), rng))
    program.copy_in(0, 0, image.size)
    program.copy_in(262144, image.size, -(-packed.size // 32) * 32)
    program.line(11, 0, 0, 0, 262144, 0, image.size // 512)
    program.line(12, 0, 0, 0, 0, m, n, k, 0, 0, 1)
    program.model.sparse(0, kept, index, 0, (m, n, k))
    show(program, "int8_t", m, n)
    machine.check(program)


def test_to_bytes_of_int4() -> None:
    assert to_bytes(np.array([-8, 7, 1, -1], np.int8), "int4b_t").tolist() == [0x78, 0xF1]
