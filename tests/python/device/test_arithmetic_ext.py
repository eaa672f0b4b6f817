# SPDX-License-Identifier: Apache-2.0
"""Compares compound arithmetic and shifts with NumPy: all pairs of types, all forms, all errors."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cannery

from .arithmetic_model import OPS, TYPES, Array, ExtCase, ExtMachine
from .conftest import Compile
from .vector_machine import place, span, values
from .vector_model import DTYPES
from .vector_shapes import shapes

TWO_SOURCES = {
    "AddRelu": [("half", "half"), ("float", "float"), ("int16_t", "int16_t")],
    "SubRelu": [("half", "half"), ("float", "float"), ("int16_t", "int16_t")],
    "FusedMulAdd": [("half", "half"), ("float", "float")],
    "FusedMulAddRelu": [("half", "half"), ("float", "float")],
    "MulAddDst": [("half", "half"), ("float", "float"), ("float", "half")],
    "MulCast": [("int8_t", "half"), ("uint8_t", "half")],
    "AddReluCast": [("int8_t", "half"), ("half", "float"), ("int8_t", "int16_t")],
    "SubReluCast": [("int8_t", "half"), ("half", "float"), ("int8_t", "int16_t")],
    "AddDeqRelu": [("half", "int32_t")],
}
AXPY = [("half", "half"), ("float", "float"), ("float", "half")]
SHIFTED = ("int16_t", "uint16_t", "int32_t", "uint32_t")
PAIRS = [(op, *pair) for op, pairs in TWO_SOURCES.items() for pair in pairs]


@pytest.fixture(scope="session")
def ext(compile_device: Compile) -> ExtMachine:
    return ExtMachine(compile_device("arithmetic_ext", {f"OP_{op}": i for i, op in enumerate(OPS)}))


def random_values(dtype: str, count: int, rng: np.random.Generator) -> Array:
    if dtype in DTYPES:
        return values(dtype, count, rng)
    return rng.integers(0, 256, count * TYPES[dtype].itemsize, dtype=np.uint8).view(TYPES[dtype])


def check(ext: ExtMachine, case: ExtCase, rng: np.random.Generator, sources: int = 2) -> None:
    names = [case.dtype, *[case.src_name] * sources]
    operands = [random_values(name, span(case, i), rng) for i, name in enumerate(names)]
    image, case = place(case, operands, rng)
    ext.compare(image, case)


def contiguous(case: ExtCase) -> ExtCase:
    """Returns `case` for contiguous data, where a repeat of the narrower type has fewer blocks."""
    sizes = case.dst_type.itemsize, case.src_type.itemsize, case.src_type.itemsize
    return replace(case, rep=tuple(8 * size // max(sizes) for size in sizes))


@pytest.mark.parametrize(("op", "dst", "src"), PAIRS)
def test_forms(ext: ExtMachine, rng: np.random.Generator, op: str, dst: str, src: str) -> None:
    deq = (1, 0.3125, 0) if op == "AddDeqRelu" else (0, 0.0, 0)
    widest = max(TYPES[dst].itemsize, TYPES[src].itemsize)
    for name, shape in shapes(widest).items():
        if op == "AddDeqRelu" and name in ("row-broadcast", "repeats-255"):
            continue  # dst would overwrite the sources, or reach into the scratch
        case = ExtCase(op, dst, src, deq=deq, **shape)
        if name == "repeats-255":
            case = replace(case, repeats=100)
        check(ext, case, rng)
        if shape.get("form") and "rep" not in shape:
            check(ext, contiguous(case), rng)


@pytest.mark.parametrize(("dst", "src"), AXPY)
def test_axpy(ext: ExtMachine, rng: np.random.Generator, dst: str, src: str) -> None:
    for number in (1.7, -0.0, np.inf, np.nan, 6e4):
        scalar = np.array([number], TYPES[src]).tobytes()
        check(ext, ExtCase("Axpy", dst, src, count=1003, scalar=scalar), rng, 1)
    for name, shape in shapes(max(TYPES[dst].itemsize, TYPES[src].itemsize)).items():
        case = ExtCase("Axpy", dst, src, scalar=np.array([-1.3], TYPES[src]).tobytes(), **shape)
        check(ext, replace(case, repeats=min(case.repeats, 90)), rng, 1)
        if name.startswith("mask"):
            check(ext, contiguous(case), rng, 1)


@pytest.mark.parametrize("op", ["ShiftLeft", "ShiftRight"])
@pytest.mark.parametrize("dtype", SHIFTED)
def test_shifts(ext: ExtMachine, rng: np.random.Generator, op: str, dtype: str) -> None:
    kind = TYPES[dtype]
    for by in range(kind.itemsize * 8 + 1):
        scalar = np.array([by], kind).tobytes()
        check(ext, ExtCase(op, dtype, count=257, scalar=scalar), rng, 1)
        if op == "ShiftRight" and kind.kind == "i":
            case = ExtCase(op, dtype, form="mask_count", low=50, repeats=3, scalar=scalar, flag=1)
            check(ext, case, rng, 1)
    for shape in shapes(kind.itemsize).values():
        case = ExtCase(op, dtype, scalar=np.array([3], kind).tobytes(), **shape)
        check(ext, case, rng, 1)


def test_documented_shifts(ext: ExtMachine, rng: np.random.Generator) -> None:
    """ShiftLeft and ShiftRight give the results of the examples in their documentation."""
    number = np.array([0b1010101010101010] * 16, np.uint16)
    for op, dtype, by, flag, want in (
        ("ShiftLeft", "uint16_t", 1, 0, 0b0101010101010100),
        ("ShiftLeft", "int16_t", 1, 0, 0b1101010101010100),
        ("ShiftLeft", "int16_t", 3, 0, 0b1101010101010000),
        ("ShiftRight", "uint16_t", 1, 0, 0b0101010101010101),
        ("ShiftRight", "int16_t", 1, 0, 0b1101010101010101),
        ("ShiftRight", "int16_t", 3, 0, 0b1111010101010101),
    ):
        case = ExtCase(op, dtype, count=16, scalar=by.to_bytes(2, "little"), flag=flag)
        image, case = place(case, [number.view(TYPES[dtype])] * 2, rng)
        assert (ext.compare(image, case)[:32].view(np.uint16) == want).all()
    case = ExtCase("ShiftRight", "int16_t", form="mask_count", low=16, scalar=b"\5\0", flag=1)
    image, case = place(case, [np.full(16, 17, np.int16)] * 2, rng)
    assert (ext.compare(image, case)[:32].view(np.int16) == 1).all()


@pytest.mark.parametrize(("op", "dst", "src"), PAIRS)
def test_saturation(ext: ExtMachine, rng: np.random.Generator, op: str, dst: str, src: str) -> None:
    deq = (1, 3.0, 0) if op == "AddDeqRelu" else (0, 0.0, 0)
    check(ext, ExtCase(op, dst, src, count=900, saturation=1, deq=deq), rng)


@pytest.mark.parametrize("op", ["AddRelu", "SubRelu", "FusedMulAdd", "FusedMulAddRelu"])
def test_in_place(ext: ExtMachine, rng: np.random.Generator, op: str) -> None:
    for dtype in ("half", "float"):
        image, case = place(
            ExtCase(op, dtype, count=500), [values(dtype, 500, rng) for _ in range(3)], rng
        )
        ext.compare(image, replace(case, dst=case.src0))
        ext.compare(image, replace(case, dst=case.src1))


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_any_strides(ext: ExtMachine, data: Any) -> None:
    op, dst, src = data.draw(st.sampled_from([p for p in PAIRS if p[0] != "AddDeqRelu"]))
    widest = max(TYPES[dst].itemsize, TYPES[src].itemsize)
    stride = st.integers(1, 12)
    case = ExtCase(
        *(op, dst, src, "mask_bits"),
        repeats=data.draw(st.integers(0, 6)),
        low=data.draw(st.integers(0, 2**64 - 1)),
        high=data.draw(st.integers(0, 2**64 - 1)) if widest == 2 else 0,
        blk=(data.draw(stride), data.draw(st.integers(0, 4)), data.draw(st.integers(0, 4))),
        rep=(data.draw(st.integers(96, 120)), data.draw(stride), data.draw(stride)),
    )
    check(ext, case, np.random.default_rng(data.draw(st.integers(0, 2**32))))


def refused(ext: ExtMachine, case: ExtCase, code: str, text: str, mode: str = "strict") -> None:
    with cannery.use(mode=mode), pytest.raises(cannery.KernelError) as caught:
        ext.run(np.zeros(4096, np.uint8), replace(case, src0=1024, src1=2048))
    assert caught.value.code == code
    assert text in str(caught.value)


def test_errors(ext: ExtMachine) -> None:
    relu = ExtCase("AddDeqRelu", "half", "int32_t", count=64)
    for mode in ("strict", "hardware"):
        refused(ext, relu, "T410", "SetDeqScale((half)1.0)", mode)
        refused(ext, replace(relu, deq=(2, 1.0, 0)), "T410", "parameters of CastDeq", mode)
    far = ExtCase("ShiftLeft", "int16_t", count=64, scalar=b"\x11\0")
    refused(ext, far, "T411", "by 17, expected 0 to 16")
    back = replace(far, op="ShiftRight", scalar=b"\xff\xff")
    refused(ext, back, "T411", "by -1, expected 0 to 16")
    rounded = ExtCase("ShiftRight", "uint32_t", form="mask_count", low=8, scalar=b"\3\0", flag=1)
    refused(ext, replace(rounded, scalar=b"\3\0\0\0"), "T412", "uint32_t with roundEn")


@pytest.mark.hazards_off("the results are copied out with what the scratch left")
def test_scratch_region(ext: ExtMachine) -> None:
    """AddDeqRelu uses UB above 184 KiB as scratch, and refuses operands above 184 KiB (T415)."""
    image = np.zeros(190 * 1024, np.uint8)
    image[-1024:] = 7
    case = ExtCase("AddDeqRelu", "half", "int32_t", count=64, src0=1024, src1=2048, deq=(1, 1.0, 0))
    with cannery.use(mode="strict"), pytest.raises(cannery.KernelError) as caught:
        ext.run(image, case)
    assert caught.value.code == "T415"
    assert "194560 B" in str(caught.value)
    with cannery.use(mode="hardware"):
        out = ext.run(image, case)
    assert (out[-1024:] == 7).all()  # 64 elements need 256 B of scratch
    assert (out[184 * 1024 : 184 * 1024 + 256] == 0).all()


def test_hardware_shifts_out_everything(ext: ExtMachine, rng: np.random.Generator) -> None:
    image = rng.integers(0, 256, 4096, dtype=np.uint8)
    with cannery.use(mode="hardware"):
        for op, dtype in (("ShiftLeft", "uint16_t"), ("ShiftRight", "uint32_t")):
            scalar = np.array([200], TYPES[dtype]).tobytes()
            out = ext.run(image, ExtCase(op, dtype, count=64, src0=1024, scalar=scalar))
            assert not out[: 64 * TYPES[dtype].itemsize].any()
