# SPDX-License-Identifier: Apache-2.0
"""Models Fixpipe in NumPy, which copies out of L0C: conversion, then row-major or fractal order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from ml_dtypes import bfloat16

from .cube_model import TYPES, Array, Cube, ceil, nz

MODES = {
    ("float", "float"): (0, 0),
    ("half", "float"): (1, 1),
    ("bfloat16_t", "float"): (16, 16),
    ("int8_t", "float"): (24, 23),
    ("uint8_t", "float"): (24, 23),
    ("int32_t", "int32_t"): (0, 0),
    ("half", "int32_t"): (11, 10),
    ("int8_t", "int32_t"): (9, 8),
    ("uint8_t", "int32_t"): (9, 8),
}
PAIRS = tuple(MODES)


@dataclass(frozen=True)
class Out:
    """Describes one Fixpipe; the fields are those of FixpipeParamsV220."""

    to: str
    src: str
    n: int
    m: int
    dst_stride: int
    row_major: bool = True
    src_stride: int = 0  # 0 means m rounded up to 16
    relu: bool = False
    words: tuple[int, ...] = ()  # quantisation words: one, or one per column
    vector: bool = False
    nd: int = 1
    src_nd: int = 0
    dst_nd: int = 0
    split: bool = False
    unit_flag: int = 0

    @property
    def mode(self) -> int:
        return MODES[self.to, self.src][self.vector]

    @property
    def stripe_rows(self) -> int:
        return self.src_stride or ceil(self.m, 16) * 16


def word(scale: float, dtype: str, offset: int = 0, shift: int = 0) -> int:
    """Returns a quantisation word. `shift` is 1 to 16 bits; 0 means no shift."""
    raw = int(np.float32(scale).view(np.uint32))
    raw |= ((shift - 1) | 16) << 32 if shift else 0
    return raw | (offset & 0x1FF) << 37 | (dtype == "int8_t") << 46


def scale_of(raw: int) -> np.float32:
    return np.uint32(raw & 0xFFFFE000).view(np.float32)


def quantise(values: Array, out: Out, raw: int) -> Array:
    """Converts one column with its quantisation word `raw`."""
    shift = (raw >> 32 & 15) + 1 if raw >> 36 & 1 else 0
    if out.src == "int32_t" and shift:
        values = np.clip(values >> shift, -32768, 32767)
    numbers = values.astype(np.float32)
    factor = np.where(numbers < 0, np.float32(0) if out.relu else scale_of(raw), scale_of(raw))
    scaled = (numbers * factor).astype(np.float32)
    if out.to == "half":
        return scaled.astype(np.float16)
    offset = (raw >> 37 & 0x1FF) - (512 if raw >> 45 & 1 else 0)
    nine = np.clip(np.rint(np.nan_to_num(scaled, nan=0.0)), -256, 255) + offset
    limits = np.iinfo(TYPES[out.to])
    return np.clip(nine, limits.min, limits.max).astype(TYPES[out.to])


def convert(values: Array, out: Out, keep_inf: bool) -> Array:
    if out.words:
        words = out.words if out.vector else out.words * values.shape[1]
        result = np.stack(
            [quantise(values[:, j], out, words[j]) for j in range(values.shape[1])], axis=1
        )
    else:
        result = np.maximum(values, 0).astype(values.dtype) if out.relu else values
        with np.errstate(over="ignore"):
            result = result.astype(TYPES[out.to])
    if not keep_inf and result.dtype in (np.float16, bfloat16):
        top = float(np.finfo(np.float16).max) if result.dtype == np.float16 else 3.38953139e38
        result = np.clip(np.nan_to_num(result.astype(np.float32), nan=0.0), -top, top).astype(
            result.dtype
        )
    return result


def fixpipe(cube: Cube, out: Out, target: str, dst: int, src: int, atomic: bool = False) -> None:
    memory = cube.out if target == "GM" else cube.mem["L1"]
    size = np.dtype(TYPES[out.to]).itemsize
    for matrix in range(out.nd):
        places = nz(out.m, out.n, 16, out.stripe_rows) + matrix * out.src_nd * 256
        values = convert(cube.mem["CO1"].get(src, places, out.src), out, cube.keep_inf)
        start = dst + matrix * out.dst_nd * size
        if out.row_major:
            i, j = np.ogrid[: out.m, : out.n]
            where = i * out.dst_stride + j
        else:
            width = 8 if out.split else (32 if size == 1 else 16)
            i, j = np.ogrid[: out.m, : out.n]
            stripe = j // width
            rows_of = np.minimum(width, out.n - stripe * width)
            where = stripe * (out.dst_stride * 32 // size) + i * rows_of + j % width
        if atomic:
            raw = memory.data[start : start + (int(where.max()) + 1) * size]
            values = (raw.view(values.dtype)[where] + values).astype(values.dtype)
        memory.set(start, where, values)
