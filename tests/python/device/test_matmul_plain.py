# SPDX-License-Identifier: Apache-2.0
"""Compares MatmulImpl on cube cores with NumPy: types, formats, transposes, configurations."""

from __future__ import annotations

import struct
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from . import cube_model
from . import matmul_model as mm
from .conftest import Compile

pytestmark = pytest.mark.slow

Array = mm.Array


class Form(NamedTuple):
    """A combination of types and formats, which a tiling key of matmul_plain selects."""

    key: int
    dtype: str
    out: str
    bias: str
    formats: str  # formats of A, B and C


FORMS = {
    form.key: form
    for form in (
        Form(0, "half", "float", "float", "ND ND ND"),
        Form(1, "bfloat16_t", "bfloat16_t", "float", "ND ND ND"),
        Form(2, "float", "float", "float", "ND ND ND"),
        Form(3, "int8_t", "int32_t", "int32_t", "ND ND ND"),
        Form(4, "half", "half", "half", "ND ND ND"),
        Form(5, "int4b_t", "int32_t", "int32_t", "ND ND ND"),
        Form(6, "half", "half", "float", "NZ NZ NZ"),
        Form(7, "int8_t", "half", "int32_t", "NZ NZ NZ"),
        Form(8, "half", "float", "float", "VECTOR ND ND"),
        Form(9, "half", "int8_t", "float", "ND NZ ND_ALIGN"),
        Form(10, "int8_t", "int8_t", "int32_t", "ND ND NZ"),
        Form(11, "int4b_t", "half", "int32_t", "NZ NZ ND_ALIGN"),
        Form(12, "float", "bfloat16_t", "half", "NZ ND ND_ALIGN"),
    )
}


class Machine:
    """Runs matmul_plain with the tiling key of one form."""

    def __init__(self, kernel: Any, form: Form) -> None:
        self.kernel = kernel
        self.form = form
        self.dtype, self.out = form.dtype, form.out
        self.formats = form.formats.split()

    def __call__(
        self,
        a: Array,
        b: Array,
        tiling: mm.Tiling | bytes,
        *,
        trans: tuple[int, int] = (0, 0),
        bias: Array | None = None,
        quant: Array | int | None = None,
        quant_in_l1: bool = False,
        walk: int = 0,
        atomic: int = 0,
        split_k: int = 0,
        out: Array | None = None,
        blocks: int | None = None,
        rounds: int = 1,
        dump: Any = None,
    ) -> Array:
        """Returns the stored C. `a` (m x k) and `b` (k x n) may have `rounds` as first axis."""
        a3, b3 = a.reshape((rounds, *a.shape[-2:])), b.reshape((rounds, *b.shape[-2:]))
        nz = [f == "NZ" for f in self.formats]
        gm_a = np.stack([mm.stored(x, self.dtype, bool(trans[0]), nz[0]) for x in a3])
        gm_b = np.stack([mm.stored(x, self.dtype, bool(trans[1]), nz[1]) for x in b3])
        words = tiling.pack() if isinstance(tiling, mm.Tiling) else tiling
        fields = struct.unpack("<50i", words)
        m, n = fields[1], fields[2]
        if out is None:
            out = np.full(self.shape_of_c(m, n), 77, mm.NUMPY[self.out])
        kind = 0 if quant is None else (1 if isinstance(quant, int) else 2 + quant_in_l1)
        scalar = quant if isinstance(quant, int) else 0
        case = words + struct.pack(
            "<8iQ", *trans, int(bias is not None), kind, walk, atomic, split_k, rounds, scalar
        )
        nothing = np.zeros(8, np.float32)
        self.kernel(
            blocks or fields[0],
            gm_a,
            gm_b,
            nothing if bias is None else bias,
            # Factors for L1 are copied as uint32_t.
            nothing if kind < 2 else np.asarray(quant).view(np.uint32 if kind == 3 else np.uint64),
            out,
            tiling=case,
            tiling_key=self.form.key,
            dump=dump,
        )
        return out

    def shape_of_c(self, m: int, n: int) -> tuple[int, ...]:
        if self.formats[2] == "NZ":
            stripe = 32 if self.out == "int8_t" else 16
            return (mm.up(n, stripe) // stripe, m, stripe)
        if self.formats[2] == "ND_ALIGN":
            return (m, mm.up(n, 32 // np.dtype(mm.NUMPY[self.out]).itemsize))
        return (m, n)


@pytest.fixture(scope="session")
def machines(compile_device: Compile) -> list[Machine]:
    kernel = compile_device("matmul_plain")
    return [Machine(kernel, FORMS[key]) for key in sorted(FORMS)]


TRANSPOSES = [(0, 0), (0, 1), (1, 0), (1, 1)]


def as_stored(values: Array, machine: Machine) -> tuple[Array, Array]:
    """Returns C as the kernel stores it, and a mask of its defined elements."""
    m, n = values.shape
    values = values.astype(mm.NUMPY[machine.out])
    valid = np.ones((m, n), bool)
    shape = machine.shape_of_c(m, n)
    if machine.formats[2] == "NZ":
        stripe = shape[2]
        return mm.fractals(values, stripe)[:, :m], mm.fractals(valid, stripe)[:, :m]
    pad = ((0, 0), (0, shape[1] - n))
    return np.pad(values, pad), np.pad(valid, pad)


def same(got: Array, want: Array, machine: Machine) -> None:
    values, valid = as_stored(want, machine)
    assert np.array_equal(got[valid], values[valid])


@pytest.mark.parametrize("trans", TRANSPOSES, ids=str)
@pytest.mark.parametrize("key", range(7))
def test_types_and_transposes(
    machines: Any, rng: np.random.Generator, key: int, trans: tuple[int, int]
) -> None:
    """Products are right with tails, several base blocks, double buffers and several cores."""
    machine = machines[key]
    dtype = machine.dtype
    if dtype == "int4b_t":
        trans = (0, trans[1])  # LoadData cannot transpose int4b_t into L0A
    wide = dtype == "int4b_t"
    m, n, k = (128, 140, 200) if wide else (100, 70, 90)
    a, b = mm.draw(rng, (m, k), dtype), mm.draw(rng, (k, n), dtype)
    base = (64, 64, 64) if wide else (32, 32, max(16, mm.C0[dtype]))
    tiling = mm.Tiling(m, n, k, (64, 64, k), base, (1, 1, 2, 2), (2, 2), doubles=(2, 2, 2))
    bias = mm.draw(rng, (n,), machine.form.bias)
    want = mm.product(a, b)
    same(machine(a, b, tiling, trans=trans), want, machine)
    tiling.bias = True
    want = want + bias.astype(want.dtype)
    same(machine(a, b, tiling, trans=trans, bias=bias), want, machine)


def test_vector_times_matrix(machines: Any, rng: np.random.Generator) -> None:
    machine = machines[8]
    a, b = mm.draw(rng, (1, 600), "half"), mm.draw(rng, (600, 100), "half")
    tiling = mm.Tiling(1, 100, 600, (1, 64, 600), (16, 32, 256), (1, 1, 2, 1), (1, 2))
    for trans in (0, 1):
        same(machine(a, b, tiling, trans=(0, trans)), mm.product(a, b), machine)


def quantised(values: Array, out: str, scale: Array, offset: int) -> Array:
    """Returns the output that Fixpipe computes from accumulators."""
    scaled = values.astype(np.float32) * scale.astype(np.float32)
    if out == "half":
        return scaled.astype(np.float16)
    return np.clip(np.rint(scaled) + offset, -128, 127).astype(np.int8)


@pytest.mark.parametrize("place", ["scalar", "gm", "l1"])
@pytest.mark.parametrize("key", [7, 9, 10, 11])
def test_quantisation(machines: Any, rng: np.random.Generator, key: int, place: str) -> None:
    vector = place != "scalar"
    machine = machines[key]
    m, n, k = 80, 192, 128
    a, b = mm.draw(rng, (m, k), machine.dtype), mm.draw(rng, (k, n), machine.dtype)
    scales = rng.integers(1, 64, n) / 256 if vector else np.full(n, 3 / 128)
    offset = 5 if machine.out == "int8_t" else 0
    words = [mm.scale_word(scale, offset) for scale in scales]
    quant = np.array(words, np.uint64) if vector else words[0]
    tiling = mm.Tiling(m, n, k, (48, 128, k), (16, 64, 64), (1, 1, 2, 2), (1, 2))
    got = machine(a, b, tiling, quant=quant, quant_in_l1=place == "l1")
    same(got, quantised(mm.product(a, b), machine.out, scales, offset), machine)


def test_bfloat16_out_of_float_with_half_bias(machines: Any, rng: np.random.Generator) -> None:
    machine = machines[12]
    a, b = mm.draw(rng, (150, 40), "float"), mm.draw(rng, (40, 130), "float")
    bias = mm.draw(rng, (130,), "half")
    tiling = mm.Tiling(150, 130, 40, (150, 130, 40), (128, 128, 128), bias=True)
    want = mm.product(a, b) + bias
    same(machine(a, b, tiling, bias=bias), want.astype(np.float32), machine)


@pytest.mark.parametrize("order", [0, 1])
@pytest.mark.parametrize("steps", [(1, 1, 4, 4), (2, 3, 4, 4), (1, 1, 1, 2)], ids=str)
@pytest.mark.parametrize("key", [0, 4])
def test_walks(
    machines: Any, rng: np.random.Generator, key: int, steps: tuple[int, int, int, int], order: int
) -> None:
    """IterateAll gives the same product as Iterate with GetTensorC, which stores C in two ways."""
    machine = machines[key]
    m, n, k = 90, 100, 64
    a, b = mm.draw(rng, (m, k), "half"), mm.draw(rng, (k, n), "half")
    tiling = mm.Tiling(m, n, k, (m, n, k), (16, 32, 16), steps, (1, 2), order)
    want = mm.product(a, b)
    same(machine(a, b, tiling), want, machine)
    same(machine(a, b, tiling, walk=1), want, machine)
    blocks = [(i, j) for i in range(6) for j in range(4)]
    fast, slow = (0, 1) if order == 0 else (1, 0)

    def visit(block: tuple[int, int]) -> tuple[int, int, int, int]:
        group = block[slow] // steps[slow]
        return group, block[fast] // steps[fast], block[fast], block[slow]

    expected = np.full(24 * 16 * 32, 77, mm.NUMPY[machine.out])
    for place, (i, j) in enumerate(sorted(blocks, key=visit)):
        block = want[i * 16 : i * 16 + 16, j * 32 : j * 32 + 32]
        expected[place * 512 : place * 512 + block.size] = block.ravel()
    got = machine(a, b, tiling, walk=2, out=np.full(expected.shape, 77, expected.dtype))
    assert np.array_equal(got, expected)


@pytest.mark.parametrize("atomic", [1, 2, 3])
def test_atomic_writes(machines: Any, rng: np.random.Generator, atomic: int) -> None:
    machine = machines[0]
    a, b = mm.draw(rng, (40, 32), "half"), mm.draw(rng, (32, 48), "half")
    before = rng.integers(-200, 200, (40, 48)).astype(np.float32)
    tiling = mm.Tiling(40, 48, 32, (32, 32, 32), (16, 16, 16))
    got = machine(a, b, tiling, atomic=atomic, out=before.copy(), walk=1)
    combine: Any = {1: np.add, 2: np.maximum, 3: np.minimum}[atomic]
    assert np.array_equal(got, combine(before, mm.product(a, b)))


def test_k_over_several_cores(machines: Any, rng: np.random.Generator) -> None:
    a, b = mm.draw(rng, (33, 200), "half"), mm.draw(rng, (200, 48), "half")
    tiling = mm.Tiling(33, 48, 200, (32, 48, 64), (16, 48, 32))
    out = np.zeros((33, 48), np.float32)
    got = machines[0](a, b, tiling, atomic=1, split_k=1, out=out, blocks=8)
    assert np.array_equal(got, mm.product(a, b))


def test_partial_sums_stay_in_l0c(machines: Any, rng: np.random.Generator) -> None:
    a, b = mm.draw(rng, (3, 30, 40), "half"), mm.draw(rng, (3, 40, 50), "half")
    bias = mm.draw(rng, (50,), "float")
    tiling = mm.Tiling(30, 50, 40, (30, 50, 40), (32, 64, 16), bias=True)
    want = sum(mm.product(x, y) for x, y in zip(a, b, strict=True)) + bias
    assert np.array_equal(machines[0](a, b, tiling, rounds=3, bias=bias), want)


def test_rows_further_apart_than_an_instruction_says(
    machines: Any, rng: np.random.Generator
) -> None:
    a, b = mm.draw(rng, (20, 70000), "half"), mm.draw(rng, (70000, 16), "half")
    a[:, 100:] = 0
    tiling = mm.Tiling(20, 16, 70000, (20, 16, 70000), (32, 16, 512), (1, 1, 4, 4), (2, 2))
    assert np.array_equal(machines[0](a, b, tiling), mm.product(a, b))


sizes = st.tuples(*[st.integers(1, 150)] * 3)


@settings(max_examples=40)
@given(
    key=st.sampled_from((0, 2, 3, 4)),
    shape=sizes,
    trans=st.sampled_from(TRANSPOSES),
    single=st.tuples(st.integers(1, 4), st.integers(1, 4)),
    base=st.tuples(st.integers(1, 4), st.integers(1, 4), st.integers(1, 3)),
    steps=st.tuples(*[st.integers(1, 3)] * 4),
    buffers=st.tuples(st.integers(1, 2), st.integers(1, 2)),
    doubles=st.tuples(*[st.integers(1, 2)] * 3),
    order=st.integers(0, 1),
    seed=st.integers(0, 2**32 - 1),
)
def test_any_tiling(machines: Any, key: int, **case: Any) -> None:
    machine = machines[key]
    m, n, k = case["shape"]
    unit = max(16, mm.C0[machine.dtype])
    base = (32 * case["base"][0], 32 * case["base"][1], unit * case["base"][2])
    steps = case["steps"]
    k_steps = -(-k // base[2])
    if steps[2] < k_steps or steps[3] < k_steps:  # with a part of K in L1, MDL needs these steps
        steps = (1, 1, min(steps[2:]), min(steps[2:]))
    single = (min(m, base[0] * case["single"][0]), min(n, base[1] * case["single"][1]), k)
    rng = np.random.default_rng(case["seed"])
    a, b = mm.draw(rng, (m, k), machine.dtype), mm.draw(rng, (k, n), machine.dtype)
    tiling = mm.Tiling(
        m, n, k, single, base, steps, case["buffers"], case["order"], case["doubles"]
    )
    assume(tiling.l1_bytes(machine.dtype) <= cube_model.SIZES["L1"])
    same(machine(a, b, tiling, trans=case["trans"]), mm.product(a, b), machine)
