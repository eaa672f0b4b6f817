# SPDX-License-Identifier: Apache-2.0
"""Tests DataCopy with slices, from NZ to ND, and with enhanced parameters."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from cannery import KernelError

from .conftest import Compile

KINDS = {"float": (0, np.float32), "half": (10, np.float16), "int8_t": (20, np.int8)}
Slice = tuple[int, int, int, int, int]
TILING = np.dtype(
    [
        ("dimensions", np.uint32),
        ("use_shape_info", np.uint32),
        ("dst", np.uint32, (8, 5)),
        ("src", np.uint32, (8, 5)),
        ("ub_bytes", np.uint32),
        ("nz", np.uint16, 8),
    ]
)


@pytest.fixture(scope="module")
def kernel(compile_device: Compile) -> Any:
    return compile_device("data_copy_ext")


def tiling(
    dst: list[Slice], src: list[Slice], ub_bytes: int, shape_info: bool = False
) -> np.ndarray[Any, Any]:
    data = np.zeros((), TILING)
    data["dimensions"] = len(src)
    data["use_shape_info"] = shape_info
    for name, slices in (("dst", dst), ("src", src)):
        for i, entry in enumerate(slices[:8]):
            data[name][i] = entry
    data["ub_bytes"] = ub_bytes
    return data


def axis(entry: Slice, piece: int) -> list[int]:
    """Returns the indices in the slice of one dimension: `piece` indices, a gap of `stride`, ..."""
    start, end, stride, _, _ = entry
    indices: list[int] = []
    at = start
    while at <= end:
        indices += range(at, at + piece)
        at += piece + stride
    return indices


def positions(slices: list[Slice], itemsize: int) -> np.ndarray[Any, Any]:
    """Returns the indices of the selected elements; the last dimension is the outermost loop."""
    flat = np.zeros(1, np.int64)
    pitch = 1
    for i, entry in enumerate(slices):
        piece = entry[3] * 32 // itemsize if i == 0 else 1
        indices = np.array(axis(entry, piece)) * pitch
        flat = (indices[:, None] + flat[None, :]).ravel()
        pitch *= entry[4]
    return flat


def pieces(count: int, burst: int, gap: int, start: int, room: int, item: int) -> Slice:
    """Returns a slice of `count` pieces of `burst` blocks, with gaps of `gap` elements."""
    elements = burst * 32 // item
    end = start + count * elements + (count - 1) * gap - 1
    return (start, end, gap, burst, end + 1 + room)


def check(kernel: Any, kind: str, dst: list[Slice], src: list[Slice], **options: bool) -> None:
    base, dtype = KINDS[kind]
    item = np.dtype(dtype).itemsize
    size_dst, size_src = (int(np.prod([s[4] for s in side])) for side in (dst, src))
    for mode, (ub, gm) in enumerate(((size_dst, size_src), (size_src, size_dst))):
        elements = -(-ub * item // 32) * 32 // item
        x = (np.arange(max(gm, elements)) % 100 + 2).astype(dtype)
        to = 1 if mode == 0 else 0
        out = np.full(max(gm, elements), to, dtype)
        kernel(
            1, x, out, tiling=tiling(dst, src, elements * item, **options), tiling_key=base + mode
        )
        want = np.full_like(out, to)
        want[positions(dst, item)] = x[positions(src, item)]
        np.testing.assert_array_equal(out, want)


def test_the_documented_example(kernel: Any) -> None:
    """The documented example copies pieces of 24 floats from a 3 x 87 matrix to a 2 x 48 matrix."""
    src = [(16, 70, 7, 3, 87), (0, 2, 1, 1, 3)]
    dst = [(0, 47, 0, 3, 48), (0, 1, 0, 1, 2)]
    base, dtype = KINDS["float"]
    x = np.arange(3 * 87, dtype=dtype)
    out = np.zeros(3 * 87, dtype)
    kernel(1, x, out, tiling=tiling(dst, src, 96 * 4), tiling_key=base)
    rows = x.reshape(3, 87)[::2]
    want = np.concatenate([rows[:, 16:40], rows[:, 47:71]], axis=1).ravel()
    np.testing.assert_array_equal(out[:96], want)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape_info", [False, True])
def test_slices(kernel: Any, kind: str, shape_info: bool) -> None:
    item = np.dtype(KINDS[kind][1]).itemsize
    block = 32 // item
    for rows in ([], [(1, 3, 1, 1, 5)], [(0, 4, 1, 1, 5), (1, 2, 0, 1, 3)]):
        selected = [len(axis(r, 1)) for r in rows]
        packed = [(0, n - 1, 0, 1, n) for n in selected]
        one = pieces(3, 2, block, 0, 0, item)
        check(kernel, kind, [one, *packed], [one, *rows][: 1 + len(packed)], shape_info=shape_info)
        tight = pieces(3, 2, 0, 0, 0, item)
        check(kernel, kind, [tight, *packed], [one, *rows], shape_info=shape_info)


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_random_slices(kernel: Any, data: st.DataObject) -> None:
    kind = data.draw(st.sampled_from(list(KINDS)))
    item = np.dtype(KINDS[kind][1]).itemsize
    block = 32 // item
    count, burst = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 3))
    gap = data.draw(st.integers(0, 3)) * block if count > 1 else 0
    start, room = (data.draw(st.integers(0, 2)) * block for _ in range(2))
    one = pieces(count, burst, gap, start, room, item)
    rows, packed = [], []
    for _ in range(data.draw(st.integers(0, 3))):
        length, stride = data.draw(st.integers(1, 4)), data.draw(st.integers(0, 2))
        last = (length - 1) * (stride + 1)
        rows.append((0, last, stride, 1, last + 1))
        packed.append((0, length - 1, 0, 1, length))
    tight = pieces(count, burst, 0, 0, 0, item)
    assume(one[4] * item * np.prod([row[4] for row in rows]) < 100_000)
    check(kernel, kind, [tight, *packed], [one, *rows])


@pytest.mark.parametrize("kind", ["float", "half"])
@pytest.mark.parametrize(("matrices", "rows", "columns"), [(1, 5, 16), (1, 3, 48), (2, 16, 32)])
def test_out_of_fractal_order(
    kernel: Any, kind: str, matrices: int, rows: int, columns: int
) -> None:
    base, dtype = KINDS[kind]
    stripes, pitch, height = columns // 16, columns + 8, rows + 3
    fractals = -(-stripes * height // 16)
    x = (np.arange(matrices * fractals * 256) % 1000).astype(dtype)
    ub = x.reshape(matrices, -1)[:, : stripes * height * 16].reshape(matrices, stripes, height, 16)
    gm = (rows + 2) * pitch
    out = np.full(max(x.size, matrices * gm), -1, dtype)
    data = tiling([], [], x.nbytes)
    data["nz"][:7] = (matrices, rows, columns, fractals, height, pitch, gm)
    kernel(1, x, out, tiling=data, tiling_key=base + 2)
    want = np.full_like(out, -1)
    for m in range(matrices):
        matrix = ub[m, :, :rows].transpose(1, 0, 2).reshape(rows, columns)
        target = want[m * gm :][: rows * pitch].reshape(rows, pitch)
        target[:, :columns] = matrix
    np.testing.assert_array_equal(out, want)


def test_enhanced_parameters_do_nothing(kernel: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.linspace(-4, 4, 64, dtype=np.float32)
    out = np.zeros_like(x)
    kernel(1, x, out, tiling=tiling([], [], 256), tiling_key=4)
    np.testing.assert_array_equal(out, x)
    out[:] = 0
    kernel(1, x, out, tiling=tiling([], [], 256), tiling_key=5)  # from UB to UB
    np.testing.assert_array_equal(out, x)
    with pytest.raises(KernelError, match="T446 parameter without effect"):
        kernel(1, x, out, tiling=tiling([], [], 256), tiling_key=3)
    monkeypatch.setenv("CANNERY_MODE", "hardware")
    kernel(1, x, out * 0, tiling=tiling([], [], 256), tiling_key=3)


def test_enhanced_parameters_that_convert_are_refused(kernel: Any) -> None:
    x = np.zeros(64, np.float32)
    with pytest.raises(KernelError, match="T454 not on this chip: DataCopy with DataCopyEnhanced"):
        kernel(1, x, x.copy(), tiling=tiling([], [], 256), tiling_key=6)


@pytest.mark.parametrize(
    ("dst", "src", "sentence"),
    [
        ([(0, 7, 0, 1, 8)], [(8, 7, 0, 1, 16)], "the end lies before the start"),
        ([(0, 7, 0, 1, 8)], [(0, 7, 0, 1, 7)], "the end lies outside the shape"),
        ([(0, 7, 0, 1, 8)], [(0, 8, 0, 1, 16)], "is not N pieces"),
        ([(0, 19, 4, 1, 24)], [(0, 19, 4, 1, 24)], "no multiple of 32 B"),
        ([(0, 15, 0, 2, 16)], [(0, 15, 0, 1, 16)], "slices differ"),
        ([(0, 7, 0, 1, 8)] * 9, [(0, 7, 0, 1, 8)] * 9, "9 sliced dimensions, expected 1 to 8"),
    ],
)
def test_slices_that_do_not_add_up(
    kernel: Any, dst: list[Slice], src: list[Slice], sentence: str
) -> None:
    x = np.zeros(256, np.float32)
    with pytest.raises(KernelError, match=sentence) as caught:
        kernel(1, x, x.copy(), tiling=tiling(dst, src, 256), tiling_key=0)
    assert caught.value.code == "T445"
    assert "data_copy_ext.cpp:" in str(caught.value)


@pytest.mark.parametrize("nz", [(1, 4, 20, 1, 16, 32, 0), (1, 4, 16, 1, 16, 8, 0)])
def test_matrices_that_do_not_add_up(kernel: Any, nz: tuple[int, ...]) -> None:
    x = np.zeros(256, np.float32)
    data = tiling([], [], 1024)
    data["nz"][:7] = nz
    with pytest.raises(KernelError) as caught:
        kernel(1, x, x.copy(), tiling=data, tiling_key=2)
    assert caught.value.code == "T408"
