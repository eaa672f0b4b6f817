# SPDX-License-Identifier: Apache-2.0
"""Compares Gather, Gatherb and GatherMask with NumPy; a call of Scatter must not compile."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cannery

from .conftest import Compile
from .rearrange_machine import Array, Case, RearrangeMachine, new_image, put, same
from .vector_model import read, write
from .vector_shapes import HIGH_BITS, LOW_BITS

OPS = ("Gather", "GatherMask", "Gatherb")
DTYPES = ("half", "bfloat16_t", "int16_t", "uint16_t", "float", "int32_t", "uint32_t")
DST, SRC, EXTRA, KEPT, SIZE = 0, 81920, 114688, 181248, 182272


@pytest.fixture(scope="module")
def unit(compile_device: Compile) -> RearrangeMachine:
    return RearrangeMachine(
        compile_device("gather", {f"OP_{op}": i for i, op in enumerate(OPS)}), OPS
    )


def refused(unit: RearrangeMachine, image: Array, case: Case, code: str) -> str:
    with pytest.raises(cannery.KernelError) as caught:
        unit.run(image, case)
    assert caught.value.code == code, str(caught.value)
    return str(caught.value)


# --- Gather


def gather(image: Array, case: Case) -> Array:
    out = image.copy()
    base = int.from_bytes(case.scalar, "little")
    offsets = image[case.src1 : KEPT].view(np.uint32).astype(np.int64)
    for repeat, elements in case.active():
        if elements.size:
            found = case.src0 + base + offsets[repeat * case.lanes + elements]
            places = case.places(0, repeat, elements)
            write(out, places, read(image, found, case.type))
    return out


def gather_image(case: Case, rng: np.random.Generator) -> Array:
    image = new_image(rng, SIZE)
    size = case.type.itemsize
    put(image, EXTRA, (rng.integers(0, 16000 // size, 16384) * size).astype(np.uint32))
    return image


@pytest.mark.parametrize("dtype", DTYPES)
def test_gather(unit: RearrangeMachine, rng: np.random.Generator, dtype: str) -> None:
    lanes = 256 // Case("", dtype).type.itemsize
    high = HIGH_BITS if lanes == 128 else 0
    forms: list[dict[str, Any]] = [
        *({"count": n} for n in (0, 1, 63, 64, 65, 128, 1000, 16000)),
        {"form": "mask_count", "low": lanes, "repeats": 5},
        {"form": "mask_count", "low": 17, "repeats": 9, "rep": (3, 8, 8)},
        {"form": "mask_count", "low": 0, "repeats": 9},
        {"form": "mask_count", "low": lanes, "repeats": 0},
        {"form": "mask_bits", "low": LOW_BITS, "high": high, "repeats": 3, "rep": (300, 8, 8)},
    ]
    for form in forms:
        for base in (0, 256):
            case = Case("Gather", dtype, src0=SRC, src1=EXTRA, scalar=bytes([0, base // 256]))
            case = replace(case, **form)
            image = gather_image(case, rng)
            same(unit.run(image, case), gather(image, case))


def test_gather_ignores_offsets_outside_the_mask(
    unit: RearrangeMachine, rng: np.random.Generator
) -> None:
    case = Case("Gather", "float", "mask_count", low=10, src0=SRC, src1=EXTRA)
    image = gather_image(case, rng)
    put(image, EXTRA + 40, np.full(54, 0xFFFF_FFF1, np.uint32))
    same(unit.run(image, case), gather(image, case))


def test_gather_onto_its_offsets(unit: RearrangeMachine, rng: np.random.Generator) -> None:
    case = Case("Gather", "int32_t", count=640, src0=SRC, src1=EXTRA, dst=EXTRA)
    image = gather_image(case, rng)
    same(unit.run(image, case), gather(image, case))


def test_gather_refused(unit: RearrangeMachine, rng: np.random.Generator) -> None:
    case = Case("Gather", "half", count=128, src0=SRC, src1=EXTRA)
    good = gather_image(case, rng)

    def with_offset(value: int) -> Array:
        image = good.copy()
        put(image, EXTRA + 4 * 77, np.array([value], np.uint32))
        return image

    message = refused(unit, with_offset(2**20), case, "T424")
    assert "offset[77] = 1048576" in message
    assert "offset[77] = 3" in refused(unit, with_offset(3), case, "T104")
    refused(unit, with_offset(SIZE - SRC), case, "T107")
    refused(unit, good, replace(case, scalar=b"\1"), "T104")
    refused(unit, good, replace(case, count=128 * 256), "T402")
    refused(unit, good, replace(case, dst=2), "T104")
    refused(unit, good, replace(case, form="mask_count", low=129), "T403")
    refused(unit, good, replace(case, counter=True), "T403")


def test_gather_loses_repeats_in_hardware_mode(
    unit: RearrangeMachine, rng: np.random.Generator
) -> None:
    case = Case("Gather", "float", count=256 * 64 + 5, src0=SRC + 12, src1=EXTRA)
    case = replace(case, src0=SRC)
    image = gather_image(case, rng)
    put(image, EXTRA + 4 * 16384, np.arange(5, dtype=np.uint32) * 4)
    want = image.copy()
    want[DST + 65536 : DST + 65536 + 20] = image[SRC : SRC + 20]
    with cannery.use(mode="hardware"):
        same(unit.run(image, case), want)


# --- Gatherb


@pytest.mark.parametrize("dtype", ["uint16_t", "uint32_t"])
@pytest.mark.parametrize(
    ("repeats", "blk", "rep"), [(1, 1, 8), (5, 1, 8), (3, 2, 16), (4, 0, 8), (0, 1, 8), (7, 1, 300)]
)
def test_gatherb(
    unit: RearrangeMachine, rng: np.random.Generator, dtype: str, repeats: int, blk: int, rep: int
) -> None:
    case = Case(
        "Gatherb", dtype, repeats=repeats, blk=(blk, 1, 1), rep=(rep, 8, 8), src0=SRC, src1=EXTRA
    )
    image = new_image(rng, SIZE)
    offsets = rng.integers(0, 1000, 2048) * 32
    put(image, EXTRA, offsets.astype(np.uint32))
    want = image.copy()
    for i in range(repeats * 8):
        to = (i // 8 * rep + i % 8 * max(blk, 1)) * 32
        want[to : to + 32] = image[SRC + offsets[i] : SRC + offsets[i] + 32]
    same(unit.run(image, case), want)


def test_gatherb_refused(unit: RearrangeMachine, rng: np.random.Generator) -> None:
    case = Case("Gatherb", "uint32_t", src0=SRC, src1=EXTRA)
    image = new_image(rng, SIZE)
    put(image, EXTRA, np.array([0, 16] + [0] * 6, np.uint32))
    refused(unit, image, case, "T104")
    put(image, EXTRA, np.array([0, 2**19] + [0] * 6, np.uint32))
    refused(unit, image, case, "T424")
    put(image, EXTRA, np.zeros(16, np.uint32))
    refused(unit, image, replace(case, dst=SRC, repeats=2), "T405")


# --- GatherMask


def gather_mask(image: Array, case: Case) -> Array:
    """Returns UB after the call, with the number of gathered elements at KEPT. The kernel also
    fills 64 elements at KEPT + 32 B through the mask register: the selected elements are 7."""
    out = image.copy()
    size = case.type.itemsize
    kept: list[Array] = []
    for repeat in range(case.repeats):
        elements = np.arange(case.low if case.form == "count" else case.lanes)
        if case.mode == 0:
            start = case.src1 + repeat * case.rep[2] * 32
            chosen = np.unpackbits(image[start:], bitorder="little")[: elements.size] == 1
        elif case.mode <= 2:
            chosen = elements % 2 == case.mode - 1
        elif case.mode <= 6:
            chosen = elements % 4 == case.mode - 3
        else:
            chosen = elements >= 0
        elements = elements[chosen]
        block = repeat * case.rep[1] + elements // (32 // size) * case.blk[1]
        kept.append(read(image, case.src0 + block * 32 + elements % (32 // size) * size, case.type))
    packed = np.concatenate([np.zeros(0, case.type), *kept])
    put(out, case.dst, packed)
    put(out, KEPT, np.array([packed.size], np.uint32))
    lit = np.array([case.low >> i & 1 for i in range(64)], bool)
    out[KEPT + 32 : KEPT + 160].view(np.uint16)[lit] = 7
    return out


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("pattern", range(8))
def test_gather_mask(
    unit: RearrangeMachine, rng: np.random.Generator, dtype: str, pattern: int
) -> None:
    forms: list[dict[str, Any]] = [
        {"form": "mask_count", "repeats": 4, "rep": (8, 8, 0)},
        {"form": "mask_count", "repeats": 3, "low": 5, "rep": (8, 16, 1)},
        {"form": "mask_count", "repeats": 0, "low": 64},
        {"form": "mask_count", "repeats": 300, "rep": (8, 1, 0)},
        {"form": "mask_count", "repeats": 3, "blk": (1, 3, 1), "rep": (8, 24, 2)},
        {"low": 70, "repeats": 2, "rep": (8, 8, 0)},
        {"low": 70, "repeats": 2, "rep": (8, 9, 3)},
        {"low": 3000, "repeats": 1, "rep": (8, 8, 8)},
        {"low": 1, "repeats": 5, "rep": (8, 1, 1)},
        {"low": 300, "repeats": 2, "blk": (1, 2, 1), "rep": (8, 200, 5)},
        {"low": 0, "repeats": 3},
        {"low": 64, "repeats": 4, "counter": True},
    ]
    for form in forms:
        case = Case("GatherMask", dtype, mode=pattern, src0=SRC, src1=EXTRA, sel=KEPT)
        case = replace(case, **form)
        image = new_image(rng, SIZE)
        same(unit.run(image, case), gather_mask(image, case))


@pytest.mark.parametrize("pattern", range(8))
def test_gather_mask_in_place(
    unit: RearrangeMachine, rng: np.random.Generator, pattern: int
) -> None:
    for dtype in ("half", "float"):
        case = Case("GatherMask", dtype, "mask_count", pattern, repeats=9, rep=(8, 8, 1))
        case = replace(case, dst=SRC, src0=SRC, src1=EXTRA, sel=KEPT)
        image = new_image(rng, SIZE)
        same(unit.run(image, case), gather_mask(image, case))


@settings(max_examples=60)
@given(data=st.data())
def test_gather_mask_any(unit: RearrangeMachine, data: st.DataObject) -> None:
    draw = data.draw
    case = Case(
        "GatherMask", draw(st.sampled_from(DTYPES)), draw(st.sampled_from(["count", "mask_count"])),
        draw(st.integers(0, 7)), repeats=draw(st.integers(0, 6)), src0=SRC, src1=EXTRA, sel=KEPT,
        low=draw(st.integers(0, 1000)), blk=(1, draw(st.integers(0, 4)), 1),
        rep=(8, draw(st.integers(0, 40)), draw(st.integers(0, 30))),
    )  # fmt: skip
    image = new_image(np.random.default_rng(draw(st.integers(0, 2**32))), SIZE)
    same(unit.run(image, case), gather_mask(image, case))


def test_gather_mask_refused(unit: RearrangeMachine, rng: np.random.Generator) -> None:
    case = Case("GatherMask", "float", "mask_count", 0, repeats=4, rep=(8, 8, 1))
    case = replace(case, src0=SRC, src1=EXTRA, sel=KEPT)
    image = new_image(rng, SIZE)
    refused(unit, image, replace(case, mode=8), "T425")
    refused(unit, image, replace(case, src0=SRC + 4), "T104")
    refused(unit, image, replace(case, mode=7, dst=SRC + 32), "T405")
    refused(unit, image, replace(case, dst=EXTRA), "T405")
    refused(unit, image, replace(case, src0=SIZE - 512), "T107")
    refused(unit, image, replace(case, form="count", low=2**31), "T103")


# --- calls that do not compile


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        ("Scatter(a, b, o, (uint32_t)0, (uint32_t)64)", "Scatter is not supported on A2/A3"),
        ("Gather(c, c, o, (uint32_t)0, (uint32_t)64)", "Gather: this type is not supported"),
        ("Gatherb(a, b, o, 1, {1, 8})", "Gatherb: this type is not supported"),
        ("uint64_t n; GatherMask(a, b, p, false, 0, {1, 1, 8, 0}, n)", "src1Pattern is uint16_t"),
    ],
)
def test_refused_at_compile_time(call: str, sentence: str) -> None:
    source = f"""
#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void k(GM_ADDR x) {{
    LocalTensor<half> a, b; LocalTensor<int8_t> c; LocalTensor<uint32_t> o, p;
    {call};
}}
"""
    with pytest.raises(cannery.CompileError, match=sentence):
        cannery.compile_kernel(source, "k")
