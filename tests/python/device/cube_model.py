# SPDX-License-Identifier: Apache-2.0
"""Models the cube core in NumPy. Each memory is an array of bytes with a mask of its defined
bytes."""

from __future__ import annotations

from typing import Any

import numpy as np
from ml_dtypes import bfloat16
from numpy.typing import NDArray

Array = NDArray[Any]

TYPES: dict[str, Any] = {
    "half": np.float16,
    "bfloat16_t": bfloat16,
    "float": np.float32,
    "int8_t": np.int8,
    "uint8_t": np.uint8,
    "int32_t": np.int32,
}
SIZES = {"L1": 524288, "A2": 65536, "B2": 65536, "CO1": 131072, "C2": 1024, "FB": 7168}


def ceil(value: int, by: int) -> int:
    return -(-value // by)


def bits(dtype: str) -> int:
    return 4 if dtype == "int4b_t" else 8 * np.dtype(TYPES[dtype]).itemsize


def c0(dtype: str) -> int:
    """Returns the number of elements of `dtype` in 32 B."""
    return 256 // bits(dtype)


def pack4(values: Array) -> Array:
    low, high = values.reshape(-1, 2).T.astype(np.uint8) & 15
    return low | high << 4


def unpack4(data: Array) -> Array:
    both = np.stack([data & 15, data >> 4], axis=-1).reshape(-1).astype(np.int8)
    return ((both ^ 8) - 8).astype(np.int8)


def to_bytes(values: Array, dtype: str) -> Array:
    if dtype == "int4b_t":
        return pack4(values)
    return np.ascontiguousarray(values.astype(TYPES[dtype])).view(np.uint8).reshape(-1)


def zz(rows: int, columns: int, width: int, fractals: int) -> Array:
    """Returns indices of elements in L0A; a row of blocks has `fractals` blocks of 16 x `width`."""
    i, j = np.ogrid[:rows, :columns]
    return ((i // 16) * fractals + j // width) * 16 * width + (i % 16) * width + j % width


def zn(rows: int, columns: int, height: int) -> Array:
    """Returns indices of elements in L0B; each block of `height` x 16 is stored by columns."""
    i, j = np.ogrid[:rows, :columns]
    fractals = ceil(columns, 16)
    return ((i // height) * fractals + j // 16) * 16 * height + (j % 16) * height + i % height


def nz(rows: int, columns: int, width: int, stride: int) -> Array:
    """Returns indices of matrix elements in NZ: stripes of `width` columns and `stride` rows."""
    i, j = np.ogrid[:rows, :columns]
    return (j // width) * stride * width + i * width + j % width


class Memory:
    """Holds the bytes of one memory, and a flag for each byte that is defined."""

    def __init__(self, size: int) -> None:
        self.data = np.zeros(size, np.uint8)
        self.known = np.zeros(size, bool)

    def put(self, start: int, data: Array) -> None:
        flat = np.ascontiguousarray(data).view(np.uint8).reshape(-1)
        self.data[start : start + flat.size] = flat
        self.known[start : start + flat.size] = True

    def forget(self, start: int, size: int) -> None:
        self.known[start : start + size] = False

    def copy(self, start: int, other: Memory, origin: int, size: int) -> None:
        self.data[start : start + size] = other.data[origin : origin + size]
        self.known[start : start + size] = other.known[origin : origin + size]

    def get(self, start: int, places: Array, dtype: str) -> Array:
        """Returns the elements at `places` from byte `start`; all of them must be defined."""
        if dtype == "int4b_t":
            all_ = unpack4(self.data[start:])
            assert self.known[start + places // 2].all()
            return all_[places]
        size = np.dtype(TYPES[dtype]).itemsize
        count = int(places.max()) + 1
        part = slice(start, start + count * size)
        assert self.known[part].reshape(count, size)[places].all(), "undefined operand"
        return self.data[part].view(TYPES[dtype])[places]

    def set(self, start: int, places: Array, values: Array) -> None:
        size = values.itemsize
        raw = np.ascontiguousarray(values).view(np.uint8).reshape(*values.shape, size)
        at = start + places[..., None] * size + np.arange(size)
        self.data[at] = raw
        self.known[at] = True


def fused(a: Array, b: Array, c: Array) -> Array:
    """Computes a @ b + c in float32, one k after another. The values in the tests are exact in
    float64, so each step rounds only once, to float32."""
    sums = c.astype(np.float32)
    for k in range(a.shape[1]):
        step = np.multiply.outer(a[:, k].astype(np.float64), b[k].astype(np.float64))
        sums = (step + sums).astype(np.float32)
    return sums


def hf32(values: Array, ties_to_zero: bool) -> Array:
    """Rounds float32 values to HF32, which has 11 bits of mantissa."""
    raw = values.view(np.uint32).astype(np.uint64)
    half = 0x7FF if ties_to_zero else 0x7FF + (raw >> 12 & 1)
    return ((raw + half) & 0xFFFFF000).astype(np.uint32).view(np.float32)


class Cube:
    """Models one cube core. Each method is one instruction; its addresses are in bytes."""

    def __init__(self, gm: Array, out_size: int) -> None:
        self.gm = gm
        self.mem = {name: Memory(size) for name, size in SIZES.items()}
        self.out = Memory(out_size)
        self.hf32 = (False, False)
        self.keep_inf = True

    # --- instructions that write L1

    def copy_in(self, dst: int, src: int, size: int) -> None:
        self.mem["L1"].put(dst, self.gm[src : src + size])

    def copy_out(self, dst: int, src: int, size: int) -> None:
        self.out.copy(dst, self.mem["L1"], src, size)

    def nd2nz(self, dtype: str, dst: int, src: int, params: tuple[int, ...]) -> None:
        nd, n, d, src_nd, src_d, c0_stride, n_stride, dst_nd = params
        size = 1 if dtype == "int4b_t" else bits(dtype) // 8
        for matrix in range(nd):
            for row in range(n):
                start = src + (matrix * src_nd + row * src_d) * size
                line = np.zeros(ceil(d * size, 32) * 32, np.uint8)
                line[: d * size] = self.gm[start : start + d * size]
                for stripe, block in enumerate(line.reshape(-1, 32)):
                    place = (stripe * c0_stride + row * n_stride) * 32
                    self.mem["L1"].put(dst + matrix * dst_nd * size + place, block)

    # --- instructions that write L0A, L0B or the bias table

    def load2d(
        self, dtype: str, to: str, dst: int, src: int, params: tuple[int, ...], from_gm: bool
    ) -> None:
        start, repeats, stride, gap, turn, down = params
        l1 = self.mem["L1"]
        for r in range(repeats):
            origin = src + (start + (-r if down else r) * stride) * 512
            place = dst + r * (1 + gap) * 512
            if from_gm:
                self.mem[to].put(place, self.gm[origin : origin + 512])
            elif turn:
                square = l1.data[origin : origin + 512].view(np.uint16).reshape(16, 16)
                self.mem[to].put(place, square.T)
            else:
                self.mem[to].copy(place, l1, origin, 512)

    def load_transposed(
        self, dtype: str, to: str, dst: int, src: int, params: tuple[int, ...]
    ) -> None:
        start, repeats, stride, gap, inner, down = params
        width = bits(dtype)
        fractals = {4: 4, 8: 2, 16: 1, 32: 2}[width]
        for r in range(repeats):
            origin = src + (start + (-r if down else r) * stride) * fractals * 512
            data = self.mem["L1"].data[origin : origin + fractals * 512]
            if width == 4:
                turned = unpack4(data).reshape(64, 64).T
                parts = [pack4(part.reshape(-1)) for part in np.split(turned, 4)]
            elif width == 32:
                whole = np.concatenate(data.view(np.uint32).reshape(2, 16, 8), axis=1)
                parts = [whole.T[:, :8], whole.T[:, 8:]]
            else:
                side = 256 // width
                turned = data.view(f"u{width // 8}").reshape(side, side).T
                parts = list(np.split(turned, fractals))
            for i, part in enumerate(parts):
                self.mem[to].put(dst + (r * (1 + gap) + i * (1 + inner)) * 512, part)

    def load3d(self, dtype: str, to: str, dst: int, src: int, params: tuple[int, ...]) -> None:
        left, right, top, bottom, h, w, channels = params[:7]
        k_ext, m_ext, k_start, m_start, stride_w, stride_h, fw, fh, dw, dh, turn, pad = params[7:]
        per = c0(dtype)
        blocks = channels // per
        image = self.mem["L1"].data[src : src + blocks * h * w * 32].reshape(blocks, h, w, 32)
        raw = np.frombuffer(int(pad).to_bytes(8, "little"), np.uint8)
        size = max(1, bits(dtype) // 8)
        padded = np.tile(raw[:size], 32 // size) * np.ones(
            (blocks, h + top + bottom, w + left + right, 1), np.uint8
        )
        padded[:, top : top + h, left : left + w] = image
        out_h = (padded.shape[1] - (fh - 1) * dh - 1) // stride_h + 1
        out_w = (padded.shape[2] - (fw - 1) * dw - 1) // stride_w + 1
        rows = [
            [
                padded[c, y * stride_h + i * dh, x * stride_w + j * dw]
                for c in range(blocks)
                for i in range(fh)
                for j in range(fw)
            ]
            for y in range(out_h)
            for x in range(out_w)
        ]
        first = k_start // per
        block = np.array(rows, np.uint8)[m_start : m_start + m_ext, first : first + k_ext // per]
        self.store_block(dtype, to, dst, block, m_ext, k_ext, bool(turn))

    def store_block(
        self, dtype: str, to: str, dst: int, block: Array, m_ext: int, k_ext: int, turn: bool
    ) -> None:
        """Stores a matrix into L0. The shape of `block` is rows x blocks of 32 B."""
        per = c0(dtype)
        if to == "A2" and not turn:
            for (i, j), _ in np.ndenumerate(block[:, :, 0]):
                fractal = (i // 16) * ceil(k_ext, per) + j
                self.mem[to].put(dst + fractal * 512 + (i % 16) * 32, block[i, j])
            return
        values = np.ascontiguousarray(block).view(f"u{bits(dtype) // 8}")
        values = values.reshape(block.shape[0], -1)
        rows = ceil(m_ext, 16) * 16
        if to == "A2":
            places = zz(values.shape[1], values.shape[0], per, rows // per)
            self.mem[to].set(dst, places, np.ascontiguousarray(values.T))
        else:
            self.mem[to].set(dst, zn(rows, k_ext, per)[: values.shape[0]], values)

    def fill(
        self, dtype: str, to: str, dst: int, repeats: int, blocks: int, gap: int, raw: int
    ) -> None:
        unit = 32 if to == "L1" else 512
        value = np.array([raw], np.uint64).view(np.uint8)[: bits(dtype) // 8]
        for r in range(repeats):
            data = np.tile(value, blocks * unit // len(value))
            self.mem[to].put(dst + r * (blocks + gap) * unit, data)

    def to_table(self, kind: int, dst: int, src: int, size: int) -> None:
        if kind == 1:
            half = self.mem["L1"].data[src : src + size // 2].view(np.float16)
            self.mem["C2"].put(dst, half.astype(np.float32))
        else:
            self.mem["C2"].copy(dst, self.mem["L1"], src, size)

    # --- matrix products

    def mmad(
        self,
        dtype: str,
        c: int,
        a: int,
        b: int,
        shape: tuple[int, int, int],
        start: str = "zero",
        bias: int = 0,
        align: bool = False,
    ) -> None:
        m, n, k = shape
        per = c0(dtype)
        rows_of_fractals = ceil(ceil(k, per), 2) * 2 if align else ceil(k, per)
        places = np.arange(k)[None] if m == 1 else zz(m, k, per, rows_of_fractals)
        left = self.mem["A2"].get(a, places, dtype)
        right = self.mem["B2"].get(b, zn(k, n, per), dtype)
        kind = "int32_t" if dtype in ("int8_t", "int4b_t") else "float"
        cells = nz(m, n, 16, ceil(m, 16) * 16)
        if start == "zero":
            old = np.zeros((m, n), TYPES[kind])
        elif start == "table":
            row = self.mem["C2"].get(bias, np.arange(n), kind)
            old = np.broadcast_to(row, (m, n))
        else:
            old = self.mem["CO1"].get(bias if start == "other" else c, cells, kind)
        self.finish(c, m, n, self.product(dtype, left, right, old))

    def product(self, dtype: str, left: Array, right: Array, old: Array) -> Array:
        if dtype in ("int8_t", "int4b_t"):
            exact = left.astype(np.int64) @ right.astype(np.int64) + old.astype(np.int64)
            return np.clip(exact, -(2**31), 2**31 - 1).astype(np.int32)
        if dtype == "float" and self.hf32[0]:
            left, right = hf32(left, self.hf32[1]), hf32(right, self.hf32[1])
        result = fused(left, right, old)
        if not self.keep_inf:
            result = np.nan_to_num(result, nan=0.0)
        return result

    def finish(self, c: int, m: int, n: int, values: Array) -> None:
        rows = ceil(m, 16) * 16
        self.mem["CO1"].forget(c, rows * ceil(n, 16) * 64)
        self.mem["CO1"].set(c, nz(m, n, 16, rows), values)

    def sparse(
        self, c: int, kept: Array, index: Array, a: int, shape: tuple[int, int, int]
    ) -> None:
        """Multiplies A by sparse B. `kept` has the values of B, `index` has their row offsets."""
        m, n, k = shape
        full = np.zeros((k, n), np.int64)
        for i in range(k // 2):
            base = i // 2 * 4 + (i % 2)
            for j in range(n):
                full[base + index[i, j], j] += kept[i, j]
        left = self.mem["A2"].get(a, zz(m, k, 32, k // 32), "int8_t").astype(np.int64)
        self.finish(c, m, n, (left @ full).astype(np.int32))
