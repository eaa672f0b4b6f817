# SPDX-License-Identifier: Apache-2.0
"""Compares ND2NZ, two- and three-dimensional LoadData, transposes and fills with NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from .conftest import Compile
from .cube_machine import CubeMachine, Program
from .cube_model import SIZES, TYPES, Array, bits, c0, ceil, to_bytes, zn
from .fixpipe_model import Out

FEW = settings(max_examples=25, deadline=None)
DTYPES = ("half", "bfloat16_t", "float", "int8_t", "int4b_t")


@pytest.fixture(scope="module")
def machine(compile_device: Compile) -> CubeMachine:
    return CubeMachine(compile_device("cube_machine"))


def numbers(dtype: str, count: int, seed: int) -> Array:
    """Returns bytes of small integers in `dtype`, whose products and sums are exact."""
    rng = np.random.default_rng(seed)
    return to_bytes(rng.integers(-7, 8, count).astype(np.int8), dtype)


def result_type(dtype: str) -> str:
    return "int32_t" if dtype in ("int8_t", "int4b_t") else "float"


def identity(dtype: str, size: int) -> Array:
    kind = np.int8 if dtype == "int4b_t" else TYPES[dtype]
    return np.eye(size).astype(kind)


def show_a(program: Program, dtype: str, m: int, k: int, align: bool = False) -> None:
    """Multiplies the matrix in A2 by the identity and copies the product to GM."""
    width = ceil(k, 16) * 16
    unit = identity(dtype, width)[:k]
    image = np.zeros(ceil(k, c0(dtype)) * (width // 16) * 16 * c0(dtype), unit.dtype)
    image[zn(k, width, c0(dtype))] = unit
    program.raw("B2", 0, to_bytes(image, dtype), l1=262144)
    program.mmad(dtype, (m, width, k), align=align)
    kind = result_type(dtype)
    program.fixpipe(Out(kind, kind, k, m, k))


def show_b(program: Program, dtype: str, k: int, n: int) -> None:
    """Multiplies the identity by the matrix in B2 and copies the product to GM."""
    rows = ceil(k, 16) * 16
    unit = identity(dtype, rows)[:, :k]
    per = c0(dtype)
    image = np.zeros(rows // 16 * ceil(k, per) * 16 * per, unit.dtype)
    i, j = np.ogrid[:rows, :k]
    place = ((i // 16) * ceil(k, per) + j // per) * 16 * per + (i % 16) * per + j % per
    image[place] = unit
    program.raw("A2", 0, to_bytes(image, dtype), l1=262144)
    program.mmad(dtype, (rows, n, k))
    kind = result_type(dtype)
    program.fixpipe(Out(kind, kind, n, k, n, src_stride=rows))


@FEW
@given(
    dtype=st.sampled_from(DTYPES),
    nd=st.integers(1, 3),
    n=st.integers(1, 40),
    d=st.integers(1, 150),
    wider=st.integers(0, 9),
    taller=st.integers(0, 5),
    step=st.integers(1, 2),
    seed=st.integers(0, 99),
)
def test_nd2nz(
    machine: CubeMachine,
    dtype: str, nd: int, n: int, d: int, wider: int, taller: int, step: int, seed: int,
) -> None:  # fmt: skip
    size = 1 if dtype == "int4b_t" else bits(dtype) // 8
    stripes = ceil(d * size, 32)
    rows = n * step + taller
    matrix = stripes * rows * 32 // size
    source = np.random.default_rng(seed).integers(
        0, 256, ((nd - 1) * (n * (d + wider) + 3) + n * (d + wider)) * size, dtype=np.uint8
    )
    program = Program(source, nd * matrix * size)
    params = (nd, n, d, n * (d + wider) + 3, d + wider, rows, step, matrix)
    program.nd2nz(dtype, 64, 0, *params)
    for start, end in known_runs(program.model.mem["L1"].known):
        program.copy_out(start - 64, start, end - start)
    machine.check(program)


def known_runs(known: Array) -> list[tuple[int, int]]:
    edges = np.flatnonzero(np.diff(np.concatenate([[0], known.astype(np.int8), [0]])))
    return [(int(a), int(b)) for a, b in edges.reshape(-1, 2)]


@pytest.mark.parametrize("target", ["A2", "B2", "L1"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_fractals(machine: CubeMachine, dtype: str, target: str) -> None:
    """LoadData from L1 and from GM obeys startIndex, strides and gaps, in both directions."""
    per = c0(dtype)
    image = numbers(dtype, 24 * 16 * per, 3)
    for from_gm in (False, True):
        if (target == "L1" and not from_gm) or (dtype == "int4b_t" and from_gm):
            continue
        program = Program(image, 65536)
        program.copy_in(65536, 0, image.size)
        origin = 0 if from_gm else 65536
        # The first call leaves a gap of one fractal after each of its four fractals. The second
        # call fills the gaps.
        program.load2d(dtype, target, 0, origin, 2, 4, 3, 1, 0, 0, from_gm=from_gm)
        down = int(target == "L1")
        start = 9 if down else 1
        program.load2d(dtype, target, 512, origin, start, 4, 2, 1, 0, down, from_gm=from_gm)
        if target == "A2":
            show_a(program, dtype, 32, 4 * per)
        elif target == "B2":
            show_b(program, dtype, 2 * per, 64)
        else:
            program.copy_out(0, 0, 4096)
        assert machine.check(program).any()


@pytest.mark.parametrize("target", ["A2", "B2"])
@pytest.mark.parametrize("dtype", ["half", "bfloat16_t"])
def test_fractals_turned(machine: CubeMachine, dtype: str, target: str) -> None:
    program = Program(numbers(dtype, 12 * 256, 5), 65536)
    program.copy_in(1024, 0, 12 * 512)
    program.load2d(dtype, target, 0, 1024, 1, 4, 2, 0, 1, 0)
    (show_a if target == "A2" else show_b)(program, dtype, 32, 32)
    machine.check(program)


@pytest.mark.parametrize("target", ["A2", "B2"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_squares_turned(machine: CubeMachine, dtype: str, target: str) -> None:
    if dtype == "int4b_t" and target == "A2":
        return  # this load is refused; test_cube_errors.py tests the error
    fractals = {4: 4, 8: 2, 16: 1, 32: 2}[bits(dtype)]
    per = c0(dtype)
    image = numbers(dtype, 8 * fractals * 16 * per, 7)
    for down in (0, 1):
        program = Program(image, 65536)
        program.copy_in(0, 0, image.size)
        # Stores squares of `fractals` fractals one after another.
        program.load_transposed(
            dtype, target, 0, 0, 6 if down else 1, 4, 1 + (1 - down), fractals - 1, 0, down
        )
        if target == "A2":
            show_a(program, dtype, 64 * fractals, per)
        else:
            show_b(program, dtype, per, 64 * fractals)
        machine.check(program)
    if fractals > 1:  # stores the first fractals of all squares, then the second fractals
        program = Program(image, 65536)
        program.copy_in(0, 0, image.size)
        program.load_transposed(dtype, target, 0, 0, 0, 4, 1, 0, 3, 0)
        if target == "A2":
            show_a(program, dtype, 64 * fractals, per)
        else:
            show_b(program, dtype, per, 64 * fractals)
        machine.check(program)


def image_params(dtype: str, **given: int) -> tuple[int, ...]:
    names = {
        "left": 0, "right": 0, "top": 0, "bottom": 0, "h": 1, "w": 32, "channels": 2 * c0(dtype),
        "k_ext": 2 * c0(dtype), "m_ext": 32, "k_start": 0, "m_start": 0, "sw": 1, "sh": 1,
        "fw": 1, "fh": 1, "dw": 1, "dh": 1, "turn": 0, "pad": 0,
    }  # fmt: skip
    return tuple((names | given).values())


@pytest.mark.parametrize("dtype", DTYPES)
def test_plain_image(machine: CubeMachine, dtype: str) -> None:
    """LoadData with a 1 x 1 filter copies stripes of the image into rows of fractals."""
    per = c0(dtype)
    program = Program(numbers(dtype, 3 * 40 * per, 1), 65536)
    program.copy_in(0, 0, 3 * 40 * 32)
    params = image_params(dtype, w=40, channels=3 * per, m_start=8, k_start=per)
    program.load3d(dtype, "A2", 0, 0, *params)
    show_a(program, dtype, 32, 2 * per)
    machine.check(program)


def test_boundary(machine: CubeMachine) -> None:
    """Loads two stripes of 32 rows from byte 512. The address wraps at byte 2048, after the first
    16 rows of the second stripe."""
    image = numbers("half", 2048, 8)
    program = Program(image, 65536)
    program.copy_in(0, 0, 4096)
    params = image_params("half", m_ext=32)
    program.line(5, 0, 0, 0, 512, *params, 2048)
    wrapped = np.concatenate([program.data[512:2048], program.data[:512]])
    program.model.mem["L1"].put(65536, wrapped)
    program.model.load3d("half", "A2", 0, 65536, params)
    show_a(program, "half", 32, 32)
    machine.check(program)


@FEW
@given(
    dtype=st.sampled_from(("half", "float", "int8_t")),
    size=st.tuples(st.integers(5, 9), st.integers(5, 9)),
    pads=st.tuples(*[st.integers(0, 2)] * 4),
    filters=st.tuples(st.integers(1, 3), st.integers(1, 3)),
    strides=st.tuples(st.integers(1, 2), st.integers(1, 2)),
    dilations=st.tuples(st.integers(1, 2), st.integers(1, 2)),
    first=st.integers(0, 2),
    packed=st.booleans(),
)
def test_convolution(
    machine: CubeMachine,
    dtype: str,
    size: tuple[int, int],
    pads: tuple[int, ...],
    filters: tuple[int, int],
    strides: tuple[int, int],
    dilations: tuple[int, int],
    first: int,
    packed: bool,
) -> None:
    (h, w), (fw, fh), per = size, filters, c0(dtype)
    out_h = (h + pads[2] + pads[3] - (fh - 1) * dilations[1] - 1) // strides[1] + 1
    out_w = (w + pads[0] + pads[1] - (fw - 1) * dilations[0] - 1) // strides[0] + 1
    blocks = 2 * fw * fh
    start = min(first, blocks - 1)
    columns = min(blocks - start, 4)
    rows = min(out_h * out_w, 48)
    program = Program(numbers(dtype, 2 * h * w * per, 2), 65536)
    program.copy_in(0, 0, 2 * h * w * 32)
    pad = {"half": 0x4040, "float": 0x40000000, "int8_t": 2}[dtype]  # the bits of 2.125 or 2
    params = (
        *pads, h, w, 2 * per, columns * per, ceil(rows, 16) * 16, start * per, 0,
        *strides, fw, fh, *dilations, 0, pad,
    )  # fmt: skip
    program.load3d(dtype, "A2", 0, 0, *params, packed=packed and dtype == "half")
    if rows > 1:  # a single row would be read as a vector
        show_a(program, dtype, rows, columns * per)
    machine.check(program)


@pytest.mark.parametrize("columns", [1, 2, 3])
@pytest.mark.parametrize("dtype", ["half", "bfloat16_t", "float"])
def test_turned_image(machine: CubeMachine, dtype: str, columns: int) -> None:
    per = c0(dtype)
    params = image_params(
        dtype, channels=columns * per, k_ext=columns * per, m_ext=32, turn=1, pad=0
    )
    for target in ("A2", "B2"):
        program = Program(numbers(dtype, columns * 32 * per, 4), 65536)
        program.copy_in(0, 0, columns * 32 * 32)
        program.load3d(dtype, target, 0, 0, *params)
        if target == "A2":
            show_a(program, dtype, columns * per, 32, align=dtype == "float")
        else:
            show_b(program, dtype, 32, columns * per)
        machine.check(program)


@pytest.mark.parametrize("target", ["L1", "A2"])
@pytest.mark.parametrize("dtype", ["half", "float"])
def test_fill(machine: CubeMachine, dtype: str, target: str) -> None:
    program = Program(np.zeros(32, np.uint8), 65536)
    raw = {"half": 0x4200, "float": 0x40400000}[dtype]  # the bits of 3
    program.fill(dtype, target, 0, 3, 2, 1, raw)
    program.fill(dtype, target, 64 if target == "L1" else 1024, 2, 1, 2, 0)
    if target == "L1":
        program.copy_out(0, 0, 8 * 32)
    else:
        show_a(program, dtype, 32, 4 * c0(dtype))
    machine.check(program)


def test_sizes_are_the_chips() -> None:
    assert SIZES["A2"] == SIZES["B2"] == SIZES["CO1"] // 2
