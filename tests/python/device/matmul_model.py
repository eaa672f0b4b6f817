# SPDX-License-Identifier: Apache-2.0
"""Models one matrix product of a Matmul object in NumPy, with its operands' storage formats."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from ml_dtypes import bfloat16

Array = np.ndarray[Any, Any]

C0 = {"half": 16, "bfloat16_t": 16, "float": 8, "int8_t": 32, "int4b_t": 64}
NUMPY: dict[str, Any] = {
    "half": np.float16,
    "bfloat16_t": bfloat16,
    "float": np.float32,
    "int8_t": np.int8,
    "int4b_t": np.int8,
    "int32_t": np.int32,
}
TILING = (
    "usedCoreNum M N Ka Kb singleCoreM singleCoreN singleCoreK baseM baseN baseK depthA1 depthB1 "
    "stepM stepN isBias transLength iterateOrder shareMode shareL1Size shareL0CSize shareUbSize "
    "batchM batchN singleBatchM singleBatchN stepKa stepKb depthAL1CacheUB depthBL1CacheUB dbL0A "
    "dbL0B dbL0C"
)
FIELDS = {name: place for place, name in enumerate(TILING.split())}
LAYOUTS = {"A": 33, "B": 38, "C": 43}


def up(value: int, unit: int) -> int:
    return -(-value // unit) * unit


@dataclass
class Tiling:
    """A tiling that a test writes by hand, with sizes, base block and L1 buffers."""

    m: int
    n: int
    k: int
    single: tuple[int, int, int]
    base: tuple[int, int, int]
    steps: tuple[int, int, int, int] = (1, 1, 1, 1)  # values of stepM, stepN, stepKa, stepKb
    buffers: tuple[int, int] = (1, 1)  # numbers of buffers in L1, for A and B
    order: int = 0
    doubles: tuple[int, int, int] = (1, 1, 1)  # values of dbL0A, dbL0B, dbL0C
    bias: bool = False
    axes: dict[str, tuple[int, ...]] = field(default_factory=dict)
    batch: int = 0

    def pack(self) -> bytes:
        words = [0] * 50
        step_m, step_n, step_ka, step_kb = self.steps
        values = {
            "usedCoreNum": self.blocks,
            "M": self.m,
            "N": self.n,
            "Ka": self.k,
            "Kb": self.k,
            "isBias": int(self.bias),
            "iterateOrder": self.order,
            "stepM": step_m,
            "stepN": step_n,
            "stepKa": step_ka,
            "stepKb": step_kb,
            "depthA1": step_m * step_ka * self.buffers[0],
            "depthB1": step_n * step_kb * self.buffers[1],
        }
        for letter, single, base in zip("MNK", self.single, self.base, strict=True):
            values[f"singleCore{letter}"] = single
            values[f"base{letter}"] = base
        for letter, double in zip("ABC", self.doubles, strict=True):
            values[f"dbL0{letter}"] = double
        for name, value in values.items():
            words[FIELDS[name]] = value
        for letter, axes in self.axes.items():
            words[LAYOUTS[letter] : LAYOUTS[letter] + 5] = axes
        words[48] = self.batch
        return struct.pack("<50i", *words)

    def l1_bytes(self, dtype: str) -> int:
        """Returns the number of bytes in L1 that the base blocks of A and B take."""
        step_m, step_n, step_ka, step_kb = self.steps
        a = self.base[0] * step_m * step_ka * self.buffers[0]
        b = self.base[1] * step_n * step_kb * self.buffers[1]
        return (a + b) * self.base[2] * 32 // C0[dtype]

    @property
    def blocks(self) -> int:
        return -(-self.m // self.single[0]) * -(-self.n // self.single[1])


def pack_int4(values: Array) -> Array:
    """Packs each two elements of the last axis into one byte; the first is in the low 4 bits."""
    low, high = values[..., 0::2] & 15, values[..., 1::2] & 15
    return np.asarray((low | high << 4).astype(np.uint8).view(np.int8))


def fractals(values: Array, stripe: int, fill: float = 0) -> Array:
    """Turns (rows, columns) into [columns / stripe][rows rounded up to 16][stripe]."""
    rows, columns = values.shape
    padded = np.full((up(rows, 16), up(columns, stripe)), fill, values.dtype)
    padded[:rows, :columns] = values
    return np.ascontiguousarray(padded.reshape(padded.shape[0], -1, stripe).transpose(1, 0, 2))


def stored(values: Array, dtype: str, transposed: bool, nz: bool) -> Array:
    """Returns the bytes of an operand as they are stored in GM."""
    matrix = np.ascontiguousarray(values.T if transposed else values)
    if nz:
        matrix = fractals(matrix, C0[dtype])
    return pack_int4(matrix) if dtype == "int4b_t" else matrix


def draw(rng: np.random.Generator, shape: tuple[int, ...], dtype: str) -> Array:
    """Returns small integers. Their sums are exact in float32, so every order of addition gives the
    same result."""
    return rng.integers(-8, 8, shape).astype(NUMPY[dtype])


def product(a: Array, b: Array) -> Array:
    """Returns the exact matrix product as float64 (or int64 for integers)."""
    wide: Any = np.int64 if a.dtype == np.int8 else np.float64
    return np.asarray(a.astype(wide) @ b.astype(wide))


def scale_word(scale: float, offset: int = 0, signed: bool = True) -> int:
    """Returns a 64-bit quantisation word. It holds a float scale without its low 13 bits, an offset
    and a flag for a signed result."""
    bits = int(np.float32(scale).view(np.uint32)) & 0xFFFFE000
    return bits | (offset & 0x1FF) << 37 | int(signed) << 46


def kept(scale: float) -> float:
    """Returns `scale` as a quantisation word stores it: without its low 13 bits."""
    return float(np.uint32(scale_word(scale) & 0xFFFFFFFF).view(np.float32))
