# SPDX-License-Identifier: Apache-2.0
"""Models single instructions of compound arithmetic and type conversion on an image of UB."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from ml_dtypes import bfloat16

from .cast_model import round_integral, to_float
from .vector_machine import assert_same
from .vector_model import DTYPES, FORMS, MODES, Array, Case, is_nan, read, write

OPS = (
    *("AddRelu", "SubRelu", "FusedMulAdd", "FusedMulAddRelu", "MulAddDst", "MulCast"),
    *("AddReluCast", "SubReluCast", "AddDeqRelu", "Axpy", "ShiftLeft", "ShiftRight"),
    *("Cast", "CastDeq"),
)
TYPES: dict[str, Any] = {
    **DTYPES,
    "int8_t": np.dtype(np.int8),
    "uint8_t": np.dtype(np.uint8),
    "int64_t": np.dtype(np.int64),
    "int4b_t": np.dtype(np.int8),  # one element per byte in arrays, two in UB
}
_NUMBERS = {
    "half": 1,
    "bfloat16_t": 27,
    "float": 0,
    "int16_t": 6,
    "uint16_t": 7,
    "int32_t": 3,
    "uint32_t": 8,
    "int8_t": 2,
    "uint8_t": 4,
    "int64_t": 9,
    "int4b_t": 29,
}
POISON = 0xFFC0DEAD
DEQ_LANES = 16


@dataclass(frozen=True)
class ExtCase(Case):
    """Describes one compound or converting instruction, which needs more fields than Case has."""

    flag: int = 0
    deq: tuple[int, float, int] = (0, 0.0, 0)  # overload of SetDeqScale, scale, offset
    deq_place: int = 0
    saturation: int = 0

    def pack(self, words: int) -> bytes:
        numbers = (
            *(OPS.index(self.op), _NUMBERS[self.dtype], _NUMBERS[self.src_name]),
            *(FORMS.index(self.form), self.count, self.repeats, self.dst, self.src0, self.src1),
            *(*self.blk, *self.rep, MODES.index(self.mode), int(self.counter), words),
            *(self.flag, self.deq[0], self.deq_place, self.saturation),
        )
        scalar = int.from_bytes(self.scalar, "little")
        deq = (self.deq[1], self.deq[2])
        return struct.pack("<22i3Qfi", *numbers, self.low, self.high, scalar, *deq)

    @property
    def dst_type(self) -> np.dtype[Any]:
        return TYPES[self.dtype]

    @property
    def src_type(self) -> np.dtype[Any]:
        return TYPES[self.src_name]

    @property
    def per_repeat(self) -> int:
        return 256 // max(self.dst_type.itemsize, self.src_type.itemsize)

    def active(self) -> Any:
        if self.op == "CastDeq" and self.form == "count":  # 128 elements per repeat (counter mode)
            for start in range(0, self.count, 128):
                yield start // 128, np.arange(min(128, self.count - start))
        else:
            yield from super().active()

    def nibbles(self, operand: int, repeat: int, elements: Array) -> Array:
        """Returns the addresses of int4b_t elements, in units of half a byte."""
        start = 2 * (self.dst, self.src0)[operand]
        if self.form == "count":
            return start + elements
        row = repeat * self.rep[operand] + elements // 64 * self.blk[operand]
        return start + 64 * row + elements % 64

    def places(self, operand: int, repeat: int, elements: Array) -> Array:
        if self.op != "CastDeq":
            return super().places(operand, repeat, elements)
        block = repeat * self.rep[operand] + elements // DEQ_LANES * self.blk[operand]
        if operand == 0:
            return self.dst + 32 * block + 16 * self.flag + elements % DEQ_LANES
        return self.src0 + 32 * block + elements % DEQ_LANES * 2


def relu(x: Array) -> Array:
    return np.where((x > 0) | is_nan(x), x, 0).astype(x.dtype)


def to_integer(x: Array, kind: np.dtype[Any], mode: str, low: int, high: int) -> Array:
    """Rounds numbers exactly to integers, limits them to [low, high], and turns NaN into 0."""
    exact = x if x.dtype.kind == "i" else round_integral(x.astype(np.float64), mode)
    finite = [0 if np.isnan(v) else (v if abs(v) < 1e300 else np.sign(v) * 1e300) for v in exact]
    return np.array([min(max(int(v), low), high) for v in finite], object).astype(kind)


def integer_to_float(x: Array, mode: str) -> Array:
    """Converts 64-bit integers to float in exact arithmetic."""
    out = []
    for value in x.tolist():
        unit = 1 << max(abs(value).bit_length() - 24, 0)
        down, rest = divmod(value, unit)
        nearest = 2 * rest > unit or (2 * rest == unit and down % 2 == 1)
        away = 2 * rest > unit or (2 * rest == unit and value > 0)
        up = {
            "FLOOR": False,
            "CEIL": rest > 0,
            "TRUNC": rest > 0 and value < 0,
            "ROUND": away,
        }.get(mode, nearest)
        out.append((down + up) * unit)
    return np.array(out, np.float64).astype(np.float32)  # exact: at most 24 significant bits


def cast(case: ExtCase, x: Array) -> Array:
    dst, src = case.dtype, case.src_name
    if dst == "half" and src == "int32_t":
        scaled = x.astype(np.float32) * np.float32(np.float16(case.deq[1]))
        return scaled.astype(np.float16)
    if dst == "float" and src == "int64_t":
        return integer_to_float(x, case.mode)
    if dst in ("half", "bfloat16_t"):
        return to_float(x.astype(np.float64), dst, case.mode)
    limits = (-8, 7) if dst == "int4b_t" else (np.iinfo(TYPES[dst]).min, np.iinfo(TYPES[dst]).max)
    if case.saturation & 2 and src != "int4b_t":
        wide = to_integer(x, np.dtype(np.int64), case.mode, -(2**63), 2**63 - 1)
        bits = wide.view(np.uint64)
        return (
            (bits & np.uint64(15)).astype(np.int8) if dst == "int4b_t" else bits.astype(TYPES[dst])
        )
    return to_integer(x, TYPES[dst], case.mode, *limits)


def cast_deq(case: ExtCase, x: Array, elements: Array) -> Array:
    kind, scale, offset = case.deq
    lane = elements % DEQ_LANES if kind == 3 else np.zeros(len(elements), int)
    scales = (np.float32(scale) * (lane + 1).astype(np.float32)).astype(np.float32)
    kept = (scales.view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32)
    shifted = (x.astype(np.float32) * kept).astype(np.float32) + (offset + lane).astype(np.float32)
    info = np.iinfo(case.dst_type)
    return np.clip(np.rint(shifted), info.min, info.max).astype(case.dst_type)


def shift(case: ExtCase, x: Array) -> Array:
    bits = 8 * x.itemsize
    by = int(np.frombuffer(case.scalar, x.dtype)[0])
    wide = x.astype(object)
    if case.op == "ShiftRight":
        rounding = (wide >> (by - 1)) & 1 if case.flag and by else 0
        return ((wide >> by) + rounding).astype(np.int64).astype(x.dtype)
    if x.dtype.kind == "u":
        return ((wide << by) % 2**bits).astype(np.uint64).astype(x.dtype)
    kept = (wide << by) % 2 ** (bits - 1)  # a left shift keeps the sign bit
    return (kept - np.where(x < 0, 2 ** (bits - 1), 0)).astype(np.int64).astype(x.dtype)


def _sum_cast(x: Array, case: ExtCase) -> Array:
    if case.dtype == "half":
        return x.astype(np.float16)
    info = np.iinfo(case.dst_type)
    return to_integer(x, case.dst_type, "RINT", info.min, info.max)


_TWO: dict[str, Callable[..., Array]] = {
    "AddRelu": lambda c, a, b, d: relu(a + b),
    "SubRelu": lambda c, a, b, d: relu(a - b),
    "FusedMulAdd": lambda c, a, b, d: a * d + b,
    "FusedMulAddRelu": lambda c, a, b, d: relu(a * d + b),
    "MulAddDst": lambda c, a, b, d: d + a.astype(d.dtype) * b.astype(d.dtype),
    "MulCast": lambda c, a, b, d: _sum_cast(a * b, c),
    "AddReluCast": lambda c, a, b, d: _sum_cast(relu(a + b), c),
    "SubReluCast": lambda c, a, b, d: _sum_cast(relu(a - b), c),
    "AddDeqRelu": lambda c, a, b, d: relu(
        ((a + b).astype(np.float32) * np.float32(np.float16(c.deq[1]))).astype(np.float16)
    ),
}


def saturate(x: Array) -> Array:
    """Turns infinities into the largest finite number and NaN into zero."""
    largest = np.float32(65504) if x.dtype == np.float16 else bfloat16("3.38953139e38")
    limited = np.where(np.isinf(x), np.copysign(largest, x), x)
    return np.where(is_nan(x), 0, limited).astype(x.dtype)


def compute(case: ExtCase, elements: Array, sources: list[Array], dst: Array) -> Array:
    with np.errstate(all="ignore"):
        if case.op in _TWO:
            result = _TWO[case.op](case, *sources, dst)
        elif case.op == "Axpy":
            scalar = np.frombuffer(case.scalar, case.src_type)[:1].astype(dst.dtype)
            result = dst + sources[0].astype(dst.dtype) * scalar
        elif case.op == "Cast":
            result = cast(case, sources[0])
        elif case.op == "CastDeq":
            result = cast_deq(case, sources[0], elements)
        else:
            result = shift(case, sources[0])
        if case.saturation & 1 and case.dtype in ("half", "bfloat16_t"):
            result = saturate(result)
    return result


def read_nibbles(image: Array, places: Array) -> Array:
    nibbles = (image[places // 2] >> (places % 2 * 4)) & 15
    return ((nibbles ^ 8).astype(np.int8) - np.int8(8)).astype(np.int8)


def write_nibbles(image: Array, places: Array, values: Array) -> None:
    for place, value in zip(places.tolist(), values.tolist(), strict=True):
        old = int(image[place // 2])
        image[place // 2] = (old & (0xF0 >> (place % 2 * 4))) | (value & 15) << (place % 2 * 4)


class ExtMachine:
    """Runs the kernel arithmetic_ext on given bytes of UB and compares them with the model."""

    def __init__(self, kernel: Any) -> None:
        self.kernel = kernel

    def run(self, image: Array, case: ExtCase) -> Array:
        out = np.full_like(image, 0xEE)
        self.kernel(1, image, out, tiling=case.pack(len(image) // 4))
        return out

    def compare(self, image: Array, case: ExtCase) -> Array:
        """Checks that every byte of UB is as in the model; all NaNs count as equal."""
        got = self.run(image, case)
        want = image.copy()
        if case.deq[0] == 3:
            want[case.deq_place : case.deq_place + 128] = got[case.deq_place : case.deq_place + 128]
        for repeat, elements in case.active():
            if len(elements):
                self._step(got, want, case, repeat, elements)
        if case.op == "AddDeqRelu":
            for repeat, elements in case.active():
                for operand in (1, 2) if len(elements) else ():
                    spent = np.full(len(elements), POISON, np.uint32)
                    write(want, case.places(operand, repeat, elements), spent)
        np.testing.assert_array_equal(got, want)
        return got

    @staticmethod
    def _step(got: Array, want: Array, case: ExtCase, repeat: int, elements: Array) -> None:
        count = 2 if case.op in _TWO else 1
        if case.src_name == "int4b_t":
            sources = [read_nibbles(want, case.nibbles(1, repeat, elements))]
        else:
            sources = [
                read(want, case.places(i + 1, repeat, elements), case.src_type)
                for i in range(count)
            ]
        if case.dtype == "int4b_t":
            result = compute(case, elements, sources, np.zeros(0, np.int8))
            write_nibbles(want, case.nibbles(0, repeat, elements), result)
            return
        places = case.places(0, repeat, elements)
        old = read(want, places, case.dst_type)
        result = compute(case, elements, sources, old).astype(case.dst_type)
        last = len(np.unique(places)) == len(places)
        if result.dtype.kind not in "iu" and last and case.rep[0] != 0:
            assert_same(read(got, places, case.dst_type), result)
            result = np.where(is_nan(result), read(got, places, case.dst_type), result)
        write(want, places, result)
