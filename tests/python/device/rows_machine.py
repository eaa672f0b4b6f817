# SPDX-License-Identifier: Apache-2.0
"""Runs one call with several tensors and a tiling on an image of UB."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

import cannery

from .advanced_machine import GUARD, NUMBERS, TYPES, Array, Place

WITH_TMP, REUSE, BASIC, NZ, UPDATE, WIDE, PACKED, FIXED = (1 << i for i in range(8))
TENSORS = 9


@dataclass(frozen=True)
class RowsCase:
    """Describes one call: overload bits, integer and float arguments, and fields of a tiling."""

    op: int = 0
    dtype: str = "float"
    form: int = WITH_TMP
    n: tuple[int, ...] = ()
    scalar: tuple[float, ...] = ()
    tiling: tuple[int | float, ...] = ()
    occupied: int = 0  #: bytes of UB that are used besides the operands
    places: tuple[Place, ...] = ()
    tmp: Place = (0, 0)

    def pack(self, image_bytes: int) -> bytes:
        places = (*self.places, *((0, 0),) * (TENSORS - len(self.places)), self.tmp)
        words = [
            struct.unpack("<I", struct.pack("<f", w))[0] if isinstance(w, float) else int(w)
            for w in self.tiling
        ]
        return struct.pack(
            "<33I2f32I",
            self.op, NUMBERS[self.dtype], self.form, image_bytes, self.occupied,
            *(p for place in places for p in place),
            *self.n, *[0] * (8 - len(self.n)), *self.scalar, *[0.0] * (2 - len(self.scalar)),
            *words, *[0] * (32 - len(words)),
        )  # fmt: skip


class RowsMachine:
    """Runs a kernel of the advanced API on arrays."""

    def __init__(self, kernel: Any) -> None:
        self.kernel = kernel

    def layout(
        self, case: RowsCase, tensors: Sequence[int | Array], tmp: int,
        rng: np.random.Generator, alias: Mapping[int, int],
    ) -> tuple[Array, RowsCase]:  # fmt: skip
        """Places tensors (sizes or values) one after another with guard bytes. A tensor in `alias`
        gets the address of another tensor."""
        end, places = 0, []
        for i, tensor in enumerate(tensors):
            size = tensor if isinstance(tensor, int) else tensor.nbytes
            if i in alias:
                places.append((places[alias[i]][0], size))
                continue
            places.append((end, size))
            end += (size + GUARD + 31) // 32 * 32
        scratch = (end, tmp)
        end += (tmp + GUARD + 31) // 32 * 32
        image = rng.integers(0, 256, end, dtype=np.uint8)
        for (begin, size), values in zip(places, tensors, strict=True):
            if not isinstance(values, int):
                image[begin : begin + size] = np.ascontiguousarray(values).reshape(-1).view("u1")
        return image, replace(case, places=tuple(places), tmp=scratch)

    def run(self, image: Array, case: RowsCase, **launch: Any) -> Array:
        out = np.full_like(image, 0xEE)
        self.kernel(1, image, out, tiling=case.pack(len(image)), **launch)
        return out

    def call(
        self, case: RowsCase, tensors: Sequence[int | Array], results: Sequence[int],
        rng: np.random.Generator, tmp: int = 0, alias: Mapping[int, int] | None = None,
        lost: Sequence[int] = (),
    ) -> list[Array]:  # fmt: skip
        """Returns the bytes of the results. Checks that no other bytes have changed, except in
        scratch and in the tensors of `lost`."""
        image, case = self.layout(case, tensors, tmp, rng, alias or {})
        after = self.run(image, case)
        changed = image != after
        for begin, size in (case.tmp, *(case.places[i] for i in (*results, *lost))):
            changed[begin : begin + size] = False
        assert not changed.any(), f"{case}: byte {np.flatnonzero(changed)[0]} changed"
        return [after[b : b + size].copy() for b, size in (case.places[i] for i in results)]

    def refused(
        self, code: str, text: str, case: RowsCase, tensors: Sequence[int | Array],
        rng: np.random.Generator, tmp: int = 0, alias: Mapping[int, int] | None = None,
    ) -> None:  # fmt: skip
        """Checks that the call fails with `code` and that the regular expression `text` matches its
        message."""
        image, case = self.layout(case, tensors, tmp, rng, alias or {})
        with pytest.raises(cannery.KernelError, match=text) as caught:
            self.run(image, case)
        assert caught.value.code == code, str(caught.value)


def typed(values: Array, dtype: str) -> Array:
    return values.astype(TYPES[dtype])


def close(got: Array, want: Array, dtype: str, scale: float = 1.0) -> None:
    """Checks that values differ at most by rounding to the result's type. NaN and infinities must
    be equal."""
    ulps = {"half": 2.0**-10, "float": 2.0**-20}[dtype]
    floor = {"half": 2.0**-14, "float": 2.0**-22}[dtype]
    np.testing.assert_allclose(
        got.astype(np.float64), want.astype(np.float64), rtol=ulps * scale, atol=floor * scale
    )
