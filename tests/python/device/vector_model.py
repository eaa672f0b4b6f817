# SPDX-License-Identifier: Apache-2.0
"""Models the vector unit in NumPy: the effect of one instruction on an image of UB."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from ml_dtypes import bfloat16

Array = np.ndarray[Any, Any]

DTYPES: dict[str, Any] = {
    "half": np.dtype(np.float16),
    "bfloat16_t": np.dtype(bfloat16),
    "float": np.dtype(np.float32),
    "int16_t": np.dtype(np.int16),
    "uint16_t": np.dtype(np.uint16),
    "int32_t": np.dtype(np.int32),
    "uint32_t": np.dtype(np.uint32),
}
#: Values of the DT_* macros of the kernel headers.
_NUMBERS = {
    "half": 1,
    "bfloat16_t": 27,
    "float": 0,
    "int16_t": 6,
    "uint16_t": 7,
    "int32_t": 3,
    "uint32_t": 8,
}
FORMS = ("count", "mask_count", "mask_bits", "register")
MODES = ("NONE", "RINT", "FLOOR", "CEIL", "ROUND", "TRUNC", "ODD")

ARITHMETIC = ("half", "float", "int16_t", "int32_t")
FLOATS = ("half", "float")
BITS = ("int16_t", "uint16_t")


def _either_nan(a: Array, b: Array, chosen: Array) -> Array:
    """Returns `chosen`, or NaN where one of the operands is NaN, as Max and Min do."""
    return np.where(np.isnan(a), a, np.where(np.isnan(b), b, chosen)).astype(a.dtype)


def _max(a: Array, b: Array) -> Array:
    return np.maximum(a, b) if a.dtype.kind == "i" else _either_nan(a, b, np.where(a > b, a, b))


def _min(a: Array, b: Array) -> Array:
    return np.minimum(a, b) if a.dtype.kind == "i" else _either_nan(a, b, np.where(a < b, a, b))


def is_nan(x: Array) -> Array:
    """Returns which elements are NaN. It accepts integers, and bfloat16 without a warning."""
    return np.not_equal(x, x)


def _relu(x: Array) -> Array:
    return np.where((x > 0) | is_nan(x), x, 0).astype(x.dtype)


def _axpy(x: Array, s: Any, dst: Array) -> Array:
    return (dst + (x * s).astype(x.dtype)).astype(x.dtype)


BINARY: dict[str, tuple[Callable[..., Array], tuple[str, ...]]] = {
    "Add": (np.add, ARITHMETIC),
    "Sub": (np.subtract, ARITHMETIC),
    "Mul": (np.multiply, ARITHMETIC),
    "Div": (np.divide, FLOATS),
    "Max": (_max, ARITHMETIC),
    "Min": (_min, ARITHMETIC),
    "And": (np.bitwise_and, BITS),
    "Or": (np.bitwise_or, BITS),
}
UNARY: dict[str, tuple[Callable[..., Array], tuple[str, ...]]] = {
    "Exp": (np.exp, FLOATS),
    "Ln": (np.log, FLOATS),
    "Abs": (np.abs, FLOATS),
    "Sqrt": (np.sqrt, FLOATS),
    "Rsqrt": (lambda x: 1.0 / np.sqrt(x), FLOATS),
    "Reciprocal": (np.reciprocal, FLOATS),
    "Relu": (_relu, (*FLOATS, "int32_t")),
    "Not": (np.invert, ("int16_t", "uint16_t")),
}
SCALAR: dict[str, tuple[Callable[..., Array], tuple[str, ...]]] = {
    "Adds": (np.add, ARITHMETIC),
    "Muls": (np.multiply, ARITHMETIC),
    "Maxs": (_max, ARITHMETIC),
    "Mins": (_min, ARITHMETIC),
    "LeakyRelu": (lambda x, s: np.where(x >= 0, x, x * s).astype(x.dtype), FLOATS),
    "Axpy": (_axpy, FLOATS),
}
OPS = (*BINARY, *UNARY, *SCALAR, "Duplicate", "Cast")

#: For instructions that are not correctly rounded: the largest distance from the exact result, in
#: units in the last place.
ULPS = {
    ("Exp", "float"): 1.0,
    ("Exp", "half"): 0.51,
    ("Ln", "float"): 0.51,
    ("Ln", "half"): 0.51,
    ("Rsqrt", "float"): 1.5,  # the result is rounded twice
    ("Rsqrt", "half"): 0.51,
}


@dataclass(frozen=True)
class Case:
    """Describes one instruction. Operands are byte offsets in UB; strides count blocks of 32 B."""

    op: str
    dtype: str
    src_dtype: str = ""
    form: str = "count"
    count: int = 0
    repeats: int = 1
    low: int = 0
    high: int = 0
    dst: int = 0
    src0: int = 0
    src1: int = 0
    blk: tuple[int, int, int] = (1, 1, 1)
    rep: tuple[int, int, int] = (8, 8, 8)
    mode: str = "NONE"
    counter: bool = False
    scalar: bytes = b""

    def pack(self, words: int) -> bytes:
        """Returns the bytes of the kernel's VectorCase."""
        numbers = (
            *(OPS.index(self.op), _NUMBERS[self.dtype], _NUMBERS[self.src_name]),
            *(FORMS.index(self.form), self.count, self.repeats, self.dst, self.src0, self.src1),
            *(*self.blk, *self.rep, MODES.index(self.mode), int(self.counter), words),
        )
        return struct.pack("<18i2Q", *numbers, self.low, self.high) + self.scalar.ljust(8, b"\0")

    @property
    def dst_type(self) -> np.dtype[Any]:
        return DTYPES[self.dtype]

    @property
    def src_type(self) -> np.dtype[Any]:
        return DTYPES[self.src_name]

    @property
    def src_name(self) -> str:
        return self.src_dtype or self.dtype

    @property
    def per_repeat(self) -> int:
        widest = self.dst_type.itemsize
        if self.op == "Cast":
            widest = max(widest, self.src_type.itemsize)
        return 256 // widest

    def active(self) -> Iterator[tuple[int, Array]]:
        """Yields each repeat with the indices of its active elements, in the hardware's order."""
        if self.form == "count":
            yield 0, np.arange(self.count)
        elif self.counter:
            for start in range(0, self.low, self.per_repeat):
                yield (
                    start // self.per_repeat,
                    np.arange(min(self.per_repeat, self.low - start)),
                )
        else:
            elements = np.arange(self.per_repeat)
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
        size = (self.dst_type if operand == 0 else self.src_type).itemsize
        if self.form == "count":
            return start + elements * size
        per_block = 32 // size
        return (
            start
            + repeat * self.rep[operand] * 32
            + elements // per_block * self.blk[operand] * 32
            + elements % per_block * size
        )


def read(image: Array, places: Array, dtype: np.dtype[Any]) -> Array:
    bytes_ = image[places[:, None] + np.arange(dtype.itemsize)]
    return np.ascontiguousarray(bytes_).view(dtype).reshape(-1)


def write(image: Array, places: Array, values: Array) -> None:
    bytes_ = np.ascontiguousarray(values).view(np.uint8).reshape(len(places), -1)
    image[places[:, None] + np.arange(values.itemsize)] = bytes_


def compute(case: Case, sources: list[Array], dst: Array) -> Array:
    """Returns the result of the instruction, as float64 if only an error bound is defined."""
    with np.errstate(all="ignore"):
        if case.op == "Duplicate":
            return np.full(len(dst), np.frombuffer(case.scalar, case.dst_type)[0], case.dst_type)
        if case.op in BINARY:
            return BINARY[case.op][0](*sources)
        if case.op in SCALAR:
            scalar = np.frombuffer(case.scalar, case.dst_type)
            extra = [dst] if case.op == "Axpy" else []
            return SCALAR[case.op][0](sources[0], scalar, *extra)
        wide = (case.op, case.dtype) in ULPS
        return UNARY[case.op][0](sources[0].astype(np.float64) if wide else sources[0])


def simulate(image: Array, case: Case) -> tuple[Array, list[tuple[Array, Array]]]:
    """Returns the bytes of UB after the instruction, and (byte offsets, results) per repeat."""
    image = image.copy()
    written = []
    for repeat, elements in case.active():
        if len(elements) == 0:
            continue
        count = 2 if case.op in BINARY else int(case.op != "Duplicate")
        sources = [
            read(image, case.places(i + 1, repeat, elements), case.src_type) for i in range(count)
        ]
        places = case.places(0, repeat, elements)
        result = compute(case, sources, read(image, places, case.dst_type))
        with np.errstate(all="ignore"):
            write(image, places, result.astype(case.dst_type))
        written.append((places, result))
    return image, written
