# SPDX-License-Identifier: Apache-2.0
"""Compares Sum, Mean, ReduceXorSum, SelectWithBytesMask and TopK with simple models."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from .advanced_machine import NUMBERS, TYPES, Array, is_poison
from .conftest import Compile
from .rows_machine import PACKED, REUSE, WIDE, WITH_TMP, RowsCase, RowsMachine, close, typed

SUM, MEAN, XOR_SUM, CHOOSE, BEST = range(5)
ENOUGH = 64 * 1024


@pytest.fixture(scope="module")
def unit(compile_device: Compile) -> RowsMachine:
    return RowsMachine(compile_device("advanced_rows"))


def pitch(n: int, dtype: str) -> int:
    block = 32 // TYPES[dtype].itemsize
    return (n + block - 1) // block * block


def tree(row: Array) -> Array:
    """Adds pairs until each 256 B has one sum; adds these sums the same way. Rounds every sum."""
    per = 256 // row.itemsize
    while True:
        sums = []
        for begin in range(0, len(row), per):
            level = row[begin : begin + per]
            while len(level) > 1:
                odd = level[len(level) // 2 * 2 :]
                level = np.concatenate([level[0::2][: len(level) // 2] + level[1::2], odd])
            sums.append(level[0])
        row = np.array(sums, row.dtype)
        if len(row) == 1:
            return row


@pytest.mark.parametrize("form", [0, WITH_TMP])
@pytest.mark.parametrize("dtype", ["float", "half"])
@pytest.mark.parametrize(
    ("rows", "n"), [(1, 1), (3, 8), (7, 64), (5, 100), (2, 128), (3, 1000), (1, 9000)]
)
def test_sum(
    unit: RowsMachine, rng: np.random.Generator, rows: int, n: int, dtype: str, form: int
) -> None:
    inner = pitch(n, dtype)
    x = typed(rng.normal(0, 1, (rows, inner)), dtype)
    x[:, n:] = np.nan
    case = RowsCase(op=SUM, dtype=dtype, form=form, n=(rows, inner, n))
    (dst,) = unit.call(case, [rows * x.itemsize, x], [0], rng, ENOUGH if form else 0)
    want = np.concatenate([tree(row[:n]) for row in x])
    assert dst.tobytes() == want.tobytes()


@pytest.mark.parametrize("form", [0, WITH_TMP, WITH_TMP | WIDE])
@pytest.mark.parametrize("dtype", ["float", "half"])
def test_mean(unit: RowsMachine, rng: np.random.Generator, dtype: str, form: int) -> None:
    for rows, n in ((1, 3), (9, 33), (4, 700)):
        inner = pitch(n, dtype)
        x = typed(rng.normal(1, 1, (rows, inner)), dtype)
        x[:, n:] = np.nan
        case = RowsCase(op=MEAN, dtype=dtype, form=form, n=(rows, inner, n))
        (dst,) = unit.call(case, [rows * x.itemsize, x], [0], rng, ENOUGH if form else 0)
        close(dst.view(x.dtype), x[:, :n].astype(np.float64).mean(axis=1), dtype, 4)


@pytest.mark.parametrize("form", [0, WITH_TMP, WITH_TMP | REUSE])
@pytest.mark.parametrize("count", [1, 31, 64, 320])
def test_xor_sum(unit: RowsMachine, rng: np.random.Generator, count: int, form: int) -> None:
    a, b = (rng.integers(-300, 300, count).astype(np.int16) for _ in range(2))
    case = RowsCase(op=XOR_SUM, form=form, n=(count,))
    lost = [2] if form & REUSE else []
    (dst,) = unit.call(case, [2, a, b], [0], rng, 8192 if form else 0, lost=lost)
    want = int((a ^ b).astype(np.int64).sum())
    assert dst.view(np.int16)[0] == max(-32768, min(32767, want))


MASKS = ("int8_t", "uint8_t", "int16_t", "uint16_t", "int32_t", "uint32_t")


@pytest.mark.parametrize("mask_type", ["bool", *MASKS])
@pytest.mark.parametrize("dtype", ["float", "half"])
@pytest.mark.parametrize("form", [0, REUSE, PACKED, PACKED | REUSE])
def test_choice_by_bytes(
    unit: RowsMachine, rng: np.random.Generator, mask_type: str, dtype: str, form: int
) -> None:
    kind = np.dtype(bool) if mask_type == "bool" else TYPES[mask_type]
    number = 11 if mask_type == "bool" else NUMBERS[mask_type]
    for rows, columns, mask_columns in ((1, 32, 32), (5, 48, 64), (3, 96, 128)):
        src = typed(rng.normal(0, 1, (rows, columns)), dtype)
        info = np.zeros((rows, mask_columns), kind)
        picks = rng.random(info.shape) < 0.5
        info[picks] = (
            rng.integers(0, 2, int(picks.sum()))
            if mask_type == "bool"
            else rng.integers(1, np.iinfo(kind).max, int(picks.sum()), dtype=kind)
        )
        case = RowsCase(
            op=CHOOSE,
            dtype=dtype,
            form=form,
            n=(rows, columns, mask_columns, number),
            scalar=(1.5,),
        )
        moves = form & REUSE and columns != mask_columns
        results = [0, 2] if moves else [0]
        dst, *kept = unit.call(case, [src.nbytes, src, info], results, rng, ENOUGH)
        used = info[:, :columns]
        scalar = np.full_like(src, 1.5)
        want = (
            np.where(used == 0, scalar, src) if form & PACKED else np.where(used == 0, src, scalar)
        )
        assert dst.tobytes() == want.tobytes()
        if moves:
            assert kept[0][: used.nbytes].tobytes() == np.ascontiguousarray(used).tobytes()


def test_32_bit_masks_are_floats(unit: RowsMachine, rng: np.random.Generator) -> None:
    """A 32-bit mask is compared as float, so the bits of -0.0 also count as zero."""
    info = np.array([0, 1, -(2**31), -1, 2**31 - 1, 0x7FC00000, 2, 3], np.int32)
    src = np.arange(8, dtype=np.float32)
    case = RowsCase(op=CHOOSE, n=(1, 8, 8, NUMBERS["int32_t"]), scalar=(9.0,))
    (dst,) = unit.call(case, [32, src, info], [0], rng, ENOUGH)
    np.testing.assert_array_equal(dst.view(np.float32), [0, 9, 2, 9, 9, 9, 9, 9])


def topk_words(
    rows: int, inner: int, k: int, size: int, own_index: bool, small: bool, largest: bool
) -> tuple[int, ...]:
    """Returns the fields of TopkTiling, as the toolkit defines them."""
    t = dict.fromkeys(range(28), 0)
    pair = 8 // size
    t[1], t[5] = rows * inner, (k + 7) // 8 * 8
    if small:
        elements = rows * inner
        t[2], t[7] = elements * pair, rows * k
        t[18] = t[2] + (0 if largest else elements)
        t[0] = t[18] + 64 // size
        if not own_index:
            t[19], t[0] = t[0], t[0] + elements * 4 // size
        pairs = "".join("1" if i < k else "0" for i in range(32))[::-1]
        idx = int("".join(bit + "0" for bit in pairs), 2)
        t[22], t[23] = idx & 0xFFFFFFFF, idx >> 32
        if size == 4:
            t[20], t[21] = (idx >> 1) & 0xFFFFFFFF, idx >> 33
        else:
            val = int("".join("000" + bit for bit in pairs), 2)
            for word in range(4):
                t[24 + word] = val >> (32 * word) & 0xFFFFFFFF
        return tuple(t.values())
    t[6] = (k + 15) // 16 * 16
    t[2], t[0] = inner * pair, 2 * inner * pair
    t[3], t[4] = inner // 32, inner // 4
    t[7] = rows * (t[6] if size == 2 else t[5])
    t[8], t[9] = 2 * k, 4 * k
    t[10], t[11], t[12], t[13] = pair, 2 * pair, 3 * pair, pair
    t[14], t[15], t[17] = 2 * inner, 4 // size, inner * 8 // 32
    if not own_index:
        t[16], t[0] = t[0], t[0] + inner * 4 // size
    return tuple(t.values())


def check_topk(
    unit: RowsMachine, rng: np.random.Generator, dtype: str, form: int, shape: tuple[int, int, int],
    k: int, largest: bool, x: Array | None = None,
) -> None:  # fmt: skip
    rows, inner, n = shape
    small = bool(form & PACKED)
    size = TYPES[dtype].itemsize
    if x is None:
        x = typed(rng.integers(-20, 20, (rows, inner)), dtype)  # some values are equal
        x[:, n:] = -np.inf if largest else np.inf
    indices = rng.permutation(rows * inner if small else inner).astype(np.int32)
    done = (rng.random(rows) < 0.5).astype(np.uint8)
    own = bool(form & (REUSE | WIDE))
    out_k, out_i = (k, k) if small else (pitch(k, dtype), pitch(k, "float"))
    case = RowsCase(
        op=BEST, dtype=dtype, form=form, n=(rows, inner, n, k, int(largest)),
        tiling=topk_words(rows, inner, k, size, own, small, largest),
    )  # fmt: skip
    room = np.zeros((rows, out_k), x.dtype)
    places = np.zeros((rows, out_i), np.int32)
    value, index = unit.call(
        case, [room, places, x, indices, done], [0, 1], rng, ENOUGH if form & WITH_TMP else 0
    )
    value, index = (
        value.view(x.dtype).reshape(room.shape),
        index.view(np.int32).reshape(places.shape),
    )
    for row in range(rows):
        keys = [(-float(v) if largest else float(v), i) for i, v in enumerate(x[row])]
        order = [i for _, i in sorted(keys)][:k]
        given_index = indices.reshape(-1, inner)[row if small else 0]
        want = [int(given_index[i]) if own else i for i in order]
        if form & WIDE and done[row]:
            want = [n] * k
        assert value[row, :k].tobytes() == x[row][order].tobytes()
        assert list(index[row, :k]) == want
        assert not value[row, k:].any()  # elements after the first k are not written
        assert not index[row, k:].any()


@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize("dtype", ["float", "half"])
@pytest.mark.parametrize("form", [0, WITH_TMP, WITH_TMP | REUSE, WITH_TMP | WIDE])
def test_topk(
    unit: RowsMachine, rng: np.random.Generator, dtype: str, form: int, largest: bool
) -> None:
    for shape, k in (
        ((1, 32, 32), 5),
        ((3, 96, 70), 9),
        ((2, 160, 160), 33),
        ((1, 2048, 2000), 100),
    ):
        check_topk(unit, rng, dtype, form, shape, k, largest)


@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize("dtype", ["float", "half"])
@pytest.mark.parametrize("form", [PACKED | WITH_TMP, PACKED | WITH_TMP | REUSE])
def test_topk_of_32(
    unit: RowsMachine, rng: np.random.Generator, dtype: str, form: int, largest: bool
) -> None:
    for rows, k in ((1, 1), (4, 8), (7, 17), (3, 32)):
        check_topk(unit, rng, dtype, form, (rows, 32, 32), k, largest)


@given(rows=st.integers(1, 4), groups=st.integers(1, 8), k=st.integers(1, 32), half=st.booleans())
def test_topk_of_anything(unit: RowsMachine, rows: int, groups: int, k: int, half: bool) -> None:
    rng = np.random.default_rng([rows, groups, k])
    check_topk(
        unit,
        rng,
        "half" if half else "float",
        WITH_TMP,
        (rows, groups * 32, groups * 32),
        k,
        k % 2 == 0,
    )


def test_nan_is_the_best(unit: RowsMachine, rng: np.random.Generator) -> None:
    """TopK puts NaN first, both for the largest and for the smallest elements."""
    x = np.arange(32, dtype=np.float32)[None]
    x[0, [4, 9]] = np.nan
    for largest in (True, False):
        case = RowsCase(
            op=BEST, form=WITH_TMP, n=(1, 32, 32, 3, int(largest)),
            tiling=topk_words(1, 32, 3, 4, False, False, largest),
        )  # fmt: skip
        _, index = unit.call(case, [32, 32, x, 128, 32], [0, 1], rng, ENOUGH)
        assert list(index.view(np.int32)[:3]) == [4, 9, 31 if largest else 0]


def test_what_is_refused(unit: RowsMachine, rng: np.random.Generator) -> None:
    x = np.zeros((2, 96), np.float32)
    case = RowsCase(op=SUM, n=(2, 96, 97))
    unit.refused("T703", "Sum of 2 rows of float with inner 96 and n 97", case, [32, x], rng, 512)
    unit.refused("T703", "inner 95", replace(case, n=(2, 95, 90)), [32, x], rng, 512)
    unit.refused("T107", "dst.* covers 8 B", replace(case, n=(2, 96, 96)), [4, x], rng, 512)
    long = RowsCase(op=SUM, n=(1, 4096, 4096))
    unit.refused("T700", "Sum finds 32 B", long, [32, np.zeros(4096, np.float32)], rng, 32)
    info = np.zeros((2, 128), np.uint8)
    choose = RowsCase(op=CHOOSE, n=(2, 96, 128, NUMBERS["uint8_t"]))
    unit.refused("T700", "at least 1216", choose, [768, x, info], rng, 1024)
    unit.refused(
        "T703", "src has 768 B", replace(choose, n=(3, 96, 128, 4)), [768, x, info], rng, 4096
    )
    best = RowsCase(
        op=BEST, n=(2, 96, 90, 5, 1), tiling=topk_words(2, 96, 5, 4, False, False, True)
    )
    tensors: list[int | Array] = [64, 64, x, 384, 32]
    unit.refused("T703", "n = 90", replace(best, n=(2, 96, 90, 91, 1)), tensors, rng, ENOUGH)
    unit.refused("T703", "up to 4096", replace(best, n=(2, 100, 90, 5, 1)), tensors, rng, ENOUGH)
    unit.refused(
        "T720", "innerDataSize = 192", replace(best, n=(2, 64, 64, 5, 1)), tensors, rng, ENOUGH
    )
    x[1, 90:] = 1
    unit.refused("T721", "element 90 of row 1", best, tensors, rng, ENOUGH)
    unit.refused("T700", "TopK finds 256 B", best, tensors, rng, 256)


def test_scratch_is_poisoned(unit: RowsMachine, rng: np.random.Generator) -> None:
    x = np.ones((1, 32), np.float32)
    case = RowsCase(
        op=BEST, n=(1, 32, 32, 1, 1), tiling=topk_words(1, 32, 1, 4, False, False, True)
    )
    image, case = unit.layout(case, [32, 32, x, 128, 32], 1024, rng, {})
    after = unit.run(image, case)
    begin, _ = case.tmp
    used = 32 * (16 + 4)
    assert is_poison(after[begin : begin + used])
    assert (after[begin + used : begin + 1024] == image[begin + used : begin + 1024]).all()
