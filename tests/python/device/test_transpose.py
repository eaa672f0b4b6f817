# SPDX-License-Identifier: Apache-2.0
"""Compares both forms of Transpose, and TransDataTo5HD with all kinds of lists, with NumPy."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import cannery

from .conftest import Compile
from .rearrange_machine import Array, Case, RearrangeMachine, new_image, put, same

OPS = ("Transpose", "TransposeExt", "To5hd")
WIDE = ("half", "int16_t", "uint16_t", "float", "int32_t", "uint32_t")
ALL = ("int8_t", "uint8_t", *WIDE)
SRC, SCRATCH, PLACES, SIZE = 40960, 81920, 163840, 164096


@pytest.fixture(scope="module")
def unit(compile_device: Compile) -> RearrangeMachine:
    return RearrangeMachine(
        compile_device("transpose", {f"OP_{op}": i for i, op in enumerate(OPS)}), OPS
    )


def refused(unit: RearrangeMachine, image: Array, case: Case, code: str) -> None:
    with pytest.raises(cannery.KernelError) as caught:
        unit.run(image, case)
    assert caught.value.code == code, str(caught.value)


@pytest.mark.parametrize("dtype", WIDE[:3])
@pytest.mark.parametrize("op", OPS[:2])
@pytest.mark.parametrize("dst", [0, SRC])
def test_16x16(
    unit: RearrangeMachine, rng: np.random.Generator, dtype: str, op: str, dst: int
) -> None:
    case = Case(op, dtype, mode=10, dst=dst, src0=SRC, src1=SCRATCH)
    image = new_image(rng, SIZE)
    want = image.copy()
    put(want, dst, image[SRC : SRC + 512].view(np.uint16).reshape(16, 16).T)
    same(unit.run(image, case), want)


@pytest.mark.parametrize("dtype", ALL)
@pytest.mark.parametrize(
    ("n", "c", "h", "w"), [(3, 3, 2, 16), (1, 2, 4, 8), (2, 17, 8, 8), (1, 1, 8, 8), (2, 0, 8, 8)]
)
def test_images(
    unit: RearrangeMachine, rng: np.random.Generator, dtype: str, n: int, c: int, h: int, w: int
) -> None:
    size = Case("", dtype).type.itemsize
    for mode in (11, 12):
        case = Case("TransposeExt", dtype, mode=mode, src0=SRC, src1=SCRATCH)
        case = replace(case, blk=(n, c, h), rep=(w, 0, 0))
        image = new_image(rng, SIZE)
        want = image.copy()
        count = n * c * h * w
        source = image[SRC : SRC + count * size].view(f"u{size}")
        if mode == 11:
            turned = source.reshape(n, c, h, w).transpose(0, 2, 3, 1)
        else:
            turned = source.reshape(n, h, w, c).transpose(0, 3, 1, 2)
        put(want, 0, turned)
        if c > 1:
            tile = 1024 if size == 1 else 512
            spoiled = (c + 2 if mode == 11 else 2 * c + 1) * tile
            put(want, SCRATCH, np.full(spoiled // 4, 0xFFC0DEAD, np.uint32))
        same(unit.run(image, case), want)


def test_nothing_to_do(unit: RearrangeMachine, rng: np.random.Generator) -> None:
    image = new_image(rng, SIZE)
    case = Case("TransposeExt", "half", mode=0, src0=SRC, src1=SCRATCH, blk=(1, 2, 4))
    same(unit.run(image, case), image)


def test_images_refused(unit: RearrangeMachine, rng: np.random.Generator) -> None:
    image = new_image(rng, SIZE)
    case = Case("TransposeExt", "half", mode=11, src0=SRC, src1=SCRATCH, blk=(1, 2, 4))
    case = replace(case, rep=(8, 0, 0))
    refused(unit, image, replace(case, mode=7), "T421")
    refused(unit, image, replace(case, mode=10, dtype="float"), "T404")
    refused(unit, image, replace(case, rep=(7, 0, 0)), "T402")
    refused(unit, image, replace(case, blk=(1, 4096, 1), rep=(16, 0, 0)), "T402")
    refused(unit, image, replace(case, dst=SRC), "T405")
    refused(unit, image, replace(case, src1=SIZE - 32), "T107")
    refused(unit, image, Case("Transpose", "half", dst=SRC + 32, src0=SRC), "T405")
    refused(unit, image, Case("Transpose", "half", dst=16, src0=SRC), "T104")


def to_5hd(image: Array, case: Case, dst: Array, src: Array) -> Array:
    out = image.copy()
    size = case.type.itemsize
    kind, per = np.dtype(f"u{size}"), 32 // size
    for repeat in range(case.repeats):
        steps = 1 if case.repeats == 1 else repeat
        rows = [out[p + steps * case.rep[1] * 32 :][:32].view(kind).copy() for p in src]
        for i, place in enumerate(dst + steps * case.rep[0] * 32):
            if size == 4:
                row = [rows[i % 2 * per + j][i // 2] for j in range(per)]
            else:
                row = [rows[j][i + (16 if size == 1 and case.mode & 2 else 0)] for j in range(16)]
            high = 16 if size == 1 and case.mode & 1 else 0
            put(out, int(place) + high, np.array(row, kind))
    return out


def rows_image(rng: np.random.Generator, dst: Array, src: Array) -> Array:
    image = new_image(rng, SIZE)
    put(image, PLACES, np.concatenate([dst, src]).astype(np.int32))
    return image


@pytest.mark.parametrize("dtype", ALL)
@pytest.mark.parametrize("form", ["count", "mask_count"])
def test_to_5hd(unit: RearrangeMachine, rng: np.random.Generator, dtype: str, form: str) -> None:
    even = np.arange(16) * 32
    scattered = rng.permutation(256)[:16] * 64
    for repeats, dst_step, src_step in ((1, 0, 0), (1, 2, 3), (0, 1, 1), (4, 16, 1), (3, 16, 16)):
        for mode in range(4) if dtype in ("int8_t", "uint8_t") else (0,):
            for dst, src in ((even, SRC + even * 8), (even * 9, SRC + scattered)):
                case = Case(
                    "To5hd", dtype, form, mode, repeats=repeats, rep=(dst_step, src_step, 0),
                    sel=PLACES,
                )  # fmt: skip
                image = rows_image(rng, dst, src)
                same(unit.run(image, case), to_5hd(image, case, dst, src))


def test_to_5hd_lists_in_local_memory(unit: RearrangeMachine, rng: np.random.Generator) -> None:
    dst, src = np.arange(16) * 32, SRC + np.arange(16) * 32
    case = Case("To5hd", "half", "mask_bits", dst=SCRATCH, src0=SCRATCH + 256, sel=PLACES)
    case = replace(case, rep=(0, 0, 0))
    image = rows_image(rng, dst, src)
    want = to_5hd(image, case, dst, src)
    for place, rows in ((SCRATCH, dst), (SCRATCH + 256, src)):
        put(want, place, np.zeros(128, np.uint8))
        put(want, place, (rows // 32).astype(np.uint16))  # addresses become 16-bit block numbers
    same(unit.run(image, case), want)
    # After the call the list contains no addresses any more, so another call is refused (T424).
    refused(unit, image, replace(case, form="register"), "T424")


def test_to_5hd_refused(unit: RearrangeMachine, rng: np.random.Generator) -> None:
    dst, src = np.arange(16) * 32, SRC + np.arange(16) * 32
    case = Case("To5hd", "float", "mask_count", sel=PLACES, rep=(0, 0, 0))
    refused(unit, rows_image(rng, dst + 4, src), case, "T104")
    refused(unit, rows_image(rng, dst, src), replace(case, repeats=255, rep=(60, 1, 0)), "T103")
