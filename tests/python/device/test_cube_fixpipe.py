# SPDX-License-Identifier: Apache-2.0
"""Compares Fixpipe and DataCopy from CO1 with NumPy: conversions, layouts, strides, atomic adds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from .conftest import Compile
from .cube_machine import CubeMachine, Program
from .cube_model import TYPES, ceil
from .fixpipe_model import PAIRS, Out, fixpipe, word

FEW = settings(max_examples=30, deadline=None)
QUANTISED = tuple(p for p in PAIRS if p[0] in ("int8_t", "uint8_t") or p == ("half", "int32_t"))


@pytest.fixture(scope="module")
def machine(compile_device: Compile) -> CubeMachine:
    return CubeMachine(compile_device("cube_machine"))


def filled(src: str, m: int, n: int, rng: np.random.Generator, size: int) -> Program:
    """Returns a program that computes an m x n matrix product in CO1 at address 0."""
    program = Program(np.zeros(32, np.uint8), size)
    if src == "float":
        left = rng.uniform(-3, 3, (m, 16)).astype(np.float16)
        right = rng.uniform(-3, 3, (16, n)).astype(np.float16)
        program.operands("half", left, right)
        program.mmad("half", (m, n, 16))
    else:
        left = rng.integers(-90, 91, (m, 32)).astype(np.int8)
        right = rng.integers(-90, 91, (32, n)).astype(np.int8)
        program.operands("int8_t", left, right)
        program.mmad("int8_t", (m, n, 32))
    return program


def words_for(out: Out, rng: np.random.Generator) -> Out:
    if (out.to, out.src) not in QUANTISED:
        return replace(out, vector=False)
    size = 30 if out.src == "float" else 0.002
    scales = rng.uniform(0.1 * size, size, out.n if out.vector else 1)
    offsets = rng.integers(-256, 256, len(scales)) // (1 if out.vector else 8)
    shifts = rng.integers(0, 5, len(scales)) if out.src == "int32_t" else np.zeros(len(scales))
    words = [
        word(s * 2.0 ** int(h) if h else s, out.to, int(o) if out.to != "half" else 0, int(h))
        for s, o, h in zip(scales, offsets, shifts, strict=True)
    ]
    return replace(out, words=tuple(words))


def put_words(program: Program, out: Out, at: int) -> None:
    """Adds a copy of the quantisation words of `out` into L1 at `at`."""
    if out.vector:
        data = np.array(out.words, np.uint64).view(np.uint8)
        position = len(program.data)
        program.data = np.concatenate([program.data, data, np.zeros(128, np.uint8)])
        program.model.gm = program.data
        program.copy_in(at, position, ceil(len(data), 128) * 128)


@FEW
@given(
    pair=st.sampled_from(PAIRS),
    m=st.integers(2, 70),
    n=st.integers(1, 100),
    wider=st.integers(0, 9),
    relu=st.booleans(),
    vector=st.booleans(),
    form=st.sampled_from(["newer", "older", "legacy"]),
    seed=st.integers(0, 99),
)
def test_row_major(
    machine: CubeMachine,
    pair: tuple[str, str], m: int, n: int, wider: int, relu: bool, vector: bool, form: str,
    seed: int,
) -> None:  # fmt: skip
    rng = np.random.default_rng(seed)
    out = words_for(Out(*pair, n, m, n + wider, relu=relu, vector=vector), rng)
    program = filled(pair[1], m, n, rng, m * (n + wider) * 4)
    put_words(program, out, 4096)
    program.fixpipe(out, legacy=form == "legacy", older=form == "older", vector_at=4096)
    machine.check(program)


@FEW
@given(
    pair=st.sampled_from(PAIRS),
    m=st.integers(2, 70),
    stripes=st.integers(1, 6),
    gap=st.integers(0, 3),
    relu=st.booleans(),
    vector=st.booleans(),
    to_l1=st.booleans(),
    older=st.booleans(),
    seed=st.integers(0, 99),
)
def test_fractal_order(
    machine: CubeMachine,
    pair: tuple[str, str], m: int, stripes: int, gap: int, relu: bool, vector: bool, to_l1: bool,
    older: bool, seed: int,
) -> None:  # fmt: skip
    rng = np.random.default_rng(seed)
    n = stripes * 16
    per_row = 2 if np.dtype(TYPES[pair[0]]).itemsize == 4 else 1
    out = Out(*pair, n, m, m * per_row + gap, row_major=False, relu=relu, vector=vector)
    out = words_for(out, rng)
    to_l1 = to_l1 and pair[0] != pair[1]
    program = filled(pair[1], m, n, rng, 65536)
    put_words(program, out, 4096)
    place = 65536 if to_l1 else 0
    program.fixpipe(out, dst=place, to_l1=to_l1, vector_at=4096, older=older)
    if to_l1:
        known = np.flatnonzero(program.model.mem["L1"].known[65536:])
        size = ceil(int(known.max()) + 1, 32) * 32
        got = machine_bytes(machine, program, size)
        want = program.model.mem["L1"].data[65536 : 65536 + size]
        assert (got[known] == want[known]).all()
    else:
        machine.check(program)


def machine_bytes(machine: CubeMachine, program: Program, size: int) -> np.ndarray:
    program.copy_out(0, 65536, size)
    return machine.run(program)[:size]


@pytest.mark.parametrize("n", [8, 24, 32])
def test_channel_split(machine: CubeMachine, rng: np.random.Generator, n: int) -> None:
    program = filled("float", 20, n, rng, 8192)
    program.fixpipe(Out("float", "float", n, 20, 21, row_major=False, split=True))
    machine.check(program)


@pytest.mark.parametrize("legacy", [False, True])
def test_several_matrices(machine: CubeMachine, rng: np.random.Generator, legacy: bool) -> None:
    program = filled("float", 48, 96, rng, 3 * 2000 * 4)
    # Copies three matrices of 32 columns. Each has 2 stripes of 3 fractals, so src_nd is 6.
    out = Out("half", "float", 32, 40, 40, src_stride=48, nd=3, src_nd=6, dst_nd=1700)
    program.fixpipe(out, legacy=legacy)
    machine.check(program)


@pytest.mark.parametrize("n", [272, 400])
def test_words_beyond_the_buffer(machine: CubeMachine, rng: np.random.Generator, n: int) -> None:
    """Fixpipe loads the quantisation words of more than 256 columns in parts."""
    out = words_for(Out("half", "int32_t", n, 20, n, vector=True), rng)
    program = filled("int32_t", 20, n, rng, 20 * n * 2)
    put_words(program, out, 4096)
    program.fixpipe(out, vector_at=4096)
    machine.check(program)


@pytest.mark.filterwarnings("ignore:overflow encountered in cast")
@pytest.mark.parametrize("keep", [True, False])
@pytest.mark.parametrize("pair", [("half", "float"), ("bfloat16_t", "float"), ("half", "int32_t")])
def test_overflow(
    machine: CubeMachine, rng: np.random.Generator, pair: tuple[str, str], keep: bool
) -> None:
    """CTRL[48] decides whether too large results become infinite or the largest number."""
    program = Program(np.zeros(32, np.uint8), 16 * 16 * 2)
    program.modes(keep_inf=keep)
    out = Out(*pair, 16, 16, 16)
    if pair[1] == "float":
        left = np.zeros((16, 16), np.float32)
        left[:, 0] = np.linspace(-3, 3, 16) * (1e5 if pair[0] == "half" else 1.2e38)
        program.operands("float", left, np.ones((16, 16), np.float32))
        program.mmad("float", (16, 16, 16))
    else:
        left = np.repeat(np.arange(-127, 128, 17, dtype=np.int8)[:, None], 32, 1)
        program.operands("int8_t", left, np.full((32, 16), 127, np.int8))
        program.mmad("int8_t", (16, 16, 32))
        out = replace(out, words=(word(1.0, "half"),))
    program.fixpipe(out)
    got = machine.check(program).view(TYPES[pair[0]]).astype(np.float32)
    assert np.isinf(got).any() == keep


def test_scale_is_cut_to_ten_bits(machine: CubeMachine, rng: np.random.Generator) -> None:
    raw = int(np.float32(1.0).view(np.uint32)) | 0x1FFF  # low bits that Fixpipe ignores
    out = Out("half", "int32_t", 16, 16, 16, words=(raw,))
    program = filled("int32_t", 16, 16, rng, 512)
    program.fixpipe(out)
    machine.check(program)
    exact = replace(out, words=(int(np.float32(1.0).view(np.uint32)),))
    again = filled("int32_t", 16, 16, np.random.default_rng(5), 512)
    fixpipe(again.model, out, "GM", 0, 0)
    first = again.model.out.data.copy()
    fixpipe(again.model, exact, "GM", 0, 0)
    assert (first == again.model.out.data).all()


@pytest.mark.parametrize(("mode", "to"), [(1, "float"), (2, "half")])
def test_atomic_add(machine: CubeMachine, rng: np.random.Generator, mode: int, to: str) -> None:
    program = filled("float", 20, 24, rng, 20 * 24 * 4)
    out = Out(to, "float", 24, 20, 24)
    program.fixpipe(out)
    program.line(30, 0, 0, 0, 1, 0, mode)
    program.fixpipe(out)
    program.line(30, 0, 0, 0, 1, 0, 0)
    program.model.out = type(program.model.out)(20 * 24 * 4)
    fixpipe(program.model, out, "GM", 0, 0)
    fixpipe(program.model, out, "GM", 0, 0, atomic=True)
    machine.check(program)


def test_unit_flags(machine: CubeMachine, rng: np.random.Generator) -> None:
    program = Program(np.zeros(32, np.uint8), 2 * 32 * 48 * 4)
    left = rng.integers(-4, 5, (32, 16)).astype(np.float16)
    program.operands("half", left, rng.integers(-4, 5, (16, 48)).astype(np.float16))
    for turn in range(2):
        program.mmad("half", (32, 48, 16), unit_flag=2)
        program.mmad("half", (32, 48, 16), start="kept", unit_flag=3)
        out = Out("float", "float", 48, 32, 48, unit_flag=3)
        program.fixpipe(out, dst=turn * 32 * 48 * 4)
    machine.check(program)
