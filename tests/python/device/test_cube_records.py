# SPDX-License-Identifier: Apache-2.0
"""The dump must name exactly the bytes that cube instructions and padded copies access."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cannery

from .conftest import Compile
from .cube_machine import CubeMachine, Program
from .cube_model import Array, ceil
from .fixpipe_model import Out
from .test_cube_fixpipe import filled, put_words, words_for
from .test_cube_loads import image_params, numbers
from .test_data_copy import IMAGE, Copy

Record = dict[str, Any]


@pytest.fixture(scope="module")
def machine(compile_device: Compile) -> CubeMachine:
    return CubeMachine(compile_device("cube_machine"))


def read_dump(dump: Path) -> list[Record]:
    return [json.loads(line) for line in dump.read_text().splitlines()[1:]]


def records(machine: CubeMachine, program: Program, folder: Path) -> list[Record]:
    dump = folder / "stream.jsonl"
    machine.run(program, dump=dump)
    return read_dump(dump)


def only(seen: list[Record], opcode: str) -> Record:
    (record,) = [r for r in seen if r["opcode"] == opcode]
    return record


def touched(record: Record, operand: str, write: bool, filler: bool = False) -> set[int]:
    """Returns the address of every byte that the operand accesses, from a record of the dump."""
    found = set()
    for r in record["ranges"]:
        if (r["operand"], r["write"], r["filler"]) != (operand, write, filler):
            continue
        begin = int(r["place"].rpartition("+")[2], 16)
        for repeat in range(r["repeats"]):
            for block in range(r["count"]):
                at = begin + repeat * r["repeat_stride"] + block * r["stride"]
                found.update(range(at, at + r["bytes"]))
    return found


def written(program: Program, memory: str) -> set[int]:
    """Returns the addresses of the bytes of `memory` that the model has written."""
    return set(np.flatnonzero(program.model.mem[memory].known).tolist())


@pytest.mark.parametrize("step", [1, 2])
@pytest.mark.parametrize("nd", [1, 3])
def test_nd2nz(machine: CubeMachine, tmp_path: Path, nd: int, step: int) -> None:
    n, d, pitch, rows = 5, 40, 50, 5 * step + 3
    matrix = 3 * rows * 16
    program = Program(np.zeros(nd * (n * pitch + 3) * 2, np.uint8), 64)
    program.nd2nz("half", 64, 0, nd, n, d, n * pitch + 3, pitch, rows, step, matrix)
    record = only(records(machine, program, tmp_path), "DataCopyNd2Nz")
    assert touched(record, "dst", True) == written(program, "L1")
    assert touched(record, "src", False) == {
        (i * (n * pitch + 3) + row * pitch) * 2 + byte
        for i in range(nd)
        for row in range(n)
        for byte in range(d * 2)
    }
    assert (record["repeats"], record["elements"]) == (nd, nd * n * d)


def test_squares(machine: CubeMachine, tmp_path: Path) -> None:
    """In the dump, a square has two fractals; fractals of other squares are between these two."""
    program = Program(numbers("int8_t", 12 * 512, 3), 64)
    program.copy_in(0, 0, 12 * 512)
    program.load_transposed("int8_t", "B2", 0, 0, 1, 3, 2, 0, 2, 0)
    record = only(records(machine, program, tmp_path), "LoadDataWithTranspose")
    assert touched(record, "dst", True) == written(program, "B2")
    assert touched(record, "src", False) == {
        square * 1024 + byte for square in (1, 3, 5) for byte in range(1024)
    }


@pytest.mark.parametrize("turn", [0, 1])
@pytest.mark.parametrize("dtype", ["half", "float"])
def test_image_reads_the_rows_it_needs(
    machine: CubeMachine, tmp_path: Path, dtype: str, turn: int
) -> None:
    """With a filter of 3 x 2 and stride 2, LoadData reads only the positions it needs."""
    h, w, per = 9, 8, {"half": 16, "float": 8}[dtype]
    program = Program(numbers(dtype, 2 * h * w * per, 2), 64)
    program.copy_in(512, 0, 2 * h * w * 32)
    params = image_params(
        dtype, left=1, top=1, h=h, w=w, channels=2 * per, k_ext=4 * per, m_ext=16, k_start=per,
        sw=2, sh=2, fw=3, fh=2, turn=turn,
    )  # fmt: skip
    program.load3d(dtype, "A2", 0, 512, *params)
    record = only(
        records(machine, program, tmp_path), "LoadData3DTranspose" if turn else "LoadData3D"
    )
    across = (w + 1 - 3) // 2 + 1
    places = set()
    for row in range(16):
        for block in range(1, 5):
            x = row % across * 2 + block % 6 % 3 - 1
            y = row // across * 2 + block % 6 // 3 - 1
            if 0 <= x < w and 0 <= y < h:
                places.add((block // 6 * h + y) * w + x)
    assert touched(record, "src", False) == {
        512 + place * 32 + byte for place in places for byte in range(32)
    }
    assert touched(record, "dst", True) == written(program, "A2")
    assert {"FMATRIX", "L3D_RPT", "PADDING"} <= set(record["reads"])


def test_image_with_missing_rows_and_a_boundary(machine: CubeMachine, tmp_path: Path) -> None:
    program = Program(numbers("half", 2048, 8), 64)
    program.copy_in(0, 0, 4096)
    # Reads two stripes of 24 rows from byte 512. The address wraps from 1536 to 0.
    program.line(5, 0, 0, 0, 512, *image_params("half", w=24, m_ext=32), 1536)
    record = only(records(machine, program, tmp_path), "LoadData3D")
    assert touched(record, "src", False) == {*range(512, 1536), *range(512)}
    assert touched(record, "dst", True) == {
        (f * 2 + block) * 512 + byte
        for f, rows in ((0, 16), (1, 8))
        for block in range(2)
        for byte in range(rows * 32)
    }


@pytest.mark.parametrize("nd", [1, 5])
def test_fixpipe(machine: CubeMachine, rng: np.random.Generator, tmp_path: Path, nd: int) -> None:
    """The dump has a range for every matrix, not one range over all of them."""
    program = filled("float", 48, 160, rng, 5 * 2000 * 4)
    program.fixpipe(Out("half", "float", 32, 40, 50, src_stride=48, nd=nd, src_nd=6, dst_nd=2100))
    record = only(records(machine, program, tmp_path), "Fixpipe")
    assert touched(record, "dst", True) == {
        (i * 2100 + row * 50) * 2 + byte
        for i in range(nd)
        for row in range(40)
        for byte in range(64)
    }
    assert touched(record, "src", False) == {
        i * 6 * 1024 + stripe * 48 * 64 + byte
        for i in range(nd)
        for stripe in range(2)
        for byte in range(40 * 64)
    }
    assert {"FIXPIPE", "CTRL"} <= set(record["reads"])


def test_fixpipe_narrow_stripe(
    machine: CubeMachine, rng: np.random.Generator, tmp_path: Path
) -> None:
    """The dump has a copy of quantisation words to FB, then a Fixpipe with a narrow last stripe."""
    out = words_for(Out("int8_t", "int32_t", 48, 20, 24, row_major=False, vector=True), rng)
    program = filled("int32_t", 20, 48, rng, 8192)
    put_words(program, out, 4096)
    program.fixpipe(out, vector_at=4096)
    seen = records(machine, program, tmp_path)
    words, record = only(seen, "DataCopyToFb"), only(seen, "Fixpipe")
    assert touched(words, "vector", False) == set(range(4096, 4096 + 48 * 8))
    assert touched(words, "dst", True) == set(range(48 * 8))
    assert touched(record, "quantisation words", False) == set(range(48 * 8))
    assert touched(record, "dst", True) == {*range(20 * 32), *range(768, 768 + 20 * 16)}
    assert words["call"] == record["call"] == "Fixpipe"
    assert words["call_seq"] == record["call_seq"] == words["seq"]


@pytest.mark.parametrize("start", ["zero", "kept", "table", "other"])
def test_mmad(machine: CubeMachine, rng: np.random.Generator, tmp_path: Path, start: str) -> None:
    """In the dump, Mmad reads C if it adds to C, and reads the bias from BT or L0C."""
    m, n, k = 20, 40, 48
    program = Program(np.zeros(1024, np.uint8), 64)
    left, right = (rng.integers(-3, 4, size).astype(np.float16) for size in ((m, k), (k, n)))
    program.operands("half", left, right)
    program.copy_in(0, 0, 512)
    program.to_table(0, 0, 0, 256)
    program.mmad("half", (m, n, k))
    program.mmad("half", (m, n, k), start=start, c=65536 if start == "other" else 0, bias=0)
    products = [r for r in records(machine, program, tmp_path) if r["opcode"] == "Mmad"]
    assert len(products) == 2
    cells = set(range(2 * 3 * 1024))
    at = 65536 if start == "other" else 0
    assert touched(products[1], "c", True) == {at + byte for byte in cells}
    assert touched(products[1], "c", False) == (cells if start == "kept" else set())
    bias = {"table": set(range(n * 4)), "other": cells}.get(start, set())
    assert touched(products[1], "bias", False) == bias
    assert touched(products[1], "a", False) == set(range(2 * 3 * 512))
    assert touched(products[1], "b", False) == set(range(3 * 3 * 512))


COPIES = (
    Copy("in_pad", 4, blocks=3, length=20, src_stride=7 * 4, dst_stride=1, ub=64),
    Copy("in_pad", 2, blocks=2, length=70, dst_stride=0, is_pad=True, left=3, right=2, ub=32),
    Copy("in_pad", 1, blocks=1, length=31, is_pad=True, left=1, right=0),
)


@pytest.mark.parametrize("copy", COPIES)
def test_padded_copy_tells_data_from_filler(
    compile_device: Compile, rng: np.random.Generator, tmp_path: Path, copy: Copy
) -> None:
    dump = tmp_path / "stream.jsonl"
    image = rng.integers(0, 256, IMAGE, dtype=np.uint8)
    gm: Array = rng.integers(0, 256, 8192 + 64, dtype=np.uint8)
    compile_device("copies")(1, image, image.copy(), gm, tiling=copy.pack(), dump=dump)
    record = only(read_dump(dump), "DataCopyPad")
    asked = copy.length + (copy.left + copy.right) * copy.size
    whole = ceil(asked, 32) * 32
    blocks = [copy.ub + i * (whole + copy.dst_stride * 32) for i in range(copy.blocks)]
    data = {at + byte for at in blocks for byte in range(asked)}
    filler = {at + byte for at in blocks for byte in range(asked, whole)}
    first = min(touched(record, "dst", True)) - copy.ub  # address of the buffer in UB
    assert touched(record, "dst", True) == {first + byte for byte in data}
    assert touched(record, "dst", True, filler=True) == {first + byte for byte in filler}


FILL = """
#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void fill(GM_ADDR) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    InitConstValue(LocalTensor<half>(TPosition::A1, 0, 256),
                   InitConstValueParams<half>(1, 2, 0, half(1.0f)));
    InitConstValue(LocalTensor<half>(TPosition::A2, 0, 256),
                   InitConstValueParams<half>(1, 1, 0, half(1.0f)));
}
"""


def test_fills_have_a_name(tmp_path: Path) -> None:
    dump = tmp_path / "stream.jsonl"
    cannery.compile_kernel(FILL, "fill")(1, np.zeros(8, np.int32), dump=dump)
    seen = [(record["opcode"], record["pipe"]) for record in read_dump(dump)]
    assert seen == [("InitConstValue", "MTE2"), ("InitConstValue", "MTE1")]
