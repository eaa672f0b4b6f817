# SPDX-License-Identifier: Apache-2.0
"""Runs one reduction on the twin and compares all bytes of UB with the model."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from .reduce_model import STEPS, Array, Case, simulate, work_elements
from .vector_machine import values

GUARD = 64


class ReduceMachine:
    """Runs the reduction kernel of the fixtures on given bytes of UB."""

    def __init__(self, kernel: Any) -> None:
        self.kernel = kernel

    def run(self, image: Array, case: Case) -> Array:
        out = np.full_like(image, 0xEE)
        self.kernel(1, image, out, tiling=case.pack(len(image) // 4))
        return out

    def check(self, case: Case, rng: np.random.Generator, source: Array | None = None) -> Array:
        """Runs `case`, checks the result and returns the twin's bytes of UB."""
        image, case = place(case, rng, source)
        return self.compare(image, case)

    def compare(self, image: Array, case: Case) -> Array:
        got, want = self.run(image, case), simulate(image, case)
        compared = np.ones(len(image), bool)
        if case.op in STEPS:
            compared[case.work : case.work + case.work_bytes] = False
            result = slice(case.dst, case.dst + case.dst_bytes)
            compared[result] = True
        if case.registers:
            compared[-16:] = False
        # NaNs count as equal, because the hardware does not define their sign and payload.
        same = got == want
        kind = case.kind
        aligned = len(image) // kind.itemsize * kind.itemsize
        both_nan = np.isnan(got[:aligned].view(kind)) & np.isnan(want[:aligned].view(kind))
        same[:aligned] |= np.repeat(both_nan, kind.itemsize)
        wrong = np.flatnonzero(compared & ~same)
        assert wrong.size == 0, (
            f"{case}: {wrong.size} bytes differ, first at {wrong[0]}: "
            f"got {got[wrong[0] // 4 * 4 :][:4].tobytes().hex()}, "
            f"want {want[wrong[0] // 4 * 4 :][:4].tobytes().hex()}"
        )
        return got


def spans(case: Case) -> tuple[int, int]:
    """Returns how many bytes the call uses from the start of dst and of src."""
    size = case.kind.itemsize
    if case.op in STEPS:
        dst = 2 * size if case.index else size
    else:
        dst = max(
            (repeat * case.dst_rep * case.unit + case.unit for repeat, _ in case.active()),
            default=size,
        )
    ends = [
        int(case.source(repeat, active).max()) + size - case.src
        for repeat, active in case.active()
        if active.any()
    ]
    return dst, max(ends, default=size)


def place(case: Case, rng: np.random.Generator, source: Array | None = None) -> tuple[Array, Case]:
    """Returns random bytes for UB that contain dst, src and the work buffer one after
    another."""
    dst_bytes, src_bytes = spans(case)
    if source is None:
        source = values(case.dtype, -(-src_bytes // case.kind.itemsize), rng)
    work_bytes = work_elements(case) * case.kind.itemsize if case.op in STEPS else 0
    src = -(-(dst_bytes + GUARD) // 32) * 32
    work = -(-(src + source.nbytes + GUARD) // 32) * 32
    end = -(-(work + work_bytes + GUARD) // 32) * 32 + 512
    image = rng.integers(0, 256, end, dtype=np.uint8)
    image[src : src + source.nbytes] = source.view(np.uint8)
    return image, replace(
        case,
        dst=0,
        src=src,
        work=work,
        dst_bytes=dst_bytes,
        src_bytes=source.nbytes,
        work_bytes=work_bytes,
    )
