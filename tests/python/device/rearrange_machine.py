# SPDX-License-Identifier: Apache-2.0
"""Runs one instruction of the compare, fill, gather and transpose families on bytes of UB."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .vector_model import DTYPES, FORMS

Array = np.ndarray[Any, Any]

#: Values of the DT_* macros of the kernel headers.
NUMBERS = {
    "half": 1, "bfloat16_t": 27, "float": 0, "int8_t": 2, "uint8_t": 4, "int16_t": 6,
    "uint16_t": 7, "int32_t": 3, "uint32_t": 8,
}  # fmt: skip
TYPES: dict[str, Any] = {**DTYPES, "int8_t": np.dtype(np.int8), "uint8_t": np.dtype(np.uint8)}


@dataclass(frozen=True)
class Case:
    """Describes one instruction. Operands are byte offsets in UB; strides count blocks of 32 B."""

    op: str
    dtype: str = "float"
    form: str = "count"
    mode: int = 0
    count: int = 0
    repeats: int = 1
    dst: int = 0
    src0: int = 0
    src1: int = 0
    sel: int = 0
    blk: tuple[int, int, int] = (1, 1, 1)
    rep: tuple[int, int, int] = (8, 8, 8)
    counter: bool = False
    low: int = 0
    high: int = 0
    scalar: bytes = b""
    step: bytes = b""

    @property
    def type(self) -> np.dtype[Any]:
        return TYPES[self.dtype]

    @property
    def lanes(self) -> int:
        return 256 // self.type.itemsize

    def pack(self, ops: Sequence[str], words: int) -> bytes:
        """Returns the bytes of the kernel's RearrangeCase."""
        numbers = (
            *(ops.index(self.op), NUMBERS[self.dtype], FORMS.index(self.form), self.mode),
            *(self.count, self.repeats, self.dst, self.src0, self.src1, self.sel),
            *(*self.blk, *self.rep, int(self.counter), words),
        )
        packed = struct.pack("<18i2Q", *numbers, self.low, self.high)
        return packed + self.scalar.ljust(8, b"\0") + self.step.ljust(8, b"\0")

    def active(self) -> Iterator[tuple[int, Array]]:
        """Yields each repeat with the indices of its active elements, in the hardware's order."""
        if self.form == "count":
            for start in range(0, self.count, self.lanes):
                yield start // self.lanes, np.arange(min(self.lanes, self.count - start))
        elif self.counter:
            for start in range(0, self.low, self.lanes):
                yield start // self.lanes, np.arange(min(self.lanes, self.low - start))
        else:
            elements = np.arange(self.lanes)
            if self.form == "mask_count":
                chosen = elements < self.low
            else:
                mask = self.low | self.high << 64
                chosen = np.array([mask >> int(e) & 1 for e in elements], bool)
            for repeat in range(self.repeats):
                yield repeat, elements[chosen]

    def places(self, operand: int, repeat: int, elements: Array) -> Array:
        """Returns the byte offsets of `elements`; operand 0 is dst, 1 is src0 and 2 is src1."""
        start = (self.dst, self.src0, self.src1)[operand]
        per_block = 32 // self.type.itemsize
        blk, rep = (1, 8) if self.form == "count" else (self.blk[operand], self.rep[operand])
        blocks = repeat * rep + elements // per_block * blk
        return start + blocks * 32 + elements % per_block * self.type.itemsize


class RearrangeMachine:
    """Runs a kernel of the fixtures on given bytes of UB."""

    def __init__(self, kernel: Any, ops: Sequence[str]) -> None:
        self.kernel = kernel
        self.ops = ops

    def run(self, image: Array, case: Case) -> Array:
        assert image.nbytes % 32 == 0
        out = np.full_like(image, 0xEE)
        self.kernel(1, image, out, tiling=case.pack(self.ops, image.nbytes // 4))
        return out


def new_image(rng: np.random.Generator, size: int) -> Array:
    """Returns an image of UB with at least `size` random bytes."""
    return rng.integers(0, 256, (size + 31) // 32 * 32, dtype=np.uint8)


def put(image: Array, place: int, values: Array) -> None:
    data = np.ascontiguousarray(values).view(np.uint8).reshape(-1)
    image[place : place + data.size] = data


def same(got: Array, want: Array) -> None:
    """Checks that the bytes are the same; otherwise the message shows the first difference."""
    wrong = np.flatnonzero(got != want)
    assert wrong.size == 0, (
        f"{wrong.size} of {got.size} bytes differ, first at {wrong[0]}: "
        f"got {got[wrong[0] : wrong[0] + 8]}, want {want[wrong[0] : wrong[0] + 8]}"
    )
