# SPDX-License-Identifier: Apache-2.0
"""Runs one call of the advanced API on an image of UB (an array with the bytes of UB)."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from ml_dtypes import bfloat16

import cannery

Array = np.ndarray[Any, Any]
Place = tuple[int, int]

#: Values of the DT_* macros of the kernel headers.
NUMBERS = {
    "float": 0, "half": 1, "int8_t": 2, "int32_t": 3, "uint8_t": 4, "int16_t": 6, "uint16_t": 7,
    "uint32_t": 8, "uint64_t": 10, "bfloat16_t": 27, "int4b_t": 29,
}  # fmt: skip
TYPES: dict[str, np.dtype[Any]] = {
    "float": np.dtype(np.float32), "half": np.dtype(np.float16), "int8_t": np.dtype(np.int8),
    "int32_t": np.dtype(np.int32), "uint8_t": np.dtype(np.uint8), "int16_t": np.dtype(np.int16),
    "uint16_t": np.dtype(np.uint16), "uint32_t": np.dtype(np.uint32),
    "uint64_t": np.dtype(np.uint64), "bfloat16_t": np.dtype(bfloat16),
}  # fmt: skip
WITH_TMP, WITH_COUNT, REUSE = 1, 2, 4
GUARD = 64  #: bytes after every operand that a call must not change
POISON = np.frombuffer(struct.pack("<I", 0xFFC0DEAD), np.uint8)


@dataclass(frozen=True)
class Case:
    """Describes one call. A Place is (first byte, number of bytes) in the image. If `form` does not
    contain WITH_TMP, the call takes its scratch buffer from the TPipe."""

    op: int = 0
    dtype: str = "float"
    form: int = 0
    count: int = 0
    n: tuple[int, ...] = ()
    scalar: tuple[float, ...] = ()
    dst: Place = (0, 0)
    src: tuple[Place, ...] = ()
    tmp: Place = (0, 0)

    def pack(self, image_bytes: int) -> bytes:
        sources = (*self.src, *((0, 0),) * (3 - len(self.src)))
        places = [p for place in (self.dst, *sources, self.tmp) for p in place]
        return struct.pack(
            "<23I2f",
            self.op, NUMBERS[self.dtype], self.form, image_bytes, *places, self.count,
            *self.n, *[0] * (8 - len(self.n)), *self.scalar, *[0.0] * (2 - len(self.scalar)),
        )  # fmt: skip


class AdvancedMachine:
    """Runs a kernel of the advanced API on arrays."""

    def __init__(self, kernel: Any) -> None:
        self.kernel = kernel

    def image(
        self, case: Case, dst: int | Array, sources: Sequence[Array], tmp: int,
        rng: np.random.Generator, in_place: int | None = None,
    ) -> tuple[Array, Case]:  # fmt: skip
        """Places operands one after another with guard bytes; `dst` is a size or the old values."""
        end, places = 0, []
        old = None if isinstance(dst, int) else dst
        sizes = [dst if isinstance(dst, int) else dst.nbytes, *(s.nbytes for s in sources), tmp]
        for size in sizes:
            places.append((end, size))
            end += (size + GUARD + 31) // 32 * 32
        image = rng.integers(0, 256, max(end, 32), dtype=np.uint8)
        for (begin, size), values in zip(places[1:], sources, strict=False):
            image[begin : begin + size] = values.reshape(-1).view(np.uint8)
        if old is not None:
            image[: old.nbytes] = old.reshape(-1).view(np.uint8)
        target = places[0] if in_place is None else (places[1 + in_place][0], sizes[0])
        return image, replace(case, dst=target, src=tuple(places[1:-1]), tmp=places[-1])

    def run(self, image: Array, case: Case, **launch: Any) -> Array:
        out = np.full_like(image, 0xEE)
        self.kernel(1, image, out, tiling=case.pack(len(image)), **launch)
        return out

    def call(
        self, case: Case, dst: int | Array, sources: Sequence[Array], rng: np.random.Generator,
        tmp: int = 0, in_place: int | None = None, lost: Sequence[int] = (),
    ) -> Array:  # fmt: skip
        """Returns the bytes of the destination after the call. Checks that only the destination,
        the scratch buffer and the sources in `lost` have changed."""
        image, case = self.image(case, dst, sources, tmp, rng, in_place)
        after = self.run(image, case)
        changed = image != after
        free = [case.dst, case.tmp, *(case.src[i] for i in lost)]
        for begin, size in free:
            changed[begin : begin + size] = False
        assert not changed.any(), f"{case}: byte {np.flatnonzero(changed)[0]} changed"
        begin, size = case.dst
        return after[begin : begin + size]

    def refused(
        self, code: str, text: str, case: Case, dst: int, sources: Sequence[Array],
        rng: np.random.Generator, **layout: Any,
    ) -> None:  # fmt: skip
        """Checks that the call fails with `code` and that the regular expression `text` matches its
        message."""
        image, case = self.image(case, dst, sources, layout.pop("tmp", 0), rng, **layout)
        with pytest.raises(cannery.KernelError, match=text) as caught:
            self.run(image, case)
        assert caught.value.code == code, str(caught.value)


def is_poison(values: Array) -> bool:
    """Returns whether `values`, whose address is a multiple of 4, are the twin's poison pattern."""
    raw = values.view(np.uint8)
    return bool((raw == np.resize(POISON, raw.size)).all())
