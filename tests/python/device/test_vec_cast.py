# SPDX-License-Identifier: Apache-2.0
"""Tests Cast for all pairs of types and all modes of the hardware, with ties and limits."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from ml_dtypes import bfloat16

import cannery

from .cast_model import PAIRS, cast
from .vector_machine import VectorMachine, assert_same, operands_for, place, values
from .vector_model import DTYPES, MODES, Array, Case, read
from .vector_shapes import shapes

ROWS = [(dst, src, mode) for (dst, src), modes in PAIRS.items() for mode in modes]


def check(
    machine: VectorMachine, case: Case, operands: list[Array], rng: np.random.Generator
) -> None:
    """Runs `case` and compares all bytes of UB with the model of Cast."""
    image, case = place(case, operands, rng)
    got = machine.run(image, case)
    want = image.copy()
    for repeat, elements in case.active():
        places = case.places(0, repeat, elements)
        source = read(want, case.places(1, repeat, elements), case.src_type)
        result = cast(source, case.dtype, case.src_name, case.mode)
        assert_same(read(got, places, case.dst_type), result)
        index = places[:, None] + np.arange(case.dst_type.itemsize)
        want[index] = got[index]
    np.testing.assert_array_equal(got, want)


def interesting(src: str, dst: str, rng: np.random.Generator) -> Array:
    """Returns random bit patterns, ties of every kind, and numbers near every limit."""
    kind = DTYPES[src]
    if kind.kind == "i":
        bits = rng.integers(0, 256, 4000 * kind.itemsize, dtype=np.uint8).view(kind)
        powers = 2 ** np.arange(kind.itemsize * 8 - 1, dtype=np.int64)
        near = np.concatenate([powers + d for d in (-1, 0, 1)])
        ties = (2**24 + np.arange(1, 4000, 2)) << 1  # halfway between two floats
        wide = np.concatenate([near, -near, ties, ties << 4, -ties])
        info = np.iinfo(kind)
        wide = np.append(wide, [info.min, info.max])
        return np.concatenate([bits, np.clip(wide, info.min, info.max).astype(kind)])
    centre = np.concatenate([np.arange(-40, 41) / 4, 2.0 ** np.arange(-151, 128)])
    limits = np.array([32767, 32767.5, 32768, 65504, 65519.996, 65520, 65536, 2.0**31, 3.39e38])
    quarters = 2.0**-24 * np.arange(0, 33) / 4  # around the subnormal numbers of half
    grid = 1 + np.arange(0, 4096) / 2.0**12
    every = np.concatenate([centre, limits, quarters, grid, grid * 2.0**-15, grid * 2.0**-127])
    with np.errstate(all="ignore"):
        named = np.concatenate([every, -every]).astype(kind)
        around = (
            [np.nextafter(named, kind.type(s)) for s in (np.inf, -np.inf)]
            if (kind != bfloat16)
            else []
        )
    return np.concatenate([values(src, 4000, rng), named, *around])


@pytest.mark.parametrize(("dst", "src", "mode"), ROWS)
def test_values(
    machine: VectorMachine, rng: np.random.Generator, dst: str, src: str, mode: str
) -> None:
    for part in np.array_split(interesting(src, dst, rng), 5):
        numbers = np.ascontiguousarray(part)
        case = Case("Cast", dst, src, count=len(numbers), mode=mode)
        check(machine, case, [np.zeros(len(numbers), DTYPES[dst]), numbers], rng)


@pytest.mark.parametrize(("dst", "src"), list(PAIRS))
def test_forms(machine: VectorMachine, rng: np.random.Generator, dst: str, src: str) -> None:
    sizes = DTYPES[dst].itemsize, DTYPES[src].itemsize
    mode = PAIRS[dst, src][-1]
    for shape in shapes(max(sizes)).values():
        case = Case("Cast", dst, src, mode=mode, **shape)
        check(machine, case, operands_for(case, rng), rng)
        if (
            shape.get("form") and "rep" not in shape
        ):  # contiguous: a repeat of the narrower type has fewer blocks
            case = replace(case, rep=(*(8 * size // max(sizes) for size in sizes), 8))
            check(machine, case, operands_for(case, rng), rng)


@pytest.mark.parametrize("src", ["half", "bfloat16_t"])
def test_every_16_bit_pattern(machine: VectorMachine, rng: np.random.Generator, src: str) -> None:
    everything = np.arange(65536, dtype=np.uint16).view(DTYPES[src])
    for (dst, of), modes in PAIRS.items():
        for mode in modes if of == src else ():
            for part in np.split(everything, 4):
                case = Case("Cast", dst, src, count=len(part), mode=mode)
                check(machine, case, [np.zeros(len(part), DTYPES[dst]), part], rng)


def test_narrowing_in_place(machine: VectorMachine, rng: np.random.Generator) -> None:
    for dst, src in (("half", "float"), ("bfloat16_t", "float"), ("int16_t", "half")):
        numbers = values(src, 640, rng)
        image, case = place(Case("Cast", dst, src, count=640, mode="RINT"), [numbers], rng)
        got = machine.run(image, replace(case, src0=0))
        assert_same(read(got, np.arange(640) * 2, DTYPES[dst]), cast(numbers, dst, src, "RINT"))


@pytest.mark.parametrize(("dst", "src"), list(PAIRS))
def test_other_modes_are_refused(
    machine: VectorMachine, rng: np.random.Generator, dst: str, src: str
) -> None:
    for mode in set(MODES) - set(PAIRS[dst, src]):
        case = Case("Cast", dst, src, count=8, mode=mode)
        image, case = place(case, operands_for(case, rng), rng)
        for setting in ("strict", "hardware"):
            with cannery.use(mode=setting), pytest.raises(cannery.KernelError) as caught:
                machine.run(image, case)
            assert caught.value.code == "T406"
            assert f"CAST_{mode}" in str(caught.value)
