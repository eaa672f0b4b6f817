# SPDX-License-Identifier: Apache-2.0
"""Runs one vector instruction on the twin and compares all bytes of UB with the model."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from ml_dtypes import finfo

from .vector_model import BINARY, DTYPES, ULPS, Array, Case, is_nan, read, simulate

GUARD = 64  # bytes after every operand that a call must not change


class VectorMachine:
    """Runs the vector kernel of the fixtures on given bytes of UB."""

    def __init__(self, kernel: Any) -> None:
        self.kernel = kernel

    def run(self, image: Array, case: Case) -> Array:
        out = np.full_like(image, 0xEE)
        self.kernel(1, image, out, tiling=case.pack(len(image) // 4))
        return out

    def check(self, case: Case, operands: list[Array], rng: np.random.Generator) -> None:
        """Runs `case` on `operands` (dst first) and compares all bytes of UB with the model."""
        image, case = place(case, operands, rng)
        self.compare(image, case)

    def compare(self, image: Array, case: Case) -> None:
        got = self.run(image, case)
        want, written = simulate(image, case)
        touched = np.zeros(len(image), bool)
        for places, _ in written:
            touched[places[:, None] + np.arange(case.dst_type.itemsize)] = True
        stray = np.flatnonzero((got != want) & ~touched)
        assert stray.size == 0, f"{case}: bytes {stray[:8]} changed"
        if (case.op, case.dtype) in ULPS:
            for places, exact in written:
                assert_close(read(got, places, case.dst_type), exact, ULPS[case.op, case.dtype])
        else:
            places = np.concatenate([np.zeros(0, int), *[p for p, _ in written]])
            assert_same(
                read(got, places, case.dst_type),
                read(want, places, case.dst_type),
                case.op in ("Max", "Min", "Maxs", "Mins"),
            )


def place(case: Case, operands: list[Array], rng: np.random.Generator) -> tuple[Array, Case]:
    """Returns bytes for UB: the operands one after another, and random bytes elsewhere."""
    starts, end = [], 0
    for operand in operands:
        starts.append(end)
        end += (operand.nbytes + GUARD + 31) // 32 * 32
    image = rng.integers(0, 256, max(end, 32), dtype=np.uint8)
    for start, operand in zip(starts, operands, strict=True):
        image[start : start + operand.nbytes] = operand.view(np.uint8)
    names = ("dst", "src0", "src1")
    return image, replace(case, **dict(zip(names, starts, strict=False)))


def span(case: Case, operand: int) -> int:
    """Returns the number of elements from the operand's start to its last active element."""
    dtype = case.dst_type if operand == 0 else case.src_type
    ends = [
        int(case.places(operand, repeat, elements).max()) + dtype.itemsize
        for repeat, elements in case.active()
        if len(elements)
    ]
    start = (case.dst, case.src0, case.src1)[operand]
    return (max(ends, default=start) - start) // dtype.itemsize


def operands_for(case: Case, rng: np.random.Generator) -> list[Array]:
    """Returns random operands that are as long as the case needs."""
    count = 3 if case.op in BINARY else (1 if case.op == "Duplicate" else 2)
    names = [case.dtype, *[case.src_dtype or case.dtype] * (count - 1)]
    return [values(name, span(case, i), rng) for i, name in enumerate(names)]


def values(dtype: str, count: int, rng: np.random.Generator) -> Array:
    """Returns a random mix of ordinary numbers, random bit patterns and special values."""
    kind = DTYPES[dtype]
    bits = rng.integers(0, 256, count * kind.itemsize, dtype=np.uint8).view(kind)
    if kind.kind in "iu":
        return bits
    ordinary = rng.standard_normal(count).astype(kind)
    out = np.where(rng.random(count) < 0.5, bits, ordinary)
    limits = finfo(kind)
    special = np.array(
        [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, limits.max, limits.min,
         limits.tiny, limits.smallest_subnormal, -limits.smallest_subnormal],
    ).astype(kind)  # fmt: skip
    chosen = rng.random(count) < 0.1
    out[chosen] = rng.choice(special, int(chosen.sum()))
    return out


def assert_same(got: Array, want: Array, zeros_alike: bool = False) -> None:
    """Checks that bits are equal or both values NaN. With `zeros_alike`, 0.0 and -0.0 are equal."""
    as_bits = np.dtype(f"u{got.itemsize}")
    same = got.view(as_bits) == want.view(as_bits)
    if got.dtype.kind not in "iu":
        same |= is_nan(got) & is_nan(want)
        if zeros_alike:
            same |= (got == 0) & (want == 0)
    wrong = np.flatnonzero(~same)
    assert wrong.size == 0, (
        f"{wrong.size} of {got.size} differ, first at {wrong[0]}: got {got[wrong[0]]!r}, "
        f"want {want[wrong[0]]!r}"
    )


def assert_close(got: Array, exact: Array, ulps: float) -> None:
    """Checks that each value is at most `ulps` units in the last place from the exact result."""
    with np.errstate(all="ignore"):
        rounded = exact.astype(got.dtype)
        unit = np.spacing(np.abs(rounded)).astype(np.float64)
        error = np.abs(got.astype(np.float64) - exact) / unit
    same = (got == rounded) | (np.isnan(got) & np.isnan(rounded))
    wrong = np.flatnonzero(~(same | (error <= ulps)))
    assert wrong.size == 0, (
        f"{wrong.size} of {got.size} are off, first at {wrong[0]}: got {got[wrong[0]]!r}, "
        f"want {rounded[wrong[0]]!r} ({error[wrong[0]]:.3f} units in the last place)"
    )
