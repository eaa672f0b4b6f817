# SPDX-License-Identifier: Apache-2.0
"""The dump must show which bytes each operand accesses. Tests library calls, and instructions that
skip bytes."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from . import test_advanced_binary, test_advanced_quant, test_fill, test_transpose
from .advanced_machine import AdvancedMachine
from .advanced_machine import Case as AdvancedCase
from .conftest import Compile
from .rearrange_machine import Case, new_image
from .rows_machine import REUSE, WITH_TMP, RowsCase, RowsMachine
from .sort_machine import Case as SortCase
from .sort_machine import Image

Touched = dict[tuple[str, bool], set[int]]


@pytest.fixture
def dump(tmp_path: Path) -> Path:
    return tmp_path / "d.jsonl"


def records(dump: Path, *opcodes: str) -> list[dict[str, Any]]:
    """Returns the records with one of these opcodes; all records if no opcode is given."""
    seen = [json.loads(line) for line in dump.read_text().splitlines()[1:]]
    return [record for record in seen if not opcodes or record["opcode"] in opcodes]


def touched(record: dict[str, Any]) -> Touched:
    """Returns the bytes of UB for each (operand, whether it is written)."""
    found: Touched = {}
    for r in record["ranges"]:
        place = int(r["place"].removeprefix("UB+"), 16)
        found.setdefault((r["operand"], r["write"]), set()).update(
            byte
            for repeat in range(r["repeats"])
            for block in range(r["count"])
            for byte in range(
                place + repeat * r["repeat_stride"] + block * r["stride"],
                place + repeat * r["repeat_stride"] + block * r["stride"] + r["bytes"],
            )
        )
    return found


def pieces(begins: Iterable[int], nbytes: int) -> set[int]:
    return {byte for begin in begins for byte in range(begin, begin + nbytes)}


def test_rows(compile_device: Compile, rng: np.random.Generator, dump: Path) -> None:
    """The bytes in the dump do not include the padding of rows."""
    unit = RowsMachine(compile_device("advanced_rows"))
    x = rng.normal(0, 1, (3, 80)).astype(np.float32)
    case = RowsCase(op=0, n=(3, 80, 70))
    image, case = unit.layout(case, [3 * 4, x], 4096, rng, {})
    unit.run(image, case, dump=dump)
    (record,) = records(dump, "Sum")
    dst, src = (place[0] for place in case.places)
    assert touched(record) == {
        ("dstTensor", True): pieces([dst], 12),
        ("srcTensor", False): pieces((src + i * 320 for i in range(3)), 280),
        ("sharedTmpBuffer", True): pieces([case.tmp[0]], 32),
    }
    assert "CTRL" in record["reads"]
    assert record["writes"] == ["MASK"]


def test_source_as_scratch(compile_device: Compile, rng: np.random.Generator, dump: Path) -> None:
    unit = RowsMachine(compile_device("advanced_rows"))
    a, b = (rng.integers(-300, 300, 64).astype(np.int16) for _ in range(2))
    case = RowsCase(op=2, form=WITH_TMP | REUSE, n=(64,))
    image, case = unit.layout(case, [2, a, b], 8192, rng, {})
    unit.run(image, case, dump=dump)
    (record,) = records(dump, "ReduceXorSum")
    src1 = pieces([case.places[2][0]], 128)
    seen = touched(record)
    assert seen["src1Tensor", False] == seen["src1Tensor", True] == src1
    assert ("src0Tensor", True) not in seen


def test_accumulation(compile_device: Compile, rng: np.random.Generator, dump: Path) -> None:
    """In the dump, Axpy also reads its destination, because it adds to the destination."""
    ops = test_advanced_binary.OPS
    unit = AdvancedMachine(
        compile_device("advanced_binary", {f"OP_{op}": i for i, op in enumerate(ops)})
    )
    x = rng.normal(0, 1, 100).astype(np.float16)
    case = AdvancedCase(ops.index("Axpy"), "half", 3, 100, scalar=(2.0,))
    image, case = unit.image(case, 200, [x], 4096, rng)
    unit.run(image, case, dump=dump)
    (record,) = records(dump, "Axpy")
    seen = touched(record)
    dst = pieces([case.dst[0]], 200)
    assert seen["dstTensor", True] == seen["dstTensor", False] == dst
    assert seen["srcTensor", False] == pieces([case.src[0][0]], 200)


def test_dequant(compile_device: Compile, rng: np.random.Generator, dump: Path) -> None:
    """In the dump, AscendDequant reads 5 of 8 int32_t in a row and writes 8 of 16 half."""
    ops = test_advanced_quant.OPS
    unit = AdvancedMachine(
        compile_device("advanced_quant", {f"OP_{op}": i for i, op in enumerate(ops)})
    )
    src = rng.integers(-100, 100, 3 * 8).astype(np.int32)
    scale, _ = test_advanced_quant.scales_of("uint64_t", 5, rng)
    case = test_advanced_quant.dequant("half", "uint64_t", 0, 3, 8, 5, mode=1)
    image, case = unit.image(case, 3 * 32, [src, scale], 65536, rng)
    unit.run(image, case, dump=dump)
    (record,) = records(dump, "AscendDequant")
    seen = touched(record)
    assert seen["dstTensor", True] == pieces((case.dst[0] + i * 32 for i in range(3)), 16)
    assert seen["srcTensor", False] == pieces((case.src[0][0] + i * 32 for i in range(3)), 20)
    assert seen["deqScale", False] == pieces([case.src[1][0]], 40)


def test_to_5hd(compile_device: Compile, rng: np.random.Generator, dump: Path) -> None:
    """In the dump, dstList and srcList have 16 rows at any addresses; int8_t uses 16 of 32 B."""
    ops = test_transpose.OPS
    kernel = compile_device("transpose", {f"OP_{op}": i for i, op in enumerate(ops)})
    dst = np.arange(16) * 96
    src = test_transpose.SRC + rng.permutation(256)[:16] * 64
    for dtype, mode, width in (("half", 0, 32), ("int8_t", 1, 16)):
        case = Case(
            "To5hd", dtype, "count", mode, repeats=3, rep=(1, 16, 0), sel=test_transpose.PLACES
        )
        image = test_transpose.rows_image(rng, dst, src)
        kernel(1, image, np.empty_like(image), tiling=case.pack(ops, image.nbytes // 4), dump=dump)
        (record,) = records(dump, "TransDataTo5HD")
        high = 16 if mode == 1 else 0
        assert touched(record) == {
            ("dstList", True): pieces((d + r * 32 + high for d in dst for r in range(3)), width),
            ("srcList", False): pieces((s + r * 512 for s in src for r in range(3)), width),
        }
        if high == 0:  # the dump has one range for rows at equal distances
            assert [r["count"] for r in record["ranges"] if r["write"]] == [16]


def test_brcb(compile_device: Compile, rng: np.random.Generator, dump: Path) -> None:
    ops = test_fill.OPS
    kernel = compile_device("fill", {f"OP_{op}": i for i, op in enumerate(ops)})
    case = Case("Brcb", "half", repeats=2, blk=(2, 1, 1), rep=(32, 8, 8), src0=8192)
    image = new_image(rng, 16384)
    kernel(1, image, np.empty_like(image), tiling=case.pack(ops, image.nbytes // 4), dump=dump)
    (record,) = records(dump, "Brcb")
    places = (repeat * 1024 + block * 64 for repeat in range(2) for block in range(8))
    assert touched(record) == {
        ("dst", True): pieces(places, 32),
        ("src0", False): pieces([8192], 32),
    }


def test_vec_index_steps(compile_device: Compile, rng: np.random.Generator, dump: Path) -> None:
    """The scalar writes to the first block and the `Adds` calls belong to one library call."""
    ops = test_fill.OPS
    kernel = compile_device("fill", {f"OP_{op}": i for i, op in enumerate(ops)})
    case = Case("CreateVecIndex", "half", count=100, scalar=np.float16(0).tobytes())
    image = new_image(rng, 16384)
    kernel(1, image, np.empty_like(image), tiling=case.pack(ops, image.nbytes // 4), dump=dump)
    steps = [r for r in records(dump) if r.get("call") == "CreateVecIndex"]
    block = ["Adds", "PipeBarrier"]
    assert [r["opcode"] for r in steps] == ["SetValue", "SetFlag", "WaitFlag", *block * 6]
    assert touched(steps[0]) == {("dst", True): pieces([0], 32)}


def test_progression_steps(compile_device: Compile, rng: np.random.Generator, dump: Path) -> None:
    """The library has a barrier after each `Adds`, and one more after each change of the mask."""
    ops = test_fill.OPS
    kernel = compile_device("fill", {f"OP_{op}": i for i, op in enumerate(ops)})
    one = np.ones(2, np.int32).tobytes()
    case = Case("ArithProgression", "int32_t", count=200, scalar=one)
    image = new_image(rng, 16384)
    kernel(1, image, np.empty_like(image), tiling=case.pack(ops, image.nbytes // 4), dump=dump)
    steps = [r for r in records(dump) if r.get("call") == "ArithProgression"]
    block = ["Adds", "PipeBarrier"]
    assert [r["opcode"] for r in steps] == [
        *("SetValue", "SetFlag", "WaitFlag", "PipeBarrier"),
        *(*block * 7, "PipeBarrier"),
        *(*block * 2, "PipeBarrier", *block),
    ]


@pytest.mark.parametrize("op", ["extract", "sort_all"])
def test_sort_steps(compile_device: Compile, rng: np.random.Generator, dump: Path, op: str) -> None:
    kernel = compile_device("sort")
    image = Image(rng)
    dst, index, src, tmp = (image.room(512) for _ in range(4))
    before = image.finished()
    case = SortCase(op, "float", dst=dst, src=src, index=index, tmp=tmp, repeats=2)
    if op == "sort_all":
        tiling = case.pack(len(before) // 4)
        kernel(1, before, np.empty_like(before), tiling=tiling, dump=dump)
        calls = [(r["opcode"], r.get("call")) for r in records(dump, "Sort", "DataCopy", "MrgSort")]
        assert [c for c in calls if c[1] == "Sort"] == [
            *(("Sort", "Sort"), ("DataCopy", "Sort"), ("MrgSort", "Sort"), ("DataCopy", "Sort"))
        ]
        return
    kernel(1, before, np.empty_like(before), tiling=case.pack(len(before) // 4), dump=dump)
    values, indices = records(dump, "Extract")
    assert (values["call"], indices["call"]) == ("Extract", "Extract")
    assert touched(values) == {
        ("dstValue", True): pieces([dst[0]], 256),
        ("sorted", False): pieces((src[0] + i * 8 for i in range(64)), 4),
    }
    assert touched(indices)["sorted", False] == pieces((src[0] + 4 + i * 8 for i in range(64)), 4)
