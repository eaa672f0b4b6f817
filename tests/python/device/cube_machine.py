# SPDX-License-Identifier: Apache-2.0
"""Runs lists of cube instructions on the twin and on a NumPy model."""

from __future__ import annotations

from typing import Any

import numpy as np

from .cube_model import Array, Cube, to_bytes, zn, zz
from .fixpipe_model import PAIRS, Out, fixpipe

FIELDS = 40
DTYPES = ("half", "bfloat16_t", "float", "int8_t", "int4b_t")
TARGETS = {"A2": 0, "B2": 1, "L1": 2}


class Program:
    """A list of cube instructions. Each method adds an instruction and runs it on the model."""

    def __init__(self, data: Array, out_size: int) -> None:
        self.data = np.concatenate([data.reshape(-1).view(np.uint8), np.zeros(64, np.uint8)])
        self.model = Cube(self.data, out_size)
        self.lines: list[list[int]] = []

    def line(self, op: int, *fields: int) -> None:
        values = [op, *[int(f) for f in fields]]
        self.lines.append(values + [0] * (FIELDS - len(values)))

    def copy_in(self, dst: int, src: int, size: int) -> None:
        self.line(20, 0, 0, dst, src, size)
        self.model.copy_in(dst, src, size)

    def copy_out(self, dst: int, src: int, size: int) -> None:
        self.line(23, 0, 0, dst, src, size)
        self.model.copy_out(dst, src, size)

    def nd2nz(self, dtype: str, dst: int, src: int, *params: int) -> None:
        self.line(1, DTYPES.index(dtype), 0, dst, src, *params)
        self.model.nd2nz(dtype, dst, src, params)

    def load2d(
        self, dtype: str, to: str, dst: int, src: int, *params: int, from_gm: bool = False
    ) -> None:
        """Adds LoadData with startIndex, repeatTimes, srcStride, dstGap, ifTranspose, addrMode."""
        self.line(2, DTYPES.index(dtype), TARGETS[to], dst, src, *params, from_gm)
        self.model.load2d(dtype, to, dst, src, params, from_gm)

    def load_transposed(self, dtype: str, to: str, dst: int, src: int, *params: int) -> None:
        """Adds a load with startIndex, repeatTimes, srcStride, dstGap, dstFracGap and addrMode."""
        self.line(3, DTYPES.index(dtype), TARGETS[to], dst, src, *params)
        self.model.load_transposed(dtype, to, dst, src, params)

    def load3d(
        self, dtype: str, to: str, dst: int, src: int, *params: int, packed: bool = False
    ) -> None:
        """Adds an image-to-column load. `params` are pads (4), l1H, l1W, channelSize, kExtension,
        mExtension, kStartPt, mStartPt, strides, filter, dilations (W before H), enTranspose, bits
        of the padding value. `packed` selects LoadData3DParamsV2Pro (half, to A2)."""
        self.line(5 if packed else 4, DTYPES.index(dtype), TARGETS[to], dst, src, *params)
        self.model.load3d(dtype, to, dst, src, params)

    def fill(self, dtype: str, to: str, dst: int, *params: int) -> None:
        """Adds Fill. `params` are repeatTimes, blockNum, dstGap and the bits of the value."""
        self.line(25, ("half", "float").index(dtype), TARGETS[to], dst, *params)
        self.model.fill(dtype, to, dst, *params)

    def to_table(self, kind: int, dst: int, src: int, size: int) -> None:
        """Copies to the bias table. `kind` 0 is float, 1 is half to float, 2 is int32_t with an
        element count. `size` is the number of bytes in the table."""
        self.line(24, kind, 0, dst, src, size // 4 if kind == 2 else size // 64)
        self.model.to_table(kind, dst, src, size)

    def mmad(self, dtype: str, shape: tuple[int, int, int], **where: Any) -> None:
        c, a, b = (int(where.get(name, 0)) for name in "cab")
        start = where.get("start", "zero")
        align = bool(where.get("align", False))
        flag = int(where.get("unit_flag", 0))
        bias = int(where.get("bias", 0))
        source = {"table": 1, "other": 2}.get(start, 0)
        self.line(
            *(10, DTYPES.index(dtype), c, a, b, *shape, flag),
            *(align, start == "zero", source, bias),
        )
        self.model.mmad(dtype, c, a, b, shape, start, bias, align)

    def modes(
        self,
        hf32: bool = False,
        to_zero: bool = False,
        keep_inf: bool = True,
        newer: bool = False,
    ) -> None:
        self.line(30, newer, hf32, to_zero, keep_inf, 1, 0)
        self.model.hf32, self.model.keep_inf = (hf32, to_zero), keep_inf

    def fixpipe(
        self, out: Out, dst: int = 0, src: int = 0, to_l1: bool = False, legacy: bool = False,
        vector_at: int = 0, older: bool = False,
    ) -> None:  # fmt: skip
        """Adds a copy out of L0C: with FixpipeParamsV220, with FixpipeParams (`older`), or with
        DataCopy from CO1 (`legacy`).
        """
        blocks = -(-len(out.words) * 8 // 128) if out.vector and legacy else out.vector
        scalar = out.words[0] if out.words and not out.vector else 0
        self.line(
            *(22 if legacy else 21, PAIRS.index((out.to, out.src)), to_l1, dst, src),
            *(out.n, out.m, out.stripe_rows, out.dst_stride, out.relu, out.mode, scalar),
            *(out.nd, out.src_nd, out.dst_nd, out.unit_flag, out.split, blocks, vector_at),
            *(out.row_major, older),
        )
        fixpipe(self.model, out, "L1" if to_l1 else "GM", dst, src)

    # --- operands as matrices

    def raw(self, to: str, dst: int, image: Array, l1: int = 0) -> None:
        """Appends `image` to the input and loads its bytes unchanged into L0, through L1."""
        size = -(-image.size // 512) * 512
        position = len(self.data)
        self.data = np.concatenate([self.data, image, np.zeros(size - image.size, np.uint8)])
        self.model.gm = self.data
        for start in range(0, size, 255 * 512):
            part = min(255 * 512, size - start)
            self.copy_in(l1, position + start, part)
            self.load2d("int8_t", to, dst + start, l1, 0, part // 512, 1, 0, 0, 0)

    def operands(self, dtype: str, left: Array, right: Array, align: bool = False) -> None:
        """Loads A (m, k) into A2 and B (k, n) into B2, both at address 0."""
        (m, k), n = left.shape, right.shape[1]
        per = 64 if dtype == "int4b_t" else 32 // np.dtype(left.dtype).itemsize
        fractals = -(-k // per)
        fractals += fractals % 2 if align else 0
        rows = -(-m // 16)
        image = np.zeros(rows * fractals * 16 * per, left.dtype)
        if m == 1:
            image = np.zeros(-(-k // per) * per, left.dtype)
            image[:k] = left[0]
        else:
            image[zz(m, k, per, fractals)] = left
        self.raw("A2", 0, to_bytes(image, dtype))
        image = np.zeros(-(-k // per) * -(-n // 16) * 16 * per, right.dtype)
        image[zn(k, n, per)] = right
        self.raw("B2", 0, to_bytes(image, dtype))


class CubeMachine:
    """Runs programs on the kernel cube_machine of the fixtures."""

    def __init__(self, kernel: Any) -> None:
        self.kernel = kernel

    def run(self, program: Program, **options: Any) -> Array:
        got = np.full_like(program.model.out.data, 0xEE)
        listing = np.array([[len(program.lines)] + [0] * (FIELDS - 1), *program.lines], np.int64)
        self.kernel(1, program.data, listing, got, **options)
        return got

    def check(self, program: Program) -> Array:
        """Runs the program and compares every byte of its output with the model. Bytes that the
        model does not define must not change."""
        got = self.run(program)
        want = program.model.out.data.copy()
        want[~program.model.out.known] = 0xEE
        wrong = np.flatnonzero(got != want)
        assert wrong.size == 0, f"{wrong.size} bytes differ, first at {wrong[:8]}"
        return got
