# SPDX-License-Identifier: Apache-2.0
"""Compares DataCopy and DataCopyPad in every form and direction with copies byte by byte."""

from __future__ import annotations

import struct
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

import cannery

from .conftest import Compile

Array = np.ndarray[Any, Any]

FORMS = (
    *("in_count", "out_count", "local_count", "in_blocks", "out_blocks", "local_blocks"),
    *("in_pad", "out_pad", "in_pad_old", "out_pad_old"),
)
SIZES = (1, 2, 4, 8)
IMAGE = 8192


@dataclass(frozen=True)
class Copy:
    form: str
    size: int = 4  # bytes of an element
    count: int = 0
    blocks: int = 1
    length: int = 0
    src_stride: int = 0
    dst_stride: int = 0
    is_pad: bool = False
    left: int = 0
    right: int = 0
    value: bytes = b""
    set_pad_value: bool = False
    gm: int = 0
    ub: int = 0
    ub2: int = 0

    def pack(self) -> bytes:
        form = FORMS.index(self.form)
        first = (form, self.size, self.count, self.blocks, self.length, self.src_stride)
        pad = (self.dst_stride, int(self.is_pad), self.left, self.right)
        value = self.value.ljust(8, b"\0")
        last = (int(self.set_pad_value), self.gm, self.ub, self.ub2, IMAGE // 4)
        return struct.pack("<10i", *first, *pad) + value + struct.pack("<5i4x", *last)

    def runs(self) -> tuple[int, int, int, int]:
        """Returns the number of contiguous runs of bytes, the bytes of a run, and the distance of
        runs in the source and in the destination."""
        if self.form.endswith("count"):
            return 1, self.count * self.size // 32 * 32, 0, 0
        if self.form.endswith("blocks"):
            length = self.length * 32
            return self.blocks, length, length + self.src_stride * 32, length + self.dst_stride * 32
        image = (self.length + (self.left + self.right) * self.size + 31) // 32 * 32
        if self.form.startswith("in"):
            return (
                *(self.blocks, self.length),
                *(self.length + self.src_stride, image + self.dst_stride * 32),
            )
        return (
            *(self.blocks, self.length),
            *(image + self.src_stride * 32, self.length + self.dst_stride),
        )


def padded(copy: Copy, run: Array) -> Array:
    """Returns the bytes of one run in UB, with its padding."""
    if not copy.form.startswith("in_pad"):
        return run
    left, right = copy.left * copy.size, copy.right * copy.size
    tail = -(left + len(run)) % 32 if left == right == 0 else -(left + len(run) + right) % 32
    tail += right
    if left == right == 0:
        filler = run[: copy.size].tobytes()
    else:
        filler = copy.value.ljust(copy.size, b"\0")
    pattern = np.frombuffer(filler * 64, np.uint8)
    return np.concatenate([pattern[:left], run, pattern[:tail]])


def simulate(copy: Copy, image: Array, gm: Array) -> tuple[Array, Array]:
    image, gm = image.copy(), gm.copy()
    inward = not copy.form.startswith("out")
    local = copy.form.startswith("local")
    source, target = (image if local or not inward else gm), (image if inward else gm)
    start = copy.ub2 if local else (copy.gm if inward else copy.ub)
    end = copy.ub if inward else copy.gm
    count, length, src_step, dst_step = copy.runs()
    for i in range(count if length else 0):
        run = source[start + i * src_step : start + i * src_step + length].copy()
        run = padded(copy, run)
        target[end + i * dst_step : end + i * dst_step + len(run)] = run
    return image, gm


@pytest.fixture(scope="module")
def kernel(compile_device: Compile) -> Any:
    return compile_device("copies")


def check(kernel: Any, copy: Copy, rng: np.random.Generator, strict: bool = True) -> None:
    image, gm = (rng.integers(0, 256, n, dtype=np.uint8) for n in (IMAGE, 8192 + 64))
    want_image, want_gm = simulate(copy, image, gm)
    got_image = np.zeros_like(image)
    kernel(1, image, got_image, gm, tiling=copy.pack())
    np.testing.assert_array_equal(got_image, want_image, err_msg=str(copy))
    np.testing.assert_array_equal(gm, want_gm, err_msg=str(copy))


@pytest.mark.parametrize("form", ["in_count", "out_count", "local_count"])
@pytest.mark.parametrize("size", SIZES)
def test_count(kernel: Any, rng: np.random.Generator, form: str, size: int) -> None:
    for blocks in (0, 1, 2, 77):
        check(kernel, Copy(form, size, count=blocks * 32 // size, ub=64, ub2=4096), rng)
    # Global memory needs only the alignment of the element type.
    check(kernel, Copy(form, size, count=96 // size, gm=3 * size, ub2=4096), rng)


@pytest.mark.parametrize("form", ["in_count", "out_count", "local_count"])
def test_unaligned_length_drops_its_tail(kernel: Any, rng: np.random.Generator, form: str) -> None:
    copy = Copy(form, 2, count=50, ub2=4096)
    with pytest.raises(cannery.KernelError, match=r"T407 .*100 B.* last 4 B"):
        check(kernel, copy, rng)
    with cannery.use(mode="hardware"):
        check(kernel, copy, rng)
        check(kernel, replace(copy, count=15), rng)


@pytest.mark.parametrize("form", ["in_blocks", "out_blocks", "local_blocks"])
@pytest.mark.parametrize("size", SIZES)
def test_blocks(kernel: Any, rng: np.random.Generator, form: str, size: int) -> None:
    for blocks, length, src, dst in (
        *((1, 5, 0, 0), (7, 2, 0, 0), (7, 2, 3, 0), (7, 2, 0, 3), (5, 3, 1, 2)),
        *((0, 4, 0, 0), (4, 0, 1, 1), (40, 1, 1, 1), (100, 1, 0, 0)),
    ):
        copy = Copy(form, size, blocks=blocks, length=length, src_stride=src, dst_stride=dst)
        check(kernel, replace(copy, ub=32, ub2=4096), rng)


@pytest.mark.parametrize("form", ["in_pad", "out_pad", "in_pad_old", "out_pad_old"])
@pytest.mark.parametrize("size", SIZES)
def test_pad_without_padding(kernel: Any, rng: np.random.Generator, form: str, size: int) -> None:
    gm, ub = ("src_stride", "dst_stride") if form.startswith("in") else ("dst_stride", "src_stride")
    for blocks, elements, gm_gap, ub_gap in (
        *((1, 1, 0, 0), (1, 7, 0, 0), (1, 64, 0, 0), (3, 5, 0, 0), (3, 5, 24, 0), (3, 5, 0, 2)),
        *((4, 32, 8, 1), (60, 3, 16, 0), (0, 5, 0, 0), (3, 0, 8, 1)),
    ):
        strides = {gm: gm_gap, ub: ub_gap}
        copy = Copy(form, size, blocks=blocks, length=elements * size, gm=size, ub=96, **strides)
        check(kernel, copy, rng)
        with cannery.use(mode="hardware"):
            check(kernel, copy, rng, strict=False)


@pytest.mark.parametrize("form", ["in_pad", "in_pad_old"])
@pytest.mark.parametrize("size", SIZES)
def test_padding(kernel: Any, rng: np.random.Generator, form: str, size: int) -> None:
    most = 32 // size
    value = b"" if size == 8 else bytes(range(0x41, 0x41 + size))  # 64-bit types pad only with 0
    for left, right, elements, blocks in (
        *((1, 0, 3, 1), (0, 1, 3, 1), (1, 2, 5, 3), (most, most, 4, 2)),
        *((0, most - 1, 1, 4), (2, 0, 40, 2), (0, 1, most, 2)),
    ):
        copy = Copy(
            form, size, blocks=blocks, length=elements * size, is_pad=True,
            left=left, right=right, value=value, src_stride=size, dst_stride=1,
        )  # fmt: skip
        for mode in ("strict", "hardware"):
            with cannery.use(mode=mode):
                check(kernel, copy, rng, strict=mode == "strict")
                # If the call has no padding value, DataCopyPad uses the value of SetPadValue.
                check(kernel, replace(copy, is_pad=False, set_pad_value=True), rng)


def test_padding_beyond_a_block_is_refused(kernel: Any, rng: np.random.Generator) -> None:
    for side in ("left", "right"):
        copy = Copy("in_pad", 2, length=64, is_pad=True, **{side: 17})
        with pytest.raises(cannery.KernelError, match=r"T408 padding .*34 B"):
            check(kernel, copy, rng)


def test_runs_are_whole_elements(kernel: Any, rng: np.random.Generator) -> None:
    for form in ("in_pad", "out_pad"):
        with pytest.raises(cannery.KernelError, match="T408 block length not whole elements"):
            check(kernel, Copy(form, 4, length=30), rng)


def test_ub_is_aligned_gm_need_not_be(kernel: Any, rng: np.random.Generator) -> None:
    for form in ("in_pad", "out_pad"):
        check(kernel, Copy(form, 1, length=45, gm=13), rng)
        with pytest.raises(cannery.KernelError, match=r"T104 .*DataCopyPad .* UB\+0x10"):
            check(kernel, Copy(form, 1, length=45, ub=16), rng)


def test_pad_takes_any_byte_of_gm(kernel: Any, rng: np.random.Generator) -> None:
    for form in ("in_pad", "out_pad"):
        check(kernel, Copy(form, 4, length=44, gm=13), rng)


def test_local_blocks_over_their_source(kernel: Any, rng: np.random.Generator) -> None:
    """A block must not overwrite a block that is copied later (T405)."""
    upward = Copy("local_blocks", blocks=4, length=1, ub=64, ub2=32)
    with pytest.raises(cannery.KernelError, match=r"T405 .*DataCopy writes dst .* source src"):
        check(kernel, upward, rng)
    with cannery.use(mode="hardware"):
        check(kernel, upward, rng, strict=False)
    check(kernel, replace(upward, ub=32, ub2=64), rng)
    check(kernel, replace(upward, ub=32, ub2=32), rng)
